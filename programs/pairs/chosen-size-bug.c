// A packet of 0 to 3 bytes goes through a buffer. The sender splits a packet of 3 bytes into two parts; a receiver
// that comes between them takes the first part for the whole. It takes the right size and the right schedule.
// expect: kind=assertion line=34 exit=1
#include <assert.h>
#include <pthread.h>
#include <threadbare.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int size, buffered;

static void put(int bytes)
{
    pthread_mutex_lock(&lock);
    buffered += bytes;
    pthread_mutex_unlock(&lock);
}

static void *send(void *unused)
{
    (void)unused;
    if (size > 2) {
        put(2);
        put(size - 2);
    } else {
        put(size);
    }
    return NULL;
}

static void *receive(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    assert(buffered == 0 || buffered == size);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t sender, receiver;
    size = (int)tb_choose(0, 3);
    pthread_create(&sender, NULL, send, NULL);
    pthread_create(&receiver, NULL, receive, NULL);
    pthread_join(sender, NULL);
    pthread_join(receiver, NULL);
    return 0;
}

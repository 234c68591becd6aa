// A consumer that finds nothing unlocks, because it will not touch the items, and then waits with a mutex that it
// does not hold.
// expect: kind=mutex-misuse line=16 exit=1
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t arrived = PTHREAD_COND_INITIALIZER;
static int items;

static void *consume(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    if (items == 0) {
        pthread_mutex_unlock(&lock);
        pthread_cond_wait(&arrived, &lock);
    }
    items--;
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *produce(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    items++;
    pthread_cond_signal(&arrived);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t consumer, producer;
    pthread_create(&consumer, NULL, consume, NULL);
    pthread_create(&producer, NULL, produce, NULL);
    pthread_join(consumer, NULL);
    pthread_join(producer, NULL);
    return 0;
}

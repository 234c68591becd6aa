// A client waits for an answer with a time limit. It leaves the loop after a time-out as after an answer, and reads
// an answer that is not there.
// expect: kind=assertion line=22 exit=1
#include <assert.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t answered = PTHREAD_COND_INITIALIZER;
static int answer;

static void *ask(void *unused)
{
    (void)unused;
    struct timespec limit;
    clock_gettime(CLOCK_REALTIME, &limit);
    limit.tv_sec += 1;
    pthread_mutex_lock(&lock);
    while (answer == 0)
        if (pthread_cond_timedwait(&answered, &lock, &limit) != 0)
            break;
    assert(answer == 42);
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *reply(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    answer = 42;
    pthread_cond_signal(&answered);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t client, server;
    pthread_create(&client, NULL, ask, NULL);
    pthread_create(&server, NULL, reply, NULL);
    pthread_join(client, NULL);
    pthread_join(server, NULL);
    return 0;
}

// A client waits for an answer with a time limit, and does without after a time-out.
// expect: proved
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
    int problem = 0;
    while (answer == 0 && problem == 0)
        problem = pthread_cond_timedwait(&answered, &lock, &limit);
    assert(problem != 0 || answer == 42);
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

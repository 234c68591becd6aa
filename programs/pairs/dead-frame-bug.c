// A job lies on the stack of the function that starts it, which returns at once. The worker uses the job only if the
// shop has opened by then; if it has, the job's frame is gone.
// expect: kind=use-after-free line=21 exit=1
#include <pthread.h>
#include <stdbool.h>

struct job {
    int a, b, sum;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool open_now;

static void *work(void *argument)
{
    struct job *job = argument;
    pthread_mutex_lock(&lock);
    bool ready = open_now;
    pthread_mutex_unlock(&lock);
    if (ready)
        job->sum = job->a + job->b;
    return NULL;
}

static pthread_t start(void)
{
    struct job job = {.a = 20, .b = 22};
    pthread_t worker;
    pthread_create(&worker, NULL, work, &job);
    return worker;
}

int main(void)
{
    pthread_t worker = start();
    pthread_mutex_lock(&lock);
    open_now = true;
    pthread_mutex_unlock(&lock);
    pthread_join(worker, NULL);
    return 0;
}

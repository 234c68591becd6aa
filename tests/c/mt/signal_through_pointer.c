// A condition variable is signalled with its lock held, by a function that a loop calls through a pointer, and that may also
// return at once: a thread that is about to signal does not wait for others.
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int done;

static int tell(int quiet)
{
    if (quiet)
        return 0;
    pthread_mutex_lock(&lock);
    done++;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    return 1;
}

static struct job {
    int (*does)(int);
    int quiet;
    struct job *next;
} last = {tell, 1, NULL}, first = {tell, 0, &last};

static void *work(void *unused)
{
    for (struct job *job = &first; job; job = job->next)
        job->does(job->quiet);
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, NULL);
    pthread_mutex_lock(&lock);
    while (done < 2)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%d jobs\n", done);
    return 0;
}

// A pool of SIZE threads that wait for jobs. Main hands one job in, then tells the pool to close; whether a thread comes to
// the job before that is open.
//
// After the thread pool of the SCALE thesis (table 6.2). Its counts are those of `--races allow`.
// With -DKEEP the job is not freed, which is an event here and none in the thesis.
//     -DSIZE=n -DKEEP
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#ifndef SIZE
#define SIZE 2
#endif

struct job {
    void (*work)(void);
    struct job *next;
};

static struct {
    struct job *first;
    struct job *last;
} jobs;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t news = PTHREAD_COND_INITIALIZER;
static int closing;
static int waiting;

static void (*next_job(void))(void)
{
    struct job *job = jobs.first;
    void (*work)(void) = job->work;
    jobs.first = job->next;
#ifndef KEEP
    free(job);
#endif
    if (jobs.first == NULL)
        jobs.last = NULL;
    return work;
}

static void hand_in(void (*work)(void))
{
    pthread_mutex_lock(&mutex);
    struct job *job = malloc(sizeof *job);
    job->work = work;
    job->next = NULL;
    if (jobs.last == NULL) {
        assert(jobs.first == NULL);
        jobs.first = job;
    } else {
        jobs.last->next = job;
    }
    jobs.last = job;
    if (waiting > 0)
        pthread_cond_signal(&news);
    pthread_mutex_unlock(&mutex);
}

static void *serve(void *unused)
{
    (void)unused;
    while (true) {
        pthread_mutex_lock(&mutex);
        while (jobs.first == NULL && !closing) {
            waiting++;
            pthread_cond_wait(&news, &mutex);
            waiting--;
        }
        if (closing) {
            pthread_mutex_unlock(&mutex);
            return NULL;
        }
        void (*work)(void) = next_job();
        pthread_mutex_unlock(&mutex);
        work();
    }
}

static void nothing(void)
{
}

int main(void)
{
    pthread_t threads[SIZE];
    for (int i = 0; i < SIZE; i++)
        pthread_create(&threads[i], NULL, serve, NULL);
    hand_in(nothing);
    pthread_mutex_lock(&mutex);
    closing = 1;
    pthread_cond_broadcast(&news);
    pthread_mutex_unlock(&mutex);
    for (int i = 0; i < SIZE; i++)
        pthread_join(threads[i], NULL);
    return 0;
}

/*
 * Who owns the job? The worker frees it when it is done; the main thread reads the answer from it afterwards.
 * Natively that mostly seems to work; Threadbare says which object was read, where it was allocated and who freed it.
 *
 *   threadbare run examples/use_after_free.c
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct job {
    long from, to;
    long answer;
};

static void *sum_of_squares(void *argument)
{
    struct job *job = argument;
    for (long i = job->from; i <= job->to; i++)
        job->answer += i * i;
    free(job);
    return NULL;
}

int main(void)
{
    pthread_t worker;
    struct job *job = calloc(1, sizeof *job);
    if (job == NULL)
        return 1;
    job->from = 1;
    job->to = 10;

    pthread_create(&worker, NULL, sum_of_squares, job);
    pthread_join(worker, NULL);
    printf("the answer is %ld\n", job->answer);
    return 0;
}

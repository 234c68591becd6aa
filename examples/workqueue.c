/*
 * A work queue: one producer hands numbers to a few workers through a bounded buffer, and each worker adds up the
 * Collatz steps of the numbers that it took. Who takes which number depends on the schedule; the sum must not.
 *
 *   threadbare run examples/workqueue.c
 *   threadbare run examples/workqueue.c --seed 7 --args 3 200
 */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { CAPACITY = 4, MAX_WORKERS = 16 };

struct queue {
    int items[CAPACITY];
    int head, count;
    bool closed;
    pthread_mutex_t lock;
    pthread_cond_t not_empty, not_full;
};

struct worker {
    pthread_t thread;
    struct queue *queue;
    int taken;
    long steps;
};

static void queue_put(struct queue *queue, int item)
{
    pthread_mutex_lock(&queue->lock);
    while (queue->count == CAPACITY)
        pthread_cond_wait(&queue->not_full, &queue->lock);
    queue->items[(queue->head + queue->count) % CAPACITY] = item;
    queue->count++;
    pthread_cond_signal(&queue->not_empty);
    pthread_mutex_unlock(&queue->lock);
}

static void queue_close(struct queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    queue->closed = true;
    pthread_cond_broadcast(&queue->not_empty);
    pthread_mutex_unlock(&queue->lock);
}

/* Waits for an item; false when the queue is closed and empty. */
static bool queue_take(struct queue *queue, int *item)
{
    pthread_mutex_lock(&queue->lock);
    while (queue->count == 0 && !queue->closed)
        pthread_cond_wait(&queue->not_empty, &queue->lock);
    bool got = queue->count > 0;
    if (got) {
        *item = queue->items[queue->head];
        queue->head = (queue->head + 1) % CAPACITY;
        queue->count--;
        pthread_cond_signal(&queue->not_full);
    }
    pthread_mutex_unlock(&queue->lock);
    return got;
}

static long collatz(long n)
{
    long steps = 0;
    for (; n != 1; steps++)
        n = n % 2 ? 3 * n + 1 : n / 2;
    return steps;
}

static void *work(void *argument)
{
    struct worker *self = argument;
    int item;
    while (queue_take(self->queue, &item)) {
        self->taken++;
        self->steps += collatz(item);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    int workers = argc > 1 ? atoi(argv[1]) : 3;
    int items = argc > 2 ? atoi(argv[2]) : 60;
    if (workers < 1 || workers > MAX_WORKERS || items < 0) {
        fprintf(stderr, "usage: workqueue [1..%d workers] [items]\n", MAX_WORKERS);
        return 2;
    }

    struct queue *queue = calloc(1, sizeof *queue);
    struct worker *crew = calloc((size_t)workers, sizeof *crew);
    assert(queue && crew);
    pthread_mutex_init(&queue->lock, NULL);
    pthread_cond_init(&queue->not_empty, NULL);
    pthread_cond_init(&queue->not_full, NULL);

    for (int i = 0; i < workers; i++) {
        crew[i].queue = queue;
        pthread_create(&crew[i].thread, NULL, work, &crew[i]);
    }
    for (int i = 1; i <= items; i++)
        queue_put(queue, i);
    queue_close(queue);

    int taken = 0;
    long steps = 0, expected = 0;
    for (int i = 0; i < workers; i++) {
        pthread_join(crew[i].thread, NULL);
        printf("worker %d took %d items: %ld steps\n", i, crew[i].taken, crew[i].steps);
        taken += crew[i].taken;
        steps += crew[i].steps;
    }
    for (int i = 1; i <= items; i++)
        expected += collatz(i);
    printf("%d items, %ld steps\n", taken, steps);
    assert(taken == items && steps == expected);

    pthread_cond_destroy(&queue->not_full);
    pthread_cond_destroy(&queue->not_empty);
    pthread_mutex_destroy(&queue->lock);
    free(crew);
    free(queue);
    return 0;
}

// a thread pool with a queue of function pointers, shut down by a flag
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { WORKERS = 3, TASKS = 20 };

struct task {
    void (*run)(void *);
    void *arg;
    struct task *next;
};

static struct {
    pthread_mutex_t m;
    pthread_cond_t more;
    struct task *head, **tail;
    int closed;
} pool = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, NULL, &pool.head, 0};

static void submit(void (*run)(void *), void *arg) {
    struct task *t = malloc(sizeof *t);
    *t = (struct task){run, arg, NULL};
    pthread_mutex_lock(&pool.m);
    *pool.tail = t;
    pool.tail = &t->next;
    pthread_cond_signal(&pool.more);
    pthread_mutex_unlock(&pool.m);
}

static void *worker(void *arg) {
    int *done = arg;
    for (;;) {
        pthread_mutex_lock(&pool.m);
        while (!pool.head && !pool.closed)
            pthread_cond_wait(&pool.more, &pool.m);
        struct task *t = pool.head;
        if (t) {
            pool.head = t->next;
            if (!pool.head)
                pool.tail = &pool.head;
        }
        pthread_mutex_unlock(&pool.m);
        if (!t)
            return NULL;
        t->run(t->arg);
        free(t);
        ++*done;
    }
}

static void square(void *arg) {
    *(int *)arg *= *(int *)arg;
}

static void negate(void *arg) {
    *(int *)arg = -*(int *)arg;
}

int main(void) {
    pthread_t t[WORKERS];
    int done[WORKERS] = {0}, cell[TASKS], all = 0;
    for (int i = 0; i < WORKERS; i++)
        pthread_create(&t[i], NULL, worker, &done[i]);
    for (int i = 0; i < TASKS; i++) {
        cell[i] = i;
        submit(i % 3 ? square : negate, &cell[i]);
    }
    pthread_mutex_lock(&pool.m);
    pool.closed = 1;
    pthread_cond_broadcast(&pool.more);
    pthread_mutex_unlock(&pool.m);
    for (int i = 0; i < WORKERS; i++) {
        pthread_join(t[i], NULL);
        all += done[i];
    }
    for (int i = 0; i < TASKS; i++)
        printf("%d ", cell[i]);
    printf("\n%d tasks\n", all);
    return 0;
}

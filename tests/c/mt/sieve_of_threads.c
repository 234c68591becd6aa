// a prime sieve as a chain of filter threads that grows as primes are found
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>

struct filter {
    sem_t full, empty;
    int value, prime;
    struct filter *next;
    pthread_t thread;
};

static struct filter *new_filter(void);

static void send(struct filter *f, int v) {
    sem_wait(&f->empty);
    f->value = v;
    sem_post(&f->full);
}

static int receive(struct filter *f) {
    sem_wait(&f->full);
    int v = f->value;
    sem_post(&f->empty);
    return v;
}

static void *run(void *arg) {
    struct filter *f = arg;
    for (int v; (v = receive(f)) != 0;) {
        if (f->prime == 0) {
            f->prime = v;
            f->next = new_filter();
        } else if (v % f->prime != 0) {
            send(f->next, v);
        }
    }
    if (f->next) {
        send(f->next, 0);
        pthread_join(f->next->thread, NULL);
    }
    return NULL;
}

static struct filter *new_filter(void) {
    struct filter *f = calloc(1, sizeof *f);
    sem_init(&f->full, 0, 0);
    sem_init(&f->empty, 0, 1);
    pthread_create(&f->thread, NULL, run, f);
    return f;
}

int main(void) {
    struct filter *first = new_filter();
    for (int i = 2; i < 24; i++)
        send(first, i);
    send(first, 0);
    pthread_join(first->thread, NULL);
    for (struct filter *f = first, *next; f; f = next) {
        next = f->next;
        if (f->prime)
            printf("%d ", f->prime);
        free(f);
    }
    printf("\n");
    return 0;
}

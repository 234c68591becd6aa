// many more threads, one after the other, than there are at a time; each leaves memory behind for a while
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 10000 };

static _Thread_local unsigned rounds = 3;
static unsigned long total;

static void *worker(void *arg) {
    unsigned long *result = malloc(sizeof *result);
    *result = (unsigned long)arg * rounds++;
    total += rounds;
    return result;
}

int main(void) {
    unsigned long sum = 0;
    for (unsigned long i = 0; i < THREADS; i++) {
        pthread_t thread;
        void *result;
        if (pthread_create(&thread, NULL, worker, (void *)i))
            return 1;
        pthread_join(thread, &result);
        sum += *(unsigned long *)result;
        free(result);
    }
    printf("%lu %lu\n", sum, total);
    return 0;
}

// Dekker's algorithm with seq_cst atomics protects a plain counter
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_bool wants[2];
static atomic_int turn;
static int count;

static void *work(void *arg) {
    int me = *(int *)arg;
    for (int i = 0; i < 15; i++) {
        atomic_store(&wants[me], 1);
        while (atomic_load(&wants[!me])) {
            if (atomic_load(&turn) != me) {
                atomic_store(&wants[me], 0);
                while (atomic_load(&turn) != me)
                    sched_yield();
                atomic_store(&wants[me], 1);
            }
        }
        count++;
        atomic_store(&turn, !me);
        atomic_store(&wants[me], 0);
    }
    return NULL;
}

int main(void) {
    pthread_t t[2];
    int id[2] = {0, 1};
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, &id[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    printf("%d\n", count);
    return 0;
}

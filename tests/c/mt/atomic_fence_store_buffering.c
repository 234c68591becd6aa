// store buffering with relaxed accesses and seq_cst fences
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

enum { ROUNDS = 20 };

static atomic_int x[ROUNDS], y[ROUNDS];
static int r[2][ROUNDS];

static void *side(void *arg) {
    int me = *(int *)arg;
    atomic_int *mine = me ? y : x, *theirs = me ? x : y;
    for (int i = 0; i < ROUNDS; i++) {
        atomic_store_explicit(&mine[i], 1, memory_order_relaxed);
        atomic_thread_fence(memory_order_seq_cst);
        r[me][i] = atomic_load_explicit(&theirs[i], memory_order_relaxed);
    }
    atomic_signal_fence(memory_order_seq_cst);
    return NULL;
}

int main(void) {
    pthread_t t[2];
    int id[2] = {0, 1};
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, side, &id[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    int forbidden = 0;
    for (int i = 0; i < ROUNDS; i++)
        forbidden += !r[0][i] && !r[1][i];
    printf("forbidden %d\n", forbidden);
    return 0;
}

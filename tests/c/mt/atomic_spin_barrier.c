// a sense-reversing barrier from atomics
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>

enum { N = 3, ROUNDS = 5 };

static atomic_int remaining = N;
static atomic_bool sense;
static int cell[ROUNDS + 1][N] = {{1, 2, 3}};

static void barrier(bool *mine) {
    *mine = !*mine;
    if (atomic_fetch_sub(&remaining, 1) == 1) {
        atomic_store(&remaining, N);
        atomic_store(&sense, *mine);
    } else {
        while (atomic_load(&sense) != *mine)
            sched_yield();
    }
}

static void *work(void *arg) {
    int me = *(int *)arg;
    bool mine = false;
    for (int r = 0; r < ROUNDS; r++) {
        cell[r + 1][me] = cell[r][0] + cell[r][1] + cell[r][2] + me;
        barrier(&mine);
    }
    return NULL;
}

int main(void) {
    pthread_t t[N];
    int id[N] = {0, 1, 2};
    for (int i = 0; i < N; i++)
        pthread_create(&t[i], NULL, work, &id[i]);
    for (int i = 0; i < N; i++)
        pthread_join(t[i], NULL);
    printf("%d %d %d\n", cell[ROUNDS][0], cell[ROUNDS][1], cell[ROUNDS][2]);
    return 0;
}

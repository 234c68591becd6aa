// store buffering and message passing with seq_cst: the forbidden outcomes never appear
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

enum { ROUNDS = 20 };

static atomic_int x[ROUNDS], y[ROUNDS], z[ROUNDS];
static int r[2][ROUNDS], late[ROUNDS];

static void *left(void *arg) {
    (void)arg;
    for (int i = 0; i < ROUNDS; i++) {
        atomic_store(&x[i], 1);
        r[0][i] = atomic_load(&y[i]);
        atomic_store(&z[i], 1);
    }
    return NULL;
}

static void *right(void *arg) {
    (void)arg;
    for (int i = 0; i < ROUNDS; i++) {
        atomic_store(&y[i], 1);
        r[1][i] = atomic_load(&x[i]);
        late[i] = atomic_load(&z[i]) && !atomic_load(&x[i]);
    }
    return NULL;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, left, NULL);
    pthread_create(&b, NULL, right, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    int forbidden = 0;
    for (int i = 0; i < ROUNDS; i++)
        forbidden += (!r[0][i] && !r[1][i]) + late[i];
    printf("forbidden %d\n", forbidden);
    return 0;
}

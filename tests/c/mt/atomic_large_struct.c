// an atomic struct that no instruction covers: the library's generic __atomic functions
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

struct triple {
    long a, b, c;
};

static _Atomic struct triple shared;
static int torn[2];

static void *work(void *arg) {
    int me = *(int *)arg;
    for (int i = 0; i < 10; i++) {
        struct triple old = atomic_load(&shared), new;
        torn[me] += old.b != 2 * old.a || old.c != 3 * old.a;
        do {
            new = (struct triple){old.a + 1, old.b + 2, old.c + 3};
        } while (!atomic_compare_exchange_strong(&shared, &old, new));
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
    struct triple s = atomic_exchange(&shared, ((struct triple){0, 0, 0}));
    printf("%ld %ld %ld torn %d\n", s.a, s.b, s.c, torn[0] + torn[1]);
    return 0;
}

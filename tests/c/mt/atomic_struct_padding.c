// compare-exchange of structures with bytes between their members that nobody sets
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

struct pair {
    char tag;
    int count;
};

static _Atomic struct pair shared;

static void *count_up(void *tag) {
    for (int i = 0; i < 10; i++) {
        struct pair old = atomic_load(&shared), new;
        do {
            new.tag = *(const char *)tag;
            new.count = old.count + 1;
        } while (!atomic_compare_exchange_weak(&shared, &old, new));
    }
    return NULL;
}

int main(void) {
    struct pair start;
    start.tag = 's';
    start.count = 100;
    atomic_store(&shared, start);
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, count_up, "a");
    pthread_create(&threads[1], NULL, count_up, "b");
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    struct pair end = atomic_load(&shared), other;
    other.tag = 'x';
    other.count = 7;
    int exchanged = atomic_compare_exchange_strong(&shared, &other, start);
    printf("%d, %d, found %d\n", end.count, exchanged, other.count);
    return 0;
}

// the __sync family: fetch-and-op, op-and-fetch, compare-and-swap, lock test-and-set
#include <pthread.h>
#include <sched.h>
#include <stdio.h>

static int added, subtracted, lock;
static unsigned ored, anded = ~0u, xored;
static long swapped;
static int guarded;

static void *work(void *arg) {
    int me = *(int *)arg;
    for (int i = 0; i < 12; i++) {
        __sync_fetch_and_add(&added, me);
        __sync_sub_and_fetch(&subtracted, 1);
        __sync_fetch_and_or(&ored, 1u << (me * 4 + i % 4));
        __sync_and_and_fetch(&anded, ~(1u << i));
        __sync_fetch_and_xor(&xored, (unsigned)(me + i));
        long seen = 0;
        while (!__sync_bool_compare_and_swap(&swapped, seen, seen + 2))
            seen = __sync_fetch_and_add(&swapped, 0);
        while (__sync_lock_test_and_set(&lock, 1))
            sched_yield();
        guarded++;
        __sync_lock_release(&lock);
        __sync_synchronize();
    }
    return NULL;
}

int main(void) {
    pthread_t t[3];
    int id[3] = {1, 2, 3};
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, work, &id[i]);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    printf("%d %d %x %x %x %ld %d\n", added, subtracted, ored, anded, xored, swapped, guarded);
    return 0;
}

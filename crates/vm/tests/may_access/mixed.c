/* Constants that are computed from several addresses, or from a part of one. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

static atomic_int mixed, other, split, tagged;
static volatile uintptr_t both;

static void *work(void *x)
{
    both = (uintptr_t)&mixed ^ (uintptr_t)&other;
    atomic_fetch_add((atomic_int *)(both ^ (uintptr_t)&other), 1);
    uint32_t low = (uint32_t)(uintptr_t)&split, high = (uint32_t)((uintptr_t)&split >> 32);
    atomic_fetch_add((atomic_int *)((uintptr_t)high << 32 | low), 1);
    atomic_fetch_add((atomic_int *)(((uintptr_t)&tagged | (uintptr_t)1 << 60) << 4 >> 4), 1);
    return x;
}

int main(void)
{
    pthread_t t, u;
    pthread_create(&t, 0, work, 0);
    pthread_create(&u, 0, work, 0);
    pthread_join(t, 0);
    pthread_join(u, 0);
    return mixed == 2 && split == 2 && other == 0 ? 0 : 1;
}

// fetch_add hands out every ticket exactly once
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

enum { N = 4, TICKETS = 40 };

static atomic_int next;
static int owner_count[TICKETS];

static void *take(void *arg) {
    int *mine = arg;
    for (;;) {
        int t = atomic_fetch_add_explicit(&next, 1, memory_order_relaxed);
        if (t >= TICKETS)
            return NULL;
        owner_count[t]++;
        ++*mine;
    }
}

int main(void) {
    pthread_t t[N];
    int got[N] = {0}, once = 0, sum = 0;
    for (int i = 0; i < N; i++)
        pthread_create(&t[i], NULL, take, &got[i]);
    for (int i = 0; i < N; i++) {
        pthread_join(t[i], NULL);
        sum += got[i];
    }
    for (int i = 0; i < TICKETS; i++)
        once += owner_count[i] == 1;
    printf("%d once, %d in all, next %d\n", once, sum, next);
    return 0;
}

// sched_yield returns 0 and lets two spinning threads take turns
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int turn;
static char log_of[21];

static void *work(void *arg) {
    int me = *(int *)arg, failed = 0;
    for (int i = 0; i < 10; i++) {
        while (atomic_load(&turn) % 2 != me)
            failed += sched_yield() != 0;
        log_of[atomic_load(&turn)] = (char)('A' + me);
        atomic_fetch_add(&turn, 1);
    }
    *(int *)arg = failed;
    return NULL;
}

int main(void) {
    pthread_t t[2];
    int id[2] = {0, 1};
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, &id[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    printf("%s %d %d\n", log_of, id[0], id[1]);
    return 0;
}

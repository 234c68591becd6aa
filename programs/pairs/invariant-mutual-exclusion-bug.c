// Two threads at most one of which is inside, as the invariant says. The lock is tested, and taken a moment later.
// expect: kind=invariant line=17|19 exit=1 options=--invariant one_at_a_time
#include <pthread.h>
#include <stdatomic.h>

static atomic_int taken, inside[2];

int one_at_a_time(void) {
    return inside[0] + inside[1] <= 1;
}

static void *enter(void *number) {
    int me = number != NULL;
    if (taken)
        return NULL;
    taken = 1;
    inside[me] = 1;
    // … what only one may do
    inside[me] = 0;
    taken = 0;
    return NULL;
}

int main(void) {
    pthread_t t, u;
    pthread_create(&t, NULL, enter, NULL);
    pthread_create(&u, NULL, enter, &t);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return 0;
}

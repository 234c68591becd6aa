// A follower waits in a loop until phase 1 has begun, which stays true.
// expect: proved
#include <pthread.h>
#include <stdatomic.h>

static atomic_int phase;

static void *lead(void *unused)
{
    (void)unused;
    phase = 1;
    phase = 2;
    return NULL;
}

static void *follow(void *unused)
{
    (void)unused;
    while (phase < 1)
        ;
    return NULL;
}

int main(void)
{
    pthread_t leader, follower;
    pthread_create(&leader, NULL, lead, NULL);
    pthread_create(&follower, NULL, follow, NULL);
    pthread_join(leader, NULL);
    pthread_join(follower, NULL);
    return 0;
}

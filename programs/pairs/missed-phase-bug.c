// A follower waits in a loop for phase 1. The leader goes through phase 1 to phase 2; a follower that was not quick
// enough waits for what will not come again.
// expect: kind=livelock line=20 exit=1
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
    while (phase != 1)
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

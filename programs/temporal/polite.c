/* Two people in a corridor. Whoever sees that the other stands in the same lane steps aside, and so does the other:
 *
 *     threadbare check polite.c --livelock
 *
 * With -D STUBBORN only one of them makes way, and they pass. */
#include <pthread.h>
#include <stdatomic.h>
#include <threadbare.h>

static atomic_int lane[2];

static void *walker(void *number)
{
    int me = (int)(long)number, other = 1 - me;
    while (lane[me] == lane[other]) {
#ifdef STUBBORN
        if (me == 0)
            continue;
#endif
        lane[me] = !lane[me];
    }
    tb_progress();
    return 0;
}

int main(void)
{
    pthread_t walkers[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&walkers[i], 0, walker, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(walkers[i], 0);
    return 0;
}

// A barrier made of a counter and the number of the meeting: the last to arrive counts the meeting, the others wait
// for that. It can be used again at once.
// expect: proved
#include <pthread.h>
#include <stdatomic.h>

#define THREADS 2

static atomic_int arrived;
static atomic_int meeting;

static void meet(void)
{
    int mine = meeting;
    if (atomic_fetch_add(&arrived, 1) + 1 == THREADS) {
        arrived = 0;
        meeting = mine + 1;
    } else {
        while (meeting == mine)
            ;
    }
}

static void *walk(void *unused)
{
    (void)unused;
    meet();
    meet();
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, walk, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}

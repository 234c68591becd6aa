// Two producers put into a ring of two slots, one of which is in use already. Looking for room and putting the item
// in is one critical section: one of them is turned away.
// expect: proved
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#define SLOTS 2

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int used = 1, turned_away;

static void put(void)
{
    used++;
    if (used > SLOTS)
        abort();
}

static void *produce(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    bool room = used < SLOTS;
    if (room)
        put();
    else
        turned_away++;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t producers[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&producers[i], NULL, produce, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(producers[i], NULL);
    return used + turned_away == 3 ? 0 : 1;
}

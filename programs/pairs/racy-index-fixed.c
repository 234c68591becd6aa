// Two threads append to an array that has room for one more. Each reserves a place first, and then looks whether
// there is such a place.
// expect: proved
#include <pthread.h>
#include <stdatomic.h>

#define ROOM 3

static int entries[ROOM] = {10, 20};
static atomic_int used = 2;

static void *append(void *entry)
{
    int place = atomic_fetch_add(&used, 1);
    if (place < ROOM)
        entries[place] = *(int *)entry;
    return NULL;
}

int main(void)
{
    static int more[2] = {30, 40};
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, append, &more[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return entries[2] >= 30 ? 0 : 1;
}

// Two threads append to an array that has room for one more. Each looks at the index, finds it in range, and then
// counts it up: the second one writes beyond the end.
// expect: kind=out-of-bounds line=16 exit=1
#include <pthread.h>
#include <stdatomic.h>

#define ROOM 3

static int entries[ROOM] = {10, 20};
static atomic_int used = 2;

static void *append(void *entry)
{
    if (used < ROOM) {
        int place = atomic_fetch_add(&used, 1);
        entries[place] = *(int *)entry;
    }
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

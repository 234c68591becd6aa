// Two threads share a buffer, and the last one to leave frees it. The count goes down in one operation and is looked
// at in another: both may find that they are the last.
// expect: kind=double-free line=16 exit=1
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int users = 2;
static char *buffer;

static void *use(void *place)
{
    buffer[*(int *)place] = 'x';
    atomic_fetch_sub(&users, 1);
    if (users == 0)
        free(buffer);
    return NULL;
}

int main(void)
{
    static int places[2] = {0, 1};
    buffer = malloc(2);
    if (!buffer)
        return 1;
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, use, &places[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}

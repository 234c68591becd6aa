// Two threads share a buffer, and the last one to leave frees it: the operation that counts down also says who that
// is.
// expect: proved
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int users = 2;
static char *buffer;

static void *use(void *place)
{
    buffer[*(int *)place] = 'x';
    if (atomic_fetch_sub(&users, 1) == 1)
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

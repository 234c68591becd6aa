// main adds up what two workers have found after it has waited for both.
// expect: proved
#include <pthread.h>

static int found[2];

static void *search(void *place)
{
    *(int *)place = 21;
    return NULL;
}

int main(void)
{
    pthread_t workers[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&workers[i], NULL, search, &found[i]);
    pthread_join(workers[0], NULL);
    pthread_join(workers[1], NULL);
    int sum = found[0] + found[1];
    return sum > 42 ? 1 : 0;
}

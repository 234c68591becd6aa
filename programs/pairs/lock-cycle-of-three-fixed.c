// A kitchen with a knife, a board and a pan. All cooks take what they need in the same order.
// expect: proved
#include <pthread.h>

static pthread_mutex_t knife = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t board = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t pan = PTHREAD_MUTEX_INITIALIZER;

static void cook_with(pthread_mutex_t *first, pthread_mutex_t *second)
{
    pthread_mutex_lock(first);
    pthread_mutex_lock(second);
    pthread_mutex_unlock(second);
    pthread_mutex_unlock(first);
}

static void *cut(void *unused)
{
    (void)unused;
    cook_with(&knife, &board);
    return NULL;
}

static void *carry(void *unused)
{
    (void)unused;
    cook_with(&board, &pan);
    return NULL;
}

static void *serve(void *unused)
{
    (void)unused;
    cook_with(&knife, &pan);
    return NULL;
}

int main(void)
{
    pthread_t cooks[3];
    pthread_create(&cooks[0], NULL, cut, NULL);
    pthread_create(&cooks[1], NULL, carry, NULL);
    pthread_create(&cooks[2], NULL, serve, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(cooks[i], NULL);
    return 0;
}

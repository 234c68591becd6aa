// A store around a queue with a lock and a condition variable. take() counts under the store's lock, and waits
// without it.
// expect: proved
#include <pthread.h>

static pthread_mutex_t store = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t queue = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static int items, visits;

static void *take(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&store);
    visits++;
    pthread_mutex_unlock(&store);
    pthread_mutex_lock(&queue);
    while (items == 0)
        pthread_cond_wait(&filled, &queue);
    items--;
    pthread_mutex_unlock(&queue);
    return NULL;
}

static void *bring(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&store);
    visits++;
    pthread_mutex_unlock(&store);
    pthread_mutex_lock(&queue);
    items++;
    pthread_cond_signal(&filled);
    pthread_mutex_unlock(&queue);
    return NULL;
}

int main(void)
{
    pthread_t customer, supplier;
    pthread_create(&customer, NULL, take, NULL);
    pthread_create(&supplier, NULL, bring, NULL);
    pthread_join(customer, NULL);
    pthread_join(supplier, NULL);
    return 0;
}

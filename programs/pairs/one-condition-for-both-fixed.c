// A buffer of one slot, one producer and two consumers, and a condition variable for each side.
// expect: proved
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t emptied = PTHREAD_COND_INITIALIZER, filled = PTHREAD_COND_INITIALIZER;
static int used;

static void *produce(void *unused)
{
    (void)unused;
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&lock);
        while (used == 1)
            pthread_cond_wait(&emptied, &lock);
        used = 1;
        pthread_cond_signal(&filled);
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

static void *consume(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    while (used == 0)
        pthread_cond_wait(&filled, &lock);
    used = 0;
    pthread_cond_signal(&emptied);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t producer, consumers[2];
    pthread_create(&producer, NULL, produce, NULL);
    for (int i = 0; i < 2; i++)
        pthread_create(&consumers[i], NULL, consume, NULL);
    pthread_join(producer, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(consumers[i], NULL);
    return 0;
}

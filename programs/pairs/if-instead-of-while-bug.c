// Two consumers wait for an item with `if` instead of `while`. The producer brings one item and wakes both; the
// second one that wakes up finds nothing, and does not look.
// expect: kind=assertion line=17 exit=1
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t arrived = PTHREAD_COND_INITIALIZER;
static int items;

static void *consume(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    if (items == 0)
        pthread_cond_wait(&arrived, &lock);
    assert(items > 0);
    items--;
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *produce(void *unused)
{
    (void)unused;
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&lock);
        items++;
        pthread_cond_broadcast(&arrived);
        pthread_mutex_unlock(&lock);
    }
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

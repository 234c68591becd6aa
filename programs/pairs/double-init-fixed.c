// Two threads set the mutex up with pthread_once.
// expect: proved
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t lock;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static atomic_int entries;

static void set_up(void)
{
    pthread_mutex_init(&lock, NULL);
}

static void *work(void *unused)
{
    (void)unused;
    pthread_once(&once, set_up);
    pthread_mutex_lock(&lock);
    entries++;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return entries == 2 ? 0 : 1;
}

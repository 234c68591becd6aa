// A log of two lines. Who finds it full flushes it, with the lock that append() holds.
// expect: proved
#include <pthread.h>

#define LINES 2
#define WRITERS 3

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int used, flushed;

static void flush(void)
{
    flushed += used;
    used = 0;
}

static void append(void)
{
    pthread_mutex_lock(&lock);
    if (used == LINES)
        flush();
    used++;
    pthread_mutex_unlock(&lock);
}

static void *work(void *unused)
{
    (void)unused;
    append();
    return NULL;
}

int main(void)
{
    pthread_t writers[WRITERS];
    for (int i = 0; i < WRITERS; i++)
        pthread_create(&writers[i], NULL, work, NULL);
    for (int i = 0; i < WRITERS; i++)
        pthread_join(writers[i], NULL);
    return used + flushed == WRITERS ? 0 : 1;
}

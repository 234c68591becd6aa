// A thread's log buffer is flushed by the destructor of a key, under a lock that the main thread has destroyed by
// then.
// expect: kind=mutex-misuse line=13 exit=1
#include <pthread.h>
#include <stdlib.h>

static pthread_key_t key;
static pthread_mutex_t lock;
static int lines;

static void flush(void *buffer)
{
    pthread_mutex_lock(&lock);
    lines += *(int *)buffer;
    pthread_mutex_unlock(&lock);
    free(buffer);
}

static void *worker(void *u)
{
    int *count = malloc(sizeof *count);
    *count = 1;
    pthread_setspecific(key, count);
    return u;
}

int main(void)
{
    pthread_t t;
    pthread_mutex_init(&lock, NULL);
    pthread_key_create(&key, flush);
    pthread_create(&t, NULL, worker, NULL);
    pthread_mutex_destroy(&lock);
    pthread_join(t, NULL);
    return lines != 1;
}

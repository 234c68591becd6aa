// Main adds one to a number, a new thread doubles it; each looks under a mutex and stores under it again. It becomes 5 only
// if the new thread is done before main looks.
//
// After the program of the SCALE thesis (section 6.5) whose bug Inspect misses. `--races allow` and `--races error` agree:
// all is protected.
#include <assert.h>
#include <pthread.h>

static int number = 2;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static int look(void)
{
    pthread_mutex_lock(&mutex);
    int seen = number;
    pthread_mutex_unlock(&mutex);
    return seen;
}

static void store(int value)
{
    pthread_mutex_lock(&mutex);
    number = value;
    pthread_mutex_unlock(&mutex);
}

static void *twice(void *unused)
{
    (void)unused;
    store(look() * 2);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, twice, NULL);
    store(look() + 1);
    pthread_join(thread, NULL);
    assert(number != 5);
    return 0;
}

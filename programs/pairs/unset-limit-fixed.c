// A worker obeys a limit that another thread sets, both under the lock. The limit has a value from the start.
// expect: proved
#include <pthread.h>
#include <stdlib.h>

struct options {
    int limit;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct options *options;
static int refused;

static void *configure(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    options->limit = 10;
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *work(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    if (options->limit < 5)
        refused++;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    options = calloc(1, sizeof *options);
    if (!options)
        return 1;
    pthread_t admin, worker;
    pthread_create(&admin, NULL, configure, NULL);
    pthread_create(&worker, NULL, work, NULL);
    pthread_join(admin, NULL);
    pthread_join(worker, NULL);
    free(options);
    return 0;
}

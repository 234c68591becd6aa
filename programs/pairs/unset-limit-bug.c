// A worker obeys a limit that another thread sets, both under the lock. The limit lies in memory from malloc; if the
// worker comes first, it decides by whatever is there.
// expect: kind=uninitialised-read line=28 exit=1
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
    options = malloc(sizeof *options);
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

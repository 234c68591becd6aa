// The settings are made when they are needed for the first time, with double-checked locking. The pointer to them is
// published before they are filled in: who looks without the lock at the wrong moment gets settings that are not
// ready.
// expect: kind=assertion line=34 exit=1
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

struct settings {
    atomic_int port;
};

static struct settings storage;
static _Atomic(struct settings *) current;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct settings *settings(void)
{
    if (!current) {
        pthread_mutex_lock(&lock);
        if (!current) {
            current = &storage;
            storage.port = 8080;
        }
        pthread_mutex_unlock(&lock);
    }
    return current;
}

static void *serve(void *unused)
{
    (void)unused;
    assert(settings()->port == 8080);
    return NULL;
}

int main(void)
{
    pthread_t servers[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&servers[i], NULL, serve, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(servers[i], NULL);
    return 0;
}

// A session is closed by one thread; a writer asks under the lock whether it is still there.
// expect: proved options=--leaks
#include <pthread.h>
#include <stdlib.h>

struct session {
    int sent;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct session *session;

static void *write_to_it(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    if (session)
        session->sent++;
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *close_it(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    free(session);
    session = NULL;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    session = calloc(1, sizeof *session);
    if (!session)
        return 1;
    pthread_t writer, closer;
    pthread_create(&writer, NULL, write_to_it, NULL);
    pthread_create(&closer, NULL, close_it, NULL);
    pthread_join(writer, NULL);
    pthread_join(closer, NULL);
    return 0;
}

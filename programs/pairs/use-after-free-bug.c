// A session is closed by one thread while another may still want to write to it. Both take the lock, but the writer
// does not ask whether the session is still there.
// expect: kind=use-after-free line=18 exit=1 options=--leaks
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
    session->sent++;
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *close_it(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    free(session);
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

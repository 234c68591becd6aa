// A promise lives on the stack of the one who waits; the one who keeps it signals before it lets the waiter go.
// expect: proved
#include <pthread.h>

struct promise { pthread_mutex_t lock; pthread_cond_t kept; int done; };

static void *keep(void *argument)
{
    struct promise *p = argument;
    pthread_mutex_lock(&p->lock);
    p->done = 1;
    pthread_cond_signal(&p->kept);
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

static void ask(void)
{
    struct promise p = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0};
    pthread_t t;
    pthread_create(&t, NULL, keep, &p);
    pthread_detach(t);
    pthread_mutex_lock(&p.lock);
    while (!p.done)
        pthread_cond_wait(&p.kept, &p.lock);
    pthread_mutex_unlock(&p.lock);
}

int main(void) { ask(); pthread_exit(NULL); }

// a lock is taken and given back by the head of two loops that go round once: nobody waits in them
#include <pthread.h>
#include <stdio.h>

#define LOCKED(mutex)                                                                                         \
    for (unsigned i = 0; i ? (pthread_mutex_unlock(&(mutex)), 0) : (pthread_mutex_lock(&(mutex)), 1); i = 1) \
        for (unsigned j = 0; !j; j = 1)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int done;

static void *work(void *unused)
{
    LOCKED(lock) {
        done++;
        if (done > 2)
            break;
        pthread_cond_signal(&changed);
    }
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, NULL);
    LOCKED(lock) {
        while (done < 2)
            pthread_cond_wait(&changed, &lock);
    }
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%d are done\n", done);
    return 0;
}

// a normal mutex unlocked by a thread that does not hold it
// expect: mutex-misuse 10
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *thief(void *arg) {
    (void)arg;
    pthread_mutex_unlock(&m); // BUG
    return NULL;
}

int main(void) {
    pthread_t t;
    pthread_mutex_lock(&m);
    pthread_create(&t, NULL, thief, NULL);
    pthread_join(t, NULL);
    return 0;
}

// a signal reaches a waiting thread that many others came before
#include <pthread.h>
#include <sched.h>
#include <stdio.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int before, waiting, ready;

static void *pass(void *arg) {
    before++;
    return arg;
}

static void *wait_for_it(void *arg) {
    pthread_mutex_lock(&mutex);
    waiting = 1;
    while (!ready)
        pthread_cond_wait(&changed, &mutex);
    pthread_mutex_unlock(&mutex);
    return arg;
}

int main(void) {
    pthread_t thread;
    for (int i = 0; i < 200; i++) {
        pthread_create(&thread, NULL, pass, NULL);
        pthread_join(thread, NULL);
    }
    pthread_create(&thread, NULL, wait_for_it, NULL);
    pthread_mutex_lock(&mutex);
    while (!waiting) {
        pthread_mutex_unlock(&mutex);
        sched_yield();
        pthread_mutex_lock(&mutex);
    }
    ready = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
    printf("%d before it\n", before);
    return 0;
}

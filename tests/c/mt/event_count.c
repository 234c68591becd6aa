// an event counter: threads await values that main advances step by step
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int value, waiting;

struct watcher {
    int target, seen_at_least;
};

static void *watch(void *arg) {
    struct watcher *w = arg;
    pthread_mutex_lock(&m);
    waiting++;
    pthread_cond_broadcast(&changed);
    while (value < w->target)
        pthread_cond_wait(&changed, &m);
    w->seen_at_least = value >= w->target;
    pthread_mutex_unlock(&m);
    return NULL;
}

int main(void) {
    pthread_t t[4];
    struct watcher w[4] = {{1, 0}, {2, 0}, {3, 0}, {3, 0}};
    for (int i = 0; i < 4; i++)
        pthread_create(&t[i], NULL, watch, &w[i]);
    pthread_mutex_lock(&m);
    while (waiting < 4)
        pthread_cond_wait(&changed, &m);
    pthread_mutex_unlock(&m);
    for (int i = 1; i <= 3; i++) {
        pthread_mutex_lock(&m);
        value = i;
        pthread_cond_broadcast(&changed);
        pthread_mutex_unlock(&m);
    }
    for (int i = 0; i < 4; i++) {
        pthread_join(t[i], NULL);
        printf("target %d reached %d\n", w[i].target, w[i].seen_at_least);
    }
    return 0;
}

// a computing loop with pthread_testcancel ends by cancellation; its handlers and key destructors run
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int rounds;
static pthread_key_t key;
static char order[8];
static int len;

static void note(void *arg) {
    order[len++] = *(char *)arg;
}

static void *work(void *arg) {
    pthread_setspecific(key, arg);
    pthread_cleanup_push(note, (void *)"a");
    pthread_cleanup_push(note, (void *)"b");
    for (;;) {
        atomic_fetch_add(&rounds, 1);
        pthread_testcancel();
        sched_yield();
    }
    pthread_cleanup_pop(0);
    pthread_cleanup_pop(0);
    return NULL;
}

int main(void) {
    pthread_t t;
    void *r;
    pthread_key_create(&key, note);
    pthread_create(&t, NULL, work, (void *)"k");
    while (atomic_load(&rounds) < 2)
        sched_yield();
    pthread_cancel(t);
    pthread_join(t, &r);
    printf("%s %d\n", order, r == PTHREAD_CANCELED);
    return 0;
}

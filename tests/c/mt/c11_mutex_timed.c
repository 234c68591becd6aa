// C11 timed mutexes: thrd_timedout while held by a thread that waits for us
#include <stdio.h>
#include <threads.h>
#include <time.h>

static mtx_t m, gate;
static cnd_t c;
static int held, release;

static int holder(void *arg) {
    (void)arg;
    mtx_lock(&m);
    mtx_lock(&gate);
    held = 1;
    cnd_signal(&c);
    while (!release)
        cnd_wait(&c, &gate);
    mtx_unlock(&gate);
    mtx_unlock(&m);
    return 5;
}

static struct timespec soon(void) {
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    t.tv_nsec += 1000000;
    if (t.tv_nsec >= 1000000000) {
        t.tv_sec++;
        t.tv_nsec -= 1000000000;
    }
    return t;
}

int main(void) {
    mtx_init(&m, mtx_timed);
    mtx_init(&gate, mtx_plain);
    cnd_init(&c);
    thrd_t t;
    thrd_create(&t, holder, NULL);
    mtx_lock(&gate);
    while (!held)
        cnd_wait(&c, &gate);
    mtx_unlock(&gate);
    struct timespec when = soon();
    printf("timed out %d\n", mtx_timedlock(&m, &when) == thrd_timedout);
    printf("busy %d\n", mtx_trylock(&m) == thrd_busy);
    mtx_lock(&gate);
    release = 1;
    cnd_signal(&c);
    mtx_unlock(&gate);
    int r;
    thrd_join(t, &r);
    when = soon();
    printf("result %d free %d\n", r, mtx_timedlock(&m, &when) == thrd_success);
    mtx_unlock(&m);
    mtx_destroy(&m);
    mtx_destroy(&gate);
    cnd_destroy(&c);
    return 0;
}

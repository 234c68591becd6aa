// C11 plain mutexes: lock, trylock, unlock, destroy
#include <stdio.h>
#include <threads.h>

static mtx_t m;
static int count;

static int add(void *arg) {
    for (int i = 0; i < 25; i++) {
        mtx_lock(&m);
        count += *(int *)arg;
        mtx_unlock(&m);
    }
    return 0;
}

static int try_it(void *arg) {
    (void)arg;
    int rc = mtx_trylock(&m);
    if (rc == thrd_success)
        mtx_unlock(&m);
    return rc;
}

int main(void) {
    thrd_t t[3];
    int step[3] = {1, 2, 3}, rc;
    printf("init %d\n", mtx_init(&m, mtx_plain) == thrd_success);
    for (int i = 0; i < 3; i++)
        thrd_create(&t[i], add, &step[i]);
    for (int i = 0; i < 3; i++)
        thrd_join(t[i], NULL);
    printf("%d\n", count);
    mtx_lock(&m);
    thrd_create(&t[0], try_it, NULL);
    thrd_join(t[0], &rc);
    printf("busy %d\n", rc == thrd_busy);
    mtx_unlock(&m);
    thrd_create(&t[0], try_it, NULL);
    thrd_join(t[0], &rc);
    printf("free %d\n", rc == thrd_success);
    mtx_destroy(&m);
    return 0;
}

// setcanceltype: deferred is the default and comes back as the old value
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

static void *work(void *arg) {
    int old = -1, ok = 0;
    ok += pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &old) == 0;
    ok += old == PTHREAD_CANCEL_DEFERRED;
    ok += pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &old) == 0;
    ok += old == PTHREAD_CANCEL_ENABLE;
    ok += pthread_setcancelstate(99, &old) == EINVAL;
    ok += pthread_setcanceltype(99, &old) == EINVAL;
    *(int *)arg = ok;
    return NULL;
}

int main(void) {
    pthread_t t;
    int ok;
    pthread_create(&t, NULL, work, &ok);
    pthread_join(t, NULL);
    printf("%d\n", ok);
    return 0;
}

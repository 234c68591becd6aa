// assertions in threads that hold under every schedule
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int low, high;

static void *raise_both(void *arg) {
    (void)arg;
    for (int i = 0; i < 20; i++) {
        atomic_fetch_add(&high, 1);
        int l = atomic_fetch_add(&low, 1);
        assert(l < atomic_load(&high));
    }
    return NULL;
}

int main(void) {
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        assert(pthread_create(&t[i], NULL, raise_both, NULL) == 0);
    for (int i = 0; i < 20; i++) {
        int l = atomic_load(&low);
        assert(l <= atomic_load(&high));
    }
    for (int i = 0; i < 3; i++)
        assert(pthread_join(t[i], NULL) == 0);
    assert(low == 60 && high == 60);
    printf("held\n");
    return 0;
}

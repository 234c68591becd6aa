// a thread overflows a buffer on its own stack
// expect: out-of-bounds 10 object buf
#include <pthread.h>
#include <stddef.h>

static void *work(void *arg) {
    char buf[16];
    int n = *(int *)arg;
    for (int i = 0; i < n; i++)
        buf[i] = (char)i; // BUG
    *(int *)arg = buf[3];
    return NULL;
}

int main(void) {
    pthread_t t;
    int n = 20;
    pthread_create(&t, NULL, work, &n);
    pthread_join(t, NULL);
    return 0;
}

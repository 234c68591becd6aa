// a thread that never ends while main joins it
// expect: limit 9
// options: --step-limit 1000000
#include <pthread.h>
#include <stddef.h>

static void *work(void *arg) {
    unsigned long n = 27;
    while (n != 0) n = n % 2 ? 3 * n + 1 : n / 2; // BUG
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    pthread_join(t, NULL);
    return 0;
}

// main joins a, a joins b, b joins main
// expect: deadlock 0
#include <pthread.h>
#include <stddef.h>

static pthread_t main_thread, b;

static void *joins_main(void *arg) {
    (void)arg;
    pthread_join(main_thread, NULL);
    return NULL;
}

static void *joins_b(void *arg) {
    (void)arg;
    pthread_join(b, NULL);
    return NULL;
}

int main(void) {
    main_thread = pthread_self();
    pthread_t a;
    pthread_create(&b, NULL, joins_main, NULL);
    pthread_create(&a, NULL, joins_b, NULL);
    pthread_join(a, NULL);
    return 0;
}

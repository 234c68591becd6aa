// a mutex initialised again while it is held
// expect: mutex-misuse 9
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t m;

static void setup(void) {
    pthread_mutex_init(&m, NULL); // BUG
}

int main(void) {
    setup();
    pthread_mutex_lock(&m);
    setup();
    pthread_mutex_unlock(&m);
    return 0;
}

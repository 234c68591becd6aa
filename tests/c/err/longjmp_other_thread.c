// longjmp with the buffer of another thread
// expect: crash 10 contains longjmp into another thread
#include <pthread.h>
#include <setjmp.h>
#include <stddef.h>

static jmp_buf env;

static void *work(void *arg) {
    longjmp(env, arg == NULL); // BUG
}

int main(void) {
    pthread_t thread;
    if (setjmp(env) == 0) {
        pthread_create(&thread, NULL, work, NULL);
        pthread_join(thread, NULL);
    }
    return 0;
}

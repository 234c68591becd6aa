// a thread is to run a function of two integers: the line of the one who creates it
// expect: crash 10 contains `pthread_create` is given `add`, which does not fit: it takes 2 arguments, but is called with 1
#include <pthread.h>

static int add(int a, int b) { return a + b; }

int main(void) {
    pthread_t thread;
    void *(*routine)(void *) = (void *(*)(void *))(void (*)(void))add;
    pthread_create(&thread, NULL, routine, NULL); // BUG
    return pthread_join(thread, NULL);
}

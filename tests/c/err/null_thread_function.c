// the function of a new thread is null: the line of the one who creates it
// expect: null-dereference 8 contains `pthread_create` is given a null pointer for a function
#include <pthread.h>

int main(void) {
    pthread_t thread;
    void *(*routine)(void *) = NULL;
    pthread_create(&thread, NULL, routine, NULL); // BUG
    return pthread_join(thread, NULL);
}

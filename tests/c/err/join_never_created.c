// a zero thread identifier joined
// expect: thread-misuse 9
#include <pthread.h>
#include <stddef.h>

static pthread_t worker;

int main(void) {
    pthread_join(worker, NULL); // BUG
    return 0;
}

// a recursive mutex locked a hundred times
// expect: none
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t m = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

int main(void) {
    int bad = 0;
    for (int i = 0; i < 100; i++)
        bad += pthread_mutex_lock(&m) != 0;
    for (int i = 0; i < 100; i++)
        bad += pthread_mutex_unlock(&m) != 0;
    bad += pthread_mutex_destroy(&m) != 0;
    printf("%d\n", bad);
    return 0;
}

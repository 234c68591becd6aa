// What the library does on its own (input, sleep, rand) is not shown.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static atomic_int n;
static void *worker(void *x) {
    char line[16];
    fgets(line, sizeof line, stdin);
    usleep(10);
    int v = n;
    printf("got %d\n", v);
    usleep(10);
    n = v + 1;
    rand();
    return x;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(n == 2);
}

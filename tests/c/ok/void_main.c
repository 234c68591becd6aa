// a main that takes what it likes, and a thread that gives nothing: not what the standard says, and fine in practice
// expect: none
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static void work(void *arg) { *(int *)arg += 1; }

void main(int argc) {
    int n = argc;
    pthread_t thread;
    pthread_create(&thread, NULL, (void *(*)(void *))work, &n);
    pthread_join(thread, NULL);
    printf("%d\n", n);
    exit(n);
}

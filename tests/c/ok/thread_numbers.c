// gettid: the main thread has the number of the process, the others have their own
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static void *number(void *to) {
    *(pid_t *)to = gettid();
    return NULL;
}

int main(void) {
    pid_t numbers[2];
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, number, &numbers[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("%d %d %d\n", gettid() == getpid(), numbers[0] != numbers[1], numbers[0] != getpid());
    return 0;
}

// What it reads was not given: a proof for the empty input says so at once.
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int lines;

static void *reader(void *arg) {
    char text[80];
    while (fgets(text, sizeof text, stdin)) {
        pthread_mutex_lock(&lock);
        lines++;
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, reader, NULL);
    pthread_mutex_lock(&lock);
    printf("%d lines so far\n", lines);
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    return 0;
}

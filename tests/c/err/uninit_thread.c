// a thread branches on a heap field that main forgot to set
// expect: uninitialised-read 13
#include <pthread.h>
#include <stdlib.h>

struct job {
    int input;
    int verbose;
};

static void *work(void *arg) {
    struct job *j = arg;
    if (j->verbose) // BUG
        j->input++;
    return NULL;
}

int main(void) {
    struct job *j = malloc(sizeof *j);
    j->input = 1;
    pthread_t t;
    pthread_create(&t, NULL, work, j);
    pthread_join(t, NULL);
    free(j);
    return 0;
}

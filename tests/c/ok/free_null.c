// free(NULL), also again and in a thread
// expect: none
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static void *work(void *arg) {
    free(arg);
    free(NULL);
    return NULL;
}

int main(void) {
    pthread_t t;
    free(NULL);
    free(NULL);
    pthread_create(&t, NULL, work, NULL);
    pthread_join(t, NULL);
    void *p = malloc(3);
    free(p);
    p = NULL;
    free(p);
    printf("done\n");
    return 0;
}

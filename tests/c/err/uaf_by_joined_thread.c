// a joined thread freed the object that main goes on to read
// expect: use-after-free 19
#include <pthread.h>
#include <stdlib.h>

static void *consume(void *arg) {
    int *p = arg;
    *p += 1;
    free(p);
    return NULL;
}

int main(void) {
    int *p = malloc(sizeof *p);
    *p = 1;
    pthread_t t;
    pthread_create(&t, NULL, consume, p);
    pthread_join(t, NULL);
    return *p; // BUG
}

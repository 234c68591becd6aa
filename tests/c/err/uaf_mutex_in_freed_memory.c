// a mutex locked after the object around it was freed
// expect: use-after-free 17
#include <pthread.h>
#include <stdlib.h>

struct guarded {
    int value;
    pthread_mutex_t m;
};

int main(void) {
    struct guarded *g = malloc(sizeof *g);
    pthread_mutex_init(&g->m, NULL);
    g->value = 1;
    pthread_mutex_destroy(&g->m);
    free(g);
    pthread_mutex_lock(&g->m); // BUG
    return 0;
}

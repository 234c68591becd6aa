// main frees while another thread waits to read: the order is forced by a condition variable
// expect: use-after-free 16
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int freed;

static void *late(void *arg) {
    pthread_mutex_lock(&m);
    while (!freed)
        pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
    char *text = arg;
    text[0] = 'x'; // BUG
    return NULL;
}

int main(void) {
    char *text = malloc(8);
    pthread_t t;
    pthread_create(&t, NULL, late, text);
    pthread_mutex_lock(&m);
    free(text);
    freed = 1;
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    pthread_join(t, NULL);
    return 0;
}

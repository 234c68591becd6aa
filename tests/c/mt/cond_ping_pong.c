// strict alternation of two threads by one condition variable
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int turn;

static void *player(void *arg) {
    const char *name = arg;
    int me = name[1] == 'o';
    for (int i = 0; i < 8; i++) {
        pthread_mutex_lock(&m);
        while (turn != me)
            pthread_cond_wait(&c, &m);
        printf("%s %d\n", name, i);
        turn = !me;
        pthread_cond_signal(&c);
        pthread_mutex_unlock(&m);
    }
    return NULL;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&b, NULL, player, (void *)"pong");
    pthread_create(&a, NULL, player, (void *)"ping");
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}

// pthread_exit from main: the other threads go on and the process ends with 0
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int turn;

static void *printer(void *arg) {
    int me = *(const int *)arg;
    pthread_mutex_lock(&m);
    while (turn != me)
        pthread_cond_wait(&c, &m);
    printf("thread %d\n", me);
    turn++;
    pthread_cond_broadcast(&c);
    pthread_mutex_unlock(&m);
    return NULL;
}

int main(void) {
    static const int id[3] = {1, 2, 3};
    pthread_t t;
    for (int i = 2; i >= 0; i--) {
        pthread_create(&t, NULL, printer, (void *)&id[i]);
        pthread_detach(t);
    }
    pthread_mutex_lock(&m);
    printf("main\n");
    turn = 1;
    pthread_cond_broadcast(&c);
    pthread_mutex_unlock(&m);
    pthread_exit((void *)5);
}

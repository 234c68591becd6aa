// threads that sleep for different times; the result does not depend on who wakes first
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int sum, arrived;

static void *work(void *arg) {
    int me = *(int *)arg;
    usleep((useconds_t)(me * 300 % 1000));
    pthread_mutex_lock(&m);
    sum += me * me;
    arrived++;
    pthread_mutex_unlock(&m);
    usleep(100);
    return NULL;
}

int main(void) {
    pthread_t t[5];
    int id[5];
    for (int i = 0; i < 5; i++) {
        id[i] = i + 1;
        pthread_create(&t[i], NULL, work, &id[i]);
    }
    for (int i = 0; i < 5; i++)
        pthread_join(t[i], NULL);
    printf("%d %d\n", sum, arrived);
    return 0;
}

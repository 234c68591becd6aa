// pthread_once: the function runs once, and everybody sees its effect
#include <pthread.h>
#include <stdio.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int runs, table[8];

static void init(void) {
    runs++;
    for (int i = 0; i < 8; i++)
        table[i] = i * i;
}

static void *use(void *arg) {
    int *sum = arg;
    for (int i = 0; i < 3; i++)
        pthread_once(&once, init);
    for (int i = 0; i < 8; i++)
        *sum += table[i];
    return NULL;
}

int main(void) {
    pthread_t t[4];
    int sum[4] = {0};
    for (int i = 0; i < 4; i++)
        pthread_create(&t[i], NULL, use, &sum[i]);
    for (int i = 0; i < 4; i++) {
        pthread_join(t[i], NULL);
        printf("%d\n", sum[i]);
    }
    printf("runs %d\n", runs);
    return 0;
}

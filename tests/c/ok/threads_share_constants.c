// several threads read the same globals, literals and tables without locks
// expect: none
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static const int table[6] = {2, 3, 5, 7, 11, 13};
static const char *text = "shared by all";
static int limit;

static void *work(void *arg) {
    int *sum = arg;
    for (int i = 0; i < limit; i++)
        *sum += table[i] * text[i];
    *sum += (int)strlen(text);
    return NULL;
}

int main(void) {
    pthread_t t[3];
    int sum[3] = {0};
    limit = 6;
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, work, &sum[i]);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    limit = 0;
    printf("%d %d %d\n", sum[0], sum[1], sum[2]);
    return 0;
}

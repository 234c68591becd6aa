// main's own result after the threads have computed it
#include <pthread.h>
#include <stdio.h>

static void *digits(void *arg) {
    int *n = arg, s = 0;
    for (int v = *n; v; v /= 10)
        s += v % 10;
    *n = s;
    return NULL;
}

int main(void) {
    pthread_t t[3];
    int n[3] = {12345, 99, 1000001};
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, digits, &n[i]);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    printf("%d %d %d\n", n[0], n[1], n[2]);
    return n[0] + n[1] + n[2];
}

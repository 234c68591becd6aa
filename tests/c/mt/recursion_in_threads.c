// deep recursion and variable-length arrays on the stacks of several threads
#include <pthread.h>
#include <stdio.h>

static int ackermann(int m, int n) {
    return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

static int triangle(int n) {
    int row[n];
    for (int i = 0; i < n; i++)
        row[i] = i + 1;
    return n == 1 ? row[0] : row[n - 1] + triangle(n - 1);
}

static void *work(void *arg) {
    int n = *(int *)arg;
    *(int *)arg = ackermann(2, n) * 1000 + triangle(n * 5);
    return NULL;
}

int main(void) {
    pthread_t t[3];
    int n[3] = {2, 4, 6};
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, work, &n[i]);
    for (int i = 0; i < 3; i++) {
        pthread_join(t[i], NULL);
        printf("%d\n", n[i]);
    }
    return 0;
}

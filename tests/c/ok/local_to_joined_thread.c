// the address of a local given to a thread that is joined before the function returns
// expect: none
#include <pthread.h>
#include <stdio.h>

static void *fill(void *arg) {
    int *a = arg;
    for (int i = 0; i < 4; i++)
        a[i] = i + 1;
    return &a[3];
}

static int run(void) {
    int local[4];
    pthread_t t;
    void *last;
    pthread_create(&t, NULL, fill, local);
    pthread_join(t, &last);
    return local[0] + local[1] + local[2] + *(int *)last;
}

int main(void) {
    printf("%d\n", run());
    printf("%d\n", run());
    return 0;
}

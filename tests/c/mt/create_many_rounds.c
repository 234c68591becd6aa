// many short threads one after the other: identifiers and stacks are used again
#include <pthread.h>
#include <stdio.h>

static int total;

static void *add(void *arg) {
    int buf[64];
    for (int i = 0; i < 64; i++)
        buf[i] = i + *(int *)arg;
    total += buf[63];
    return &total;
}

int main(void) {
    for (int i = 0; i < 40; i++) {
        pthread_t t;
        void *r;
        pthread_create(&t, NULL, add, &i);
        pthread_join(t, &r);
        if (r != &total)
            return 1;
    }
    printf("%d\n", total);
    return 0;
}

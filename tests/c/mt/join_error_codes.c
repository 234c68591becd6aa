// what create and join return for the threads of a normal life
#include <pthread.h>
#include <stdio.h>

static void *identity(void *arg) {
    return arg;
}

int main(void) {
    pthread_t t;
    int x = 0;
    void *r = &x;
    printf("create %d", pthread_create(&t, NULL, identity, NULL));
    printf(" join %d", pthread_join(t, &r));
    printf(" null %d\n", r == NULL);
    printf("create %d", pthread_create(&t, NULL, identity, &x));
    printf(" join %d", pthread_join(t, &r));
    printf(" same %d\n", r == &x);
    printf("create %d", pthread_create(&t, NULL, identity, (void *)-1));
    printf(" join %d", pthread_join(t, &r));
    printf(" minus one %d cancelled looks alike %d\n", r == (void *)-1, r == PTHREAD_CANCELED);
    return 0;
}

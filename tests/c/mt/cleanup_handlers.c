// cleanup handlers run in reverse order on pthread_exit; pop with 1 runs, with 0 does not
#include <pthread.h>
#include <stdio.h>

static void say(void *text) {
    printf("cleanup %s\n", (const char *)text);
}

static void inner(int leave) {
    pthread_cleanup_push(say, (void *)"inner");
    if (leave)
        pthread_exit((void *)"left");
    pthread_cleanup_pop(0);
}

static void *work(void *arg) {
    pthread_cleanup_push(say, (void *)"outer");
    pthread_cleanup_push(say, (void *)"popped with 1");
    pthread_cleanup_pop(1);
    pthread_cleanup_push(say, (void *)"popped with 0");
    pthread_cleanup_pop(0);
    inner(*(int *)arg);
    printf("not left\n");
    pthread_cleanup_pop(1);
    return (void *)"returned";
}

int main(void) {
    for (int leave = 0; leave < 2; leave++) {
        pthread_t t;
        void *r;
        pthread_create(&t, NULL, work, &leave);
        pthread_join(t, &r);
        printf("%s\n", (char *)r);
    }
    return 0;
}

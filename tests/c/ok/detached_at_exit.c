// detached threads that are blocked, asleep or have not begun when main returns
// expect: none
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <unistd.h>

static sem_t never;

static void *blocked(void *arg) {
    (void)arg;
    sem_wait(&never);
    return NULL;
}

static void *asleep(void *arg) {
    (void)arg;
    for (;;)
        sleep(100);
}

int main(void) {
    static pthread_t t[4];
    sem_init(&never, 0, 0);
    for (int i = 0; i < 4; i++) {
        pthread_create(&t[i], NULL, i % 2 ? blocked : asleep, NULL);
        pthread_detach(t[i]);
    }
    printf("main returns\n");
    return 6;
}

// semaphores: init, post, wait, trywait with EAGAIN, getvalue, destroy
#include <errno.h>
#include <semaphore.h>
#include <stdio.h>

static sem_t s;

static int value(void) {
    int v = -1;
    sem_getvalue(&s, &v);
    return v;
}

int main(void) {
    printf("init %d\n", sem_init(&s, 0, 2));
    printf("value %d\n", value());
    printf("wait %d\n", sem_wait(&s));
    printf("value %d\n", value());
    printf("try %d\n", sem_trywait(&s));
    errno = 0;
    int rc = sem_trywait(&s);
    printf("try %d EAGAIN %d\n", rc, errno == EAGAIN);
    printf("value %d\n", value());
    sem_post(&s);
    sem_post(&s);
    sem_post(&s);
    printf("value %d\n", value());
    printf("destroy %d\n", sem_destroy(&s));
    return 0;
}

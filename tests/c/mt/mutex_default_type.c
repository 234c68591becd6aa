// attributes of mutexes: the default type, sharing and protocol, an unknown type is refused
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

int main(void) {
    pthread_mutexattr_t attr;
    int type = -1, shared = -1;
    printf("init %d\n", pthread_mutexattr_init(&attr));
    pthread_mutexattr_gettype(&attr, &type);
    printf("default %d\n", type == PTHREAD_MUTEX_DEFAULT);
    pthread_mutexattr_getpshared(&attr, &shared);
    printf("private %d\n", shared == PTHREAD_PROCESS_PRIVATE);
    printf("unknown %d\n", pthread_mutexattr_settype(&attr, 1000) == EINVAL);
    pthread_mutexattr_gettype(&attr, &type);
    printf("unchanged %d\n", type == PTHREAD_MUTEX_DEFAULT);
    printf("destroy %d\n", pthread_mutexattr_destroy(&attr));
    return 0;
}

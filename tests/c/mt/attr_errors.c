// thread attributes: values that the setters refuse leave the attribute as it was
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

int main(void) {
    pthread_attr_t attr;
    size_t before, after;
    int state;
    pthread_attr_init(&attr);
    pthread_attr_getstacksize(&attr, &before);
    printf("tiny stack %d\n", pthread_attr_setstacksize(&attr, 16) == EINVAL);
    pthread_attr_getstacksize(&attr, &after);
    printf("unchanged %d\n", before == after);
    printf("bad state %d\n", pthread_attr_setdetachstate(&attr, 1234) == EINVAL);
    pthread_attr_getdetachstate(&attr, &state);
    printf("still joinable %d\n", state == PTHREAD_CREATE_JOINABLE);
    printf("destroy %d\n", pthread_attr_destroy(&attr));
    return 0;
}

// barriers for one thread never block; a count of 0 is refused
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

int main(void) {
    pthread_barrier_t b;
    printf("zero %d\n", pthread_barrier_init(&b, NULL, 0) == EINVAL);
    printf("one %d\n", pthread_barrier_init(&b, NULL, 1));
    for (int i = 0; i < 3; i++)
        printf("serial %d\n", pthread_barrier_wait(&b) == PTHREAD_BARRIER_SERIAL_THREAD);
    printf("destroy %d\n", pthread_barrier_destroy(&b));
    return 0;
}

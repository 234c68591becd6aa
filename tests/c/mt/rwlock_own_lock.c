// a thread that asks for a rwlock which it holds for writing gets EDEADLK or EBUSY
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;

int main(void) {
    printf("wr %d\n", pthread_rwlock_wrlock(&l));
    printf("wr again %d\n", pthread_rwlock_wrlock(&l) == EDEADLK);
    printf("rd %d\n", pthread_rwlock_rdlock(&l) == EDEADLK);
    printf("try %d\n", pthread_rwlock_trywrlock(&l) == EBUSY);
    printf("try %d\n", pthread_rwlock_tryrdlock(&l) == EBUSY);
    printf("unlock %d\n", pthread_rwlock_unlock(&l));
    printf("rd %d\n", pthread_rwlock_rdlock(&l));
    printf("rd again %d\n", pthread_rwlock_rdlock(&l));
    printf("try %d\n", pthread_rwlock_trywrlock(&l) == EBUSY);
    pthread_rwlock_unlock(&l);
    pthread_rwlock_unlock(&l);
    printf("try %d\n", pthread_rwlock_trywrlock(&l));
    pthread_rwlock_unlock(&l);
    return 0;
}

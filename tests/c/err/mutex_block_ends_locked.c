// a block ends while a read-write lock among its variables is held
// expect: mutex-misuse 13 contains local variable `guard` of `main` ends its life while it is locked
#include <pthread.h>
#include <stdio.h>

int main(void) {
    int sum = 0;
    for (int i = 0; i < 3; i++) {
        pthread_rwlock_t guard;
        pthread_rwlock_init(&guard, NULL);
        pthread_rwlock_rdlock(&guard);
        sum += i;
    } // BUG
    printf("%d\n", sum);
    return 0;
}

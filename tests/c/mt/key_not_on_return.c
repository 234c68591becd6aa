// return from main does not run the destructors of main's thread-specific data
#include <pthread.h>
#include <stdio.h>

static pthread_key_t key;

static void show(void *p) {
    printf("not printed %p\n", p);
}

int main(void) {
    pthread_key_create(&key, show);
    pthread_setspecific(key, &key);
    printf("set %d\n", pthread_getspecific(key) == &key);
    return 4;
}

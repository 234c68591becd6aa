// several keys: some without destructor, one destructor sets another key, a deleted key is not destroyed
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

static pthread_key_t plain, first, second, gone;
static int log_of[8], len;

static void drop_first(void *p) {
    log_of[len++] = 100 + (int)(intptr_t)p;
    pthread_setspecific(second, (void *)(intptr_t)7);
}

static void drop_second(void *p) {
    log_of[len++] = 200 + (int)(intptr_t)p;
}

static void drop_gone(void *p) {
    log_of[len++] = 300 + (int)(intptr_t)p;
}

static void *work(void *arg) {
    (void)arg;
    pthread_setspecific(plain, (void *)(intptr_t)1);
    pthread_setspecific(first, (void *)(intptr_t)2);
    pthread_setspecific(gone, (void *)(intptr_t)3);
    pthread_key_delete(gone);
    return pthread_getspecific(plain);
}

int main(void) {
    pthread_key_create(&plain, NULL);
    pthread_key_create(&first, drop_first);
    pthread_key_create(&second, drop_second);
    pthread_key_create(&gone, drop_gone);
    pthread_t t;
    void *r;
    pthread_create(&t, NULL, work, NULL);
    pthread_join(t, &r);
    printf("plain %ld\n", (long)(intptr_t)r);
    for (int i = 0; i < len; i++)
        printf("%d\n", log_of[i]);
    pthread_key_t again;
    pthread_key_create(&again, NULL);
    printf("fresh key is null %d\n", pthread_getspecific(again) == NULL);
    return 0;
}

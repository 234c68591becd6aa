// tryrdlock and trywrlock against a reader, a writer and nobody
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

static pthread_rwlock_t lock;

struct result {
    int rd, wr;
};

static void *try_both(void *arg) {
    struct result *r = arg;
    r->rd = pthread_rwlock_tryrdlock(&lock);
    if (r->rd == 0)
        pthread_rwlock_unlock(&lock);
    r->wr = pthread_rwlock_trywrlock(&lock);
    if (r->wr == 0)
        pthread_rwlock_unlock(&lock);
    return NULL;
}

static void from_another_thread(const char *when) {
    struct result r;
    pthread_t t;
    pthread_create(&t, NULL, try_both, &r);
    pthread_join(t, NULL);
    printf("%s: rd %s wr %s\n", when, r.rd == EBUSY ? "busy" : r.rd == 0 ? "ok" : "?",
           r.wr == EBUSY ? "busy" : r.wr == 0 ? "ok" : "?");
}

int main(void) {
    pthread_rwlock_init(&lock, NULL);
    from_another_thread("free");
    pthread_rwlock_rdlock(&lock);
    from_another_thread("one reader");
    pthread_rwlock_rdlock(&lock);
    from_another_thread("two readers");
    pthread_rwlock_unlock(&lock);
    from_another_thread("one reader again");
    pthread_rwlock_unlock(&lock);
    pthread_rwlock_wrlock(&lock);
    from_another_thread("writer");
    pthread_rwlock_unlock(&lock);
    from_another_thread("free again");
    printf("destroy %d\n", pthread_rwlock_destroy(&lock));
    return 0;
}

// A read-write lock guards a table. Looking something up also counts the look-ups, under the read lock, which many
// may hold at once.
// expect: kind=data-race line=14 exit=1
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int table[4] = {3, 1, 4, 1};
static int look_ups;

static void *look_up(void *answer)
{
    pthread_rwlock_rdlock(&lock);
    *(int *)answer = table[2];
    look_ups++;
    pthread_rwlock_unlock(&lock);
    return NULL;
}

int main(void)
{
    static int answers[2];
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, look_up, &answers[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return answers[0] + answers[1] == 8 ? 0 : 1;
}

// Two threads set the mutex up when they find that nobody has. Both may find that, and the second one makes a fresh
// mutex of one that is held.
// expect: kind=mutex-misuse|data-race line=15|24|26 exit=1
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

static pthread_mutex_t lock;
static atomic_bool is_set_up;
static atomic_int entries;

static void set_up(void)
{
    if (!is_set_up) {
        pthread_mutex_init(&lock, NULL);
        is_set_up = true;
    }
}

static void *work(void *unused)
{
    (void)unused;
    set_up();
    pthread_mutex_lock(&lock);
    entries++;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return entries == 2 ? 0 : 1;
}

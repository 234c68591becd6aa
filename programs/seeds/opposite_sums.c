// Two threads in loops: one adds to a number, the other subtracts from it, each change under the same mutex or, with
// -DATOMIC, as one operation. Few states, very many schedules.
//
// After example1 of the paper on stateful dynamic partial order reduction by Yang, Chen, Gopalakrishnan and Kirby (2008,
// figure 1 and table 1). How fast the second thread counts is lost in print; the assertion fails for some values.
// `--races allow` and `--races error` agree: all is protected.
//     -DN=n -DI=i -DJ=j -DATOMIC
#include <assert.h>
#include <pthread.h>
#include <threadbare.h>

#ifndef N
#define N 64
#endif
#ifndef I
#define I 5
#endif
#ifndef J
#define J 5
#endif

static int sum;

#ifdef ATOMIC
#define begin() tb_atomic_begin()
#define end() tb_atomic_end()
#else
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
#define begin() pthread_mutex_lock(&mutex)
#define end() pthread_mutex_unlock(&mutex)
#endif

static void change(int by)
{
    begin();
    int now = sum + by;
    sum = now;
    assert(now % 5 != 4);
    end();
}

static void *subtract(void *unused)
{
    (void)unused;
    for (int j = 0; j < N; j += J)
        change(-j);
    return NULL;
}

static void *add(void *unused)
{
    (void)unused;
    for (int i = 0; i < N; i += I)
        change(i);
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, add, NULL);
    pthread_create(&threads[1], NULL, subtract, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}

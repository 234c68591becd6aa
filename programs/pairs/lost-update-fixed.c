// Two tellers pay 10 into one account, in one atomic operation each.
// expect: proved
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int balance = 100;

static void *pay_in(void *unused)
{
    (void)unused;
    atomic_fetch_add(&balance, 10);
    return NULL;
}

int main(void)
{
    pthread_t tellers[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&tellers[i], NULL, pay_in, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(tellers[i], NULL);
    assert(balance == 120);
    return 0;
}

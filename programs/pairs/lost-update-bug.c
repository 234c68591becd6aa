// Two tellers pay 10 into one account. The balance is atomic, but reading it and writing it back are two operations:
// both may read the same balance, and one of the payments is lost.
// expect: kind=assertion line=25 exit=1
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int balance = 100;

static void *pay_in(void *unused)
{
    (void)unused;
    int seen = balance;
    balance = seen + 10;
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

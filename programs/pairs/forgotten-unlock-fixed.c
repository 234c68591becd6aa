// Withdrawals from one account. The lock is given back on the error path, too.
// expect: proved
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int balance = 100;

static int withdraw(int amount)
{
    pthread_mutex_lock(&lock);
    if (amount > balance) {
        pthread_mutex_unlock(&lock);
        return -1;
    }
    balance -= amount;
    pthread_mutex_unlock(&lock);
    return 0;
}

static void *spend(void *amount)
{
    withdraw(*(int *)amount);
    return NULL;
}

int main(void)
{
    static int amounts[3] = {60, 30, 50};
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, spend, &amounts[i]);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}

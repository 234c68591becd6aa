// A withdrawal unlocks once, in the end.
// expect: proved
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int balance = 100, refused;

static void *withdraw(void *argument)
{
    int amount = *(int *)argument;
    pthread_mutex_lock(&lock);
    if (amount > balance) {
        refused++;
    } else {
        balance -= amount;
    }
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *pay_in(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    balance += 50;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    static int amount = 120;
    pthread_t customer, employer;
    pthread_create(&customer, NULL, withdraw, &amount);
    pthread_create(&employer, NULL, pay_in, NULL);
    pthread_join(customer, NULL);
    pthread_join(employer, NULL);
    return 0;
}

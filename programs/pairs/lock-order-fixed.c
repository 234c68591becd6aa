// Two transfers in opposite directions between two accounts, with a lock each. Both take the locks in the order of
// the accounts.
// expect: proved
#include <pthread.h>

struct account {
    pthread_mutex_t lock;
    int balance;
};

static struct account accounts[2] = {{PTHREAD_MUTEX_INITIALIZER, 100}, {PTHREAD_MUTEX_INITIALIZER, 100}};

static void transfer(int from, int to, int amount)
{
    int first = from < to ? from : to;
    pthread_mutex_lock(&accounts[first].lock);
    pthread_mutex_lock(&accounts[1 - first].lock);
    accounts[from].balance -= amount;
    accounts[to].balance += amount;
    pthread_mutex_unlock(&accounts[to].lock);
    pthread_mutex_unlock(&accounts[from].lock);
}

static void *there(void *unused)
{
    (void)unused;
    transfer(0, 1, 30);
    return NULL;
}

static void *back(void *unused)
{
    (void)unused;
    transfer(1, 0, 20);
    return NULL;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, there, NULL);
    pthread_create(&two, NULL, back, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return accounts[0].balance == 90 ? 0 : 1;
}

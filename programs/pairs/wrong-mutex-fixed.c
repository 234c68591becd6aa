// The stock of a shop is filled up and sold from under the same mutex.
// expect: proved
#include <pthread.h>

static pthread_mutex_t shop = PTHREAD_MUTEX_INITIALIZER;
static int stock = 5;

static void *deliver(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&shop);
    stock += 10;
    pthread_mutex_unlock(&shop);
    return NULL;
}

static void *sell(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&shop);
    stock -= 1;
    pthread_mutex_unlock(&shop);
    return NULL;
}

int main(void)
{
    pthread_t supplier, cashier;
    pthread_create(&supplier, NULL, deliver, NULL);
    pthread_create(&cashier, NULL, sell, NULL);
    pthread_join(supplier, NULL);
    pthread_join(cashier, NULL);
    return stock == 14 ? 0 : 1;
}

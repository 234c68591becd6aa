// The stock of a shop is filled up under one mutex and sold from under another: both lock, but not each other out.
// expect: kind=data-race line=13|22 exit=1
#include <pthread.h>

static pthread_mutex_t delivery = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t sale = PTHREAD_MUTEX_INITIALIZER;
static int stock = 5;

static void *deliver(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&delivery);
    stock += 10;
    pthread_mutex_unlock(&delivery);
    return NULL;
}

static void *sell(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&sale);
    stock -= 1;
    pthread_mutex_unlock(&sale);
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

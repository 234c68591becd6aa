// Three customers, two seats. A seat is taken by a compare-exchange: the check and the act are one operation.
// expect: proved
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#define CUSTOMERS 3

static atomic_int seats = 2;
static atomic_int sold;

static bool take_seat(void)
{
    int left = seats;
    while (left > 0)
        if (atomic_compare_exchange_strong(&seats, &left, left - 1))
            return true;
    return false;
}

static void *customer(void *unused)
{
    (void)unused;
    if (take_seat())
        atomic_fetch_add(&sold, 1);
    return NULL;
}

int main(void)
{
    pthread_t customers[CUSTOMERS];
    for (int i = 0; i < CUSTOMERS; i++)
        pthread_create(&customers[i], NULL, customer, NULL);
    for (int i = 0; i < CUSTOMERS; i++)
        pthread_join(customers[i], NULL);
    assert(seats == 0 && sold == 2);
    return 0;
}

// Three customers, two seats. Each customer looks whether a seat is left and then takes it; between the two steps
// somebody else may take the last one.
// expect: kind=assertion line=37 exit=1
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#define CUSTOMERS 3

static atomic_int seats = 2;
static atomic_int sold;

static bool take_seat(void)
{
    if (seats == 0)
        return false;
    atomic_fetch_sub(&seats, 1);
    return true;
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

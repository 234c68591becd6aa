/*
 * Three philosophers, each with a fork at the left. They say grace together, and so each of them holds one fork when
 * all of them reach for the other: every run of this program ends in a deadlock. Natively it just hangs; Threadbare
 * says who holds what and who waits for whom.
 *
 *   threadbare run examples/deadlock.c
 */
#include <pthread.h>
#include <stdio.h>

enum { PHILOSOPHERS = 3 };

static pthread_mutex_t forks[PHILOSOPHERS] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
                                              PTHREAD_MUTEX_INITIALIZER};
static pthread_barrier_t grace;

static void *dine(void *argument)
{
    int seat = *(int *)argument;
    pthread_mutex_t *left = &forks[seat];
    pthread_mutex_t *right = &forks[(seat + 1) % PHILOSOPHERS];

    pthread_mutex_lock(left);
    pthread_barrier_wait(&grace);
    pthread_mutex_lock(right);
    printf("philosopher %d eats\n", seat);
    pthread_mutex_unlock(right);
    pthread_mutex_unlock(left);
    return NULL;
}

int main(void)
{
    pthread_t table[PHILOSOPHERS];
    int seats[PHILOSOPHERS];

    pthread_barrier_init(&grace, NULL, PHILOSOPHERS);
    for (int i = 0; i < PHILOSOPHERS; i++) {
        seats[i] = i;
        pthread_create(&table[i], NULL, dine, &seats[i]);
    }
    for (int i = 0; i < PHILOSOPHERS; i++)
        pthread_join(table[i], NULL);
    printf("everybody has eaten\n");
    return 0;
}

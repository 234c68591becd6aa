// a bank with a lock per account, always taken in the order of their addresses' indices
#include <pthread.h>
#include <stdio.h>

enum { ACCOUNTS = 4, THREADS = 3 };

static struct account {
    pthread_mutex_t m;
    long balance;
} bank[ACCOUNTS];

static void transfer(int from, int to, long amount) {
    int first = from < to ? from : to, second = from < to ? to : from;
    pthread_mutex_lock(&bank[first].m);
    pthread_mutex_lock(&bank[second].m);
    bank[from].balance -= amount;
    bank[to].balance += amount;
    pthread_mutex_unlock(&bank[first].m);
    pthread_mutex_unlock(&bank[second].m);
}

static void *client(void *arg) {
    int me = *(int *)arg;
    for (int i = 0; i < 12; i++) {
        int from = (me + i) % ACCOUNTS;
        transfer(from, (from + 1 + i % 3) % ACCOUNTS, me * 10 + i);
    }
    return NULL;
}

int main(void) {
    pthread_t t[THREADS];
    int id[THREADS] = {1, 2, 3};
    long total = 0;
    for (int i = 0; i < ACCOUNTS; i++) {
        pthread_mutex_init(&bank[i].m, NULL);
        bank[i].balance = 1000;
    }
    for (int i = 0; i < THREADS; i++)
        pthread_create(&t[i], NULL, client, &id[i]);
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    for (int i = 0; i < ACCOUNTS; i++) {
        total += bank[i].balance;
        printf("%ld ", bank[i].balance);
    }
    printf("total %ld\n", total);
    return 0;
}

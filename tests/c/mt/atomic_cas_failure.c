// a failing compare-and-swap stores what it saw; exactly one of several wins
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>

enum { N = 5 };

static atomic_int leader = -1;
static int saw[N];
static bool won[N];

static void *run(void *arg) {
    int me = (int)((int *)arg - saw);
    int expected = -1;
    won[me] = atomic_compare_exchange_strong(&leader, &expected, me);
    saw[me] = won[me] ? me : expected;
    return NULL;
}

int main(void) {
    pthread_t t[N];
    for (int i = 0; i < N; i++)
        pthread_create(&t[i], NULL, run, &saw[i]);
    int winners = 0, agree = 0;
    for (int i = 0; i < N; i++)
        pthread_join(t[i], NULL);
    for (int i = 0; i < N; i++) {
        winners += won[i];
        agree += saw[i] == leader;
    }
    printf("winners %d agree %d\n", winners, agree);
    return 0;
}

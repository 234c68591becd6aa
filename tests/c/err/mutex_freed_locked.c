// free of memory that holds a locked mutex, which nobody uses any more
// expect: mutex-misuse 19 contains heap object + 8 is freed while it is locked
#include <pthread.h>
#include <stdlib.h>

struct account {
    long balance;
    pthread_mutex_t guard;
};

int main(void) {
    struct account *account = malloc(sizeof *account);
    if (account == NULL)
        return 1;
    account->balance = 3;
    pthread_mutex_init(&account->guard, NULL);
    pthread_mutex_lock(&account->guard);
    account->balance++;
    free(account); // BUG
    return 0;
}

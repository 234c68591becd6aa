// main returns while its own locks are held: the process ends, and with it everything
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct guarded {
    int value;
    pthread_mutex_t guard;
};

int main(int argc, char **argv) {
    (void)argv;
    pthread_mutex_t outer = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&outer);
    struct guarded *kept = malloc(sizeof *kept);
    if (kept == NULL)
        return 1;
    pthread_mutex_init(&kept->guard, NULL);
    pthread_mutex_lock(&kept->guard);
    for (int i = 0; i < 2; i++) {
        pthread_mutex_t inner = PTHREAD_MUTEX_INITIALIZER;
        pthread_mutex_lock(&inner);
        kept->value = i;
        if (i == argc) {
            printf("early\n");
            return 0;
        }
        pthread_mutex_unlock(&inner);
    }
    // released, and free to go
    struct guarded *gone = malloc(sizeof *gone);
    if (gone == NULL)
        return 1;
    pthread_mutex_init(&gone->guard, NULL);
    pthread_mutex_lock(&gone->guard);
    pthread_mutex_unlock(&gone->guard);
    free(gone);
    printf("late\n");
    return 0;
}

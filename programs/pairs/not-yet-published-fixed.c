// A logger asks the connection that another thread opens for its number. It waits on a semaphore until there is one.
// expect: proved options=--leaks
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>

struct connection {
    int number;
};

static _Atomic(struct connection *) connection;
static sem_t opened;

static void *open_it(void *unused)
{
    (void)unused;
    struct connection *c = malloc(sizeof *c);
    if (!c)
        abort();
    c->number = 7;
    connection = c;
    sem_post(&opened);
    return NULL;
}

static void *log_it(void *number)
{
    sem_wait(&opened);
    *(int *)number = connection->number;
    return NULL;
}

int main(void)
{
    static int logged;
    pthread_t opener, logger;
    sem_init(&opened, 0, 0);
    pthread_create(&opener, NULL, open_it, NULL);
    pthread_create(&logger, NULL, log_it, &logged);
    pthread_join(opener, NULL);
    pthread_join(logger, NULL);
    free(connection);
    return logged == 7 ? 0 : 1;
}

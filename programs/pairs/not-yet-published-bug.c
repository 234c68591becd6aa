// A logger asks the connection that another thread opens for its number. Nothing makes it wait until there is a
// connection.
// expect: kind=null-dereference line=27 exit=1 options=--leaks
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct connection {
    int number;
};

static _Atomic(struct connection *) connection;

static void *open_it(void *unused)
{
    (void)unused;
    struct connection *c = malloc(sizeof *c);
    if (!c)
        abort();
    c->number = 7;
    connection = c;
    return NULL;
}

static void *log_it(void *number)
{
    *(int *)number = connection->number;
    return NULL;
}

int main(void)
{
    static int logged;
    pthread_t opener, logger;
    pthread_create(&opener, NULL, open_it, NULL);
    pthread_create(&logger, NULL, log_it, &logged);
    pthread_join(opener, NULL);
    pthread_join(logger, NULL);
    free(connection);
    return logged == 7 ? 0 : 1;
}

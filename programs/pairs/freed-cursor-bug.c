// A parser moves a cursor through its input; a second thread ends the work and frees the input. It frees it by the
// cursor: right as long as the parser has not started.
// expect: kind=invalid-free line=26 exit=1
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *input, *cursor;

static void *parse(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    if (cursor)
        while (*cursor == ' ')
            cursor++;
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *finish(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    free(cursor);
    cursor = NULL;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    input = malloc(8);
    if (!input)
        return 1;
    strcpy(input, "  text");
    cursor = input;
    pthread_t parser, finisher;
    pthread_create(&parser, NULL, parse, NULL);
    pthread_create(&finisher, NULL, finish, NULL);
    pthread_join(parser, NULL);
    pthread_join(finisher, NULL);
    return 0;
}

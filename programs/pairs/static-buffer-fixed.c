// A function returns a pointer to a buffer that every thread has for itself.
// expect: proved
#include <assert.h>
#include <pthread.h>
#include <string.h>

static char *name_of(int n)
{
    static _Thread_local char buffer[8];
    strcpy(buffer, n ? "one" : "none");
    return buffer;
}

static void *first(void *u) { assert(strcmp(name_of(0), "none") == 0); return u; }
static void *second(void *u) { assert(strcmp(name_of(1), "one") == 0); return u; }

int main(void)
{
    pthread_t s, t;
    pthread_create(&s, NULL, first, NULL);
    pthread_create(&t, NULL, second, NULL);
    pthread_join(s, NULL);
    pthread_join(t, NULL);
    return 0;
}

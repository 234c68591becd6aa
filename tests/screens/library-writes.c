// Who wrote what it read: a library function, for a thread. Of the array, the element that matters is shown.
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char name[32] = "nobody";
static struct { int low, high; } range = {1, 9};

static void *renamer(void *arg) {
    pthread_mutex_lock(&lock);
    memset(&range, 0, sizeof range);
    strcpy(name, arg);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, renamer, "somebody");
    pthread_mutex_lock(&lock);
    for (int i = 0; i < 3; i++)
        assert(name[i] == "nobody"[i] && range.high == 9);
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    return 0;
}

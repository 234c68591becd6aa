// who locks a mutex again deep in its calls: the calls are told
// expect: deadlock 9 contains called from contains in `save` contains in `main`
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int saved;

static void enter(void) {
    pthread_mutex_lock(&lock); // BUG
}

static void save(void) {
    enter();
    saved++;
}

int main(void) {
    save();
    save();
    return saved;
}

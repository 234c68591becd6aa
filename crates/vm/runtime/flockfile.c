/* Locks of streams. Only a program that names them has them: then whoever uses a stream waits for the thread that holds it. */
#include "tb_pthread.h"

static pthread_mutex_t standard[3] = {PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP, PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP,
                                      PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP};

/* A stream that the program has opened brings its lock with it. */
static pthread_mutex_t *lock_of(FILE *file)
{
    return tb_is_own(file) ? (pthread_mutex_t *)file->_lock : &standard[file->_fileno];
}

void flockfile(FILE *file) { __tb_mutex_lock(lock_of(file)); }
int ftrylockfile(FILE *file) { return __tb_mutex_trylock(lock_of(file)); }
void funlockfile(FILE *file) { __tb_mutex_unlock(lock_of(file)); }

void __tbi_await_stream(FILE *file)
{
    flockfile(file);
    funlockfile(file);
}

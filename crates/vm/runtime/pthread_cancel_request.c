/* Cancelling threads, and what only programs that do so need: elsewhere, files and streams are no cancellation points, and cost
 * nothing. */
#include "tb_pthread.h"

int pthread_cancel(pthread_t thread) { return __tb_thread_cancel(thread); }

void __tbi_cancellation(int may)
{
    if (__tb_testcancel(may))
        __tbi_cancelled();
}

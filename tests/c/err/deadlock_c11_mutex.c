// a plain C11 mutex locked twice by the same thread
// expect: deadlock 0
#include <threads.h>

int main(void) {
    mtx_t m;
    mtx_init(&m, mtx_plain);
    mtx_lock(&m);
    mtx_lock(&m);
    return 0;
}

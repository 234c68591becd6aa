// a C11 mutex unlocked without a lock
// expect: mutex-misuse 8
#include <threads.h>

int main(void) {
    mtx_t m;
    mtx_init(&m, mtx_plain);
    mtx_unlock(&m); // BUG
    return 0;
}

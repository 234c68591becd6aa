// a null function for the end of the process
// expect: null-dereference 6 contains `atexit` is given a null pointer for a function
#include <stdlib.h>

int main(void) {
    return atexit(NULL); // BUG
}

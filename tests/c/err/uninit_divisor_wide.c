// the remainder of a 128-bit number by what was never set in the heap
// expect: uninitialised-read 8 contains the value at the start of a heap object was never set
#include <stdlib.h>

int main(void) {
    __int128 *parts = malloc(sizeof *parts);
    unsigned __int128 sum = 12345;
    int rest = (int)(sum % (unsigned __int128)*parts); // BUG
    free(parts);
    return rest;
}

// three of four bytes set, the whole word compared
// expect: uninitialised-read 8
#include <string.h>

int main(void) {
    unsigned word;
    memset(&word, 0, 3);
    if (word == 0) // BUG
        return 1;
    return 0;
}

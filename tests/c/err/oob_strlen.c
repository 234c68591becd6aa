// strlen of bytes without a terminator reads beyond the array
// expect: out-of-bounds 7
#include <string.h>

int main(void) {
    char word[4] = {'a', 'b', 'c', 'd'};
    return (int)strlen(word); // BUG
}

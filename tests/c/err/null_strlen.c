// strlen of a null pointer
// expect: null-dereference 9
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    const char *s = getenv("THREADBARE_NO_SUCH_VARIABLE_HERE");
    size_t n = strlen(s); // BUG
    printf("%zu\n", n);
    return 0;
}

// exit with a value that was never set
// expect: uninitialised-read 7 contains the exit code depends on it
#include <stdlib.h>

int main(void) {
    int *status = malloc(sizeof *status);
    exit(*status); // BUG
}

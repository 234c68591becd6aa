// a second process
// expect: unsupported 6 contains fork
#include <unistd.h>

int main(void) {
    pid_t p = fork(); // BUG
    return p != 0;
}

// the same byte again and again, and the same byte written: nothing changes but what is read and written
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

static atomic_int stop;

int main(void) {
    char byte;
    while (read(0, &byte, 1) == 1) {
        if (atomic_load(&stop)) {
            return 1;
        }
    }
    for (int i = 0; i < 3; i++) {
        printf("%c", byte);
    }
    puts("");
    return 0;
}

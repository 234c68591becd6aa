// small objects without end: the limit is reached within seconds
// expect: limit 7 contains is something made again and again and never freed
#include <stdlib.h>

int main(void) {
    for (;;) {
        char *small = malloc(20); // BUG
        small[0] = 1;
    }
}

// memcpy between ranges that overlap
// expect: crash 7 contains `memcpy` copies 8 bytes between places that are only 2 apart
#include <string.h>

int main(void) {
    char text[16] = "overlapping";
    memcpy(text + 2, text, 8); // BUG
    return text[2] != 'o';
}

// strcpy within one string
// expect: crash 7 contains `strcpy` copies 11 bytes between places that are only 1 apart
#include <string.h>

int main(void) {
    char text[16] = "overlapping";
    strcpy(text, text + 1); // BUG
    return text[0] != 'v';
}

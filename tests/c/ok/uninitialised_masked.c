// only the bits that were set take part in a decision
// expect: none
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    uint32_t *w = malloc(sizeof *w);
    ((uint8_t *)w)[0] = 0x2a;
    if ((*w & 0xff) == 0x2a)
        printf("low byte\n");
    memset((uint8_t *)w + 1, 0x11, 1);
    if ((uint16_t)*w == 0x112a)
        printf("low half\n");
    *w = *w << 16;
    if (((*w >> 16) & 0xffff) == 0x112a)
        printf("shifted\n");
    *w |= 0xffff;
    if ((*w & 0xff) == 0xff)
        printf("set by or\n");
    free(w);
    return 0;
}

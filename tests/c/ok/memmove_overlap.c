// overlapping memmove in both directions, lengths of 0, exact fits
// expect: none
#include <stdio.h>
#include <string.h>

int main(void) {
    char s[11] = "0123456789";
    memmove(s + 2, s, 8);
    puts(s);
    memmove(s, s + 3, 7);
    puts(s);
    memmove(s, s, sizeof s);
    memcpy(s + 10, s + 11, 0);
    size_t none = 0;
    memset(s + 11, 'x', none);
    puts(s);
    char exact[10];
    memcpy(exact, s, sizeof exact);
    printf("%.10s %d\n", exact, memcmp(exact, s, sizeof exact));
    char padded[6];
    strncpy(padded, "ab", sizeof padded);
    printf("%d %d\n", padded[2], padded[5]);
    strncpy(padded, "abcdefgh", sizeof padded);
    printf("%.6s\n", padded);
    return 0;
}

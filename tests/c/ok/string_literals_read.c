// string literals read to the terminator, in tables, by suffix, and empty
// expect: none
#include <stdio.h>
#include <string.h>

static const char *const colours[] = {"red", "green", "", "blue"};
static const char packed[] = "one\0two\0three\0";

int main(void) {
    for (size_t i = 0; i < sizeof colours / sizeof colours[0]; i++)
        printf("[%s] %zu %d\n", colours[i], strlen(colours[i]), colours[i][strlen(colours[i])]);
    for (const char *p = packed; *p; p += strlen(p) + 1)
        printf("%s ", p);
    printf("%c %s\n", "0123456789abcdef"[11], &"suffix"[3]);
    return 0;
}

// memory that is uninitialised first and fully set before its use
// expect: none
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void fill(int *out, int n) {
    for (int i = n - 1; i >= 0; i--)
        out[i] = i * 3;
}

int main(void) {
    int a[5], sum = 0;
    fill(a, 5);
    for (int i = 0; i < 5; i++)
        sum += a[i];
    char buf[16];
    snprintf(buf, sizeof buf, "%d", sum);
    char *text = malloc(64);
    strcpy(text, buf);
    size_t n = strlen(text);
    memset(text + n, '!', 3);
    text[n + 3] = '\0';
    puts(text);
    int *p;
    p = &a[2];
    printf("%d\n", *p);
    free(text);
    return 0;
}

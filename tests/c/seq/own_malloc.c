// a program with a malloc of its own: what the library gives it to free comes from there
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Alignas(16) char pool[1 << 16];
static size_t used;
static int taken, freed;

void *malloc(size_t size) {
    void *result = pool + used;
    used += (size + 15) / 16 * 16;
    taken++;
    return used <= sizeof pool ? result : NULL;
}

void free(void *block) {
    if (!block) return;
    freed += (char *)block >= pool && (char *)block < pool + sizeof pool ? 1 : 1000;
}

int main(void) {
    taken = freed = 0;
    char *copy = strdup("copy"), *part = strndup("partly", 4), *text;
    int length = asprintf(&text, "%s of %s", part, copy);
    int before = taken;
    free(copy);
    free(part);
    free(text);
    char line[64];
    snprintf(line, sizeof line, "%d, %d, %d characters\n", before >= 3, freed >= 3 && freed < 1000, length);
    fputs(line, stdout);
    return 0;
}

// a pointer into a structure of the loop's body, used when the loop has ended
// expect: use-after-free 20 contains `item` of `longest` whose block has ended
#include <stdio.h>
#include <string.h>

struct item {
    char name[16];
    size_t length;
};

static const struct item *longest(const char *const words[], int n) {
    const struct item *best = NULL;
    for (int i = 0; i < n; i++) {
        struct item item;
        strcpy(item.name, words[i]);
        item.length = strlen(words[i]);
        if (i == 1)
            best = &item;
    }
    return best->length > 3 ? best : NULL; // BUG
}

int main(void) {
    const char *const words[] = {"one", "three", "two"};
    return longest(words, 3) != NULL;
}

// a value that is read only when a flag says that it was set
// expect: none
#include <stdio.h>

struct option {
    int is_set;
    int value;
};

static int parse(const char *s, int *out) {
    if (s[0] < '0' || s[0] > '9')
        return 0;
    *out = s[0] - '0';
    return 1;
}

int main(void) {
    const char *input[4] = {"7", "x", "3", "-"};
    int total = 0;
    for (int i = 0; i < 4; i++) {
        int n;
        if (parse(input[i], &n) && n > 2)
            total += n;
        struct option o;
        o.is_set = i % 2;
        if (o.is_set)
            o.value = i;
        if (!o.is_set || o.value != 3)
            total += 100;
    }
    printf("%d\n", total);
    return 0;
}

// variable-length arrays in loops and alloca that lives as long as its function
// expect: none
#include <alloca.h>
#include <stdio.h>
#include <string.h>

static int sum_of_squares(int n) {
    int total = 0;
    for (int k = 1; k <= n; k++) {
        int a[k];
        for (int i = 0; i < k; i++)
            a[i] = i;
        total += a[k - 1] * a[k - 1];
    }
    return total;
}

static size_t join(const char *const *part, int n) {
    char *all = NULL;
    size_t len = 0;
    for (int i = 0; i < n; i++) {
        size_t more = strlen(part[i]);
        char *next = alloca(len + more + 1);
        if (all)
            memcpy(next, all, len);
        memcpy(next + len, part[i], more + 1);
        all = next;
        len += more;
    }
    puts(all);
    return len;
}

int main(void) {
    const char *part[3] = {"one, ", "two, ", "three"};
    printf("%d\n", sum_of_squares(6));
    printf("%zu\n", join(part, 3));
    return 0;
}

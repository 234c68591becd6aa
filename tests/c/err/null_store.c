// write through a null pointer that a function returned
// expect: null-dereference 15
#include <stddef.h>

static int *find(const int *a, int n, int key) {
    for (int i = 0; i < n; i++)
        if (a[i] == key)
            return (int *)&a[i];
    return NULL;
}

int main(void) {
    int a[3] = {1, 2, 3};
    int *p = find(a, 3, 9);
    *p = 4; // BUG
    return a[0];
}

// read beyond a local array that another local follows
// expect: out-of-bounds 6 object a
static int sum(const int *a, int n) {
    int s = 0;
    for (int i = 0; i < n; i++)
        s += a[i]; // BUG
    return s;
}

int main(void) {
    int a[4] = {1, 2, 3, 4};
    int b[4] = {5, 6, 7, 8};
    return sum(b, 4) + sum(a, 5);
}

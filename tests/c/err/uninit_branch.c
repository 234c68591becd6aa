// a branch on a local that one path leaves unset
// expect: uninitialised-read 11
static void maybe_set(int *p, int n) {
    if (n > 10)
        *p = n;
}

int main(void) {
    int x;
    maybe_set(&x, 5);
    if (x > 0) // BUG
        return 1;
    return 0;
}

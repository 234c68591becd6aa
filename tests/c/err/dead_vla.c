// a pointer to a variable-length array after the end of its block
// expect: use-after-free 11 contains `a` of `last_of` whose block has ended
static int last_of(int n) {
    int *end;
    {
        int a[n];
        for (int i = 0; i < n; i++)
            a[i] = i;
        end = &a[n - 1];
    }
    return *end; // BUG
}

int main(void) {
    return last_of(4);
}

// the address of a local variable returned from its function
// expect: use-after-free 11
static int *make(int n) {
    int local = n * n;
    int *p = &local;
    return p;
}

int main(void) {
    int *p = make(4);
    return *p; // BUG
}

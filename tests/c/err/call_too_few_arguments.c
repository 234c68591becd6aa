// a function of two integers called through a pointer with one
// expect: crash 10
static int add(int a, long b) {
    return a + (int)b;
}

int main(void) {
    void (*any)(void) = (void (*)(void))add;
    int (*f)(int) = (int (*)(int))any;
    return f(3); // BUG
}

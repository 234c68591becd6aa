// the SV-COMP assertion fails
// expect: assertion 8
extern void __VERIFIER_assert(int);

int main(void) {
    int x = 3;
    __VERIFIER_assert(x == 3);
    __VERIFIER_assert(x * x == 10); // BUG
    return 0;
}

// the SV-COMP error function reached
// expect: assertion 8
extern void __VERIFIER_error(void);

int main(void) {
    int x = 2;
    if (x * x == 4)
        __VERIFIER_error(); // BUG
    return 0;
}

// a loop that never ends and touches nothing shared
// expect: limit 6
// options: --step-limit 1000000
int main(void) {
    unsigned n = 0;
    for (;;) n = n * 5 + 1; // BUG
    return 0;
}

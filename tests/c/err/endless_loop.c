// a loop that never ends and touches nothing shared
// expect: limit 5
int main(void) {
    volatile unsigned n = 0;
    for (;;) n = n * 5 + 1; // BUG
    return 0;
}

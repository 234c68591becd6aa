// __builtin_trap
// expect: crash 6
int main(void) {
    volatile int reached = 1;
    if (reached)
        __builtin_trap(); // BUG
    return 0;
}

// a function that nobody defines
// expect: unsupported 7 contains frobnicate
extern int frobnicate(int);

int main(void) {
    int x = 3;
    return frobnicate(x); // BUG
}

// a number is divided by what was never set: that is the error, not the zero that may be there
// expect: uninitialised-read 5 contains `parts` was never set: a division depends on it
int main(int argc, char **argv) {
    int parts, rest = argc + 6;
    rest = rest / parts; // BUG
    return rest + (argv == 0);
}

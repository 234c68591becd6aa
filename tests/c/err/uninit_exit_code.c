// main returns a variable that was never set
// expect: uninitialised-read 8 contains the exit code depends on it
int main(int argc, char **argv) {
    int status;
    (void)argv;
    if (argc > 5)
        status = 3;
    return status; // BUG
}

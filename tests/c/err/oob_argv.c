// an argument that was not given
// expect: out-of-bounds 4 contains past the end of `argv` of 16 bytes
int main(int argc, char **argv) {
    return argv[argc + 1] != 0; // BUG
}

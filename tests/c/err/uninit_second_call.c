// the frame of the second call lies where the first one was: its local is uninitialised all the same
// expect: uninitialised-read 8
static int step(int first) {
    int state;
    if (first)
        state = 5;
    int *p = &state;
    if (*p == 5) // BUG
        return 1;
    return 0;
}

int main(void) {
    return step(1) + step(0);
}

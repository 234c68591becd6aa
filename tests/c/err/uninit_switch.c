// a switch on an uninitialised value
// expect: uninitialised-read 10
static void nothing(int *p) {
    (void)p;
}

int main(void) {
    int state;
    nothing(&state);
    switch (state) { // BUG
    case 0: return 1;
    case 7: return 2;
    default: return 3;
    }
}

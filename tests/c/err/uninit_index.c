// an array indexed by an uninitialised value
// expect: uninitialised-read 12
static int table[4] = {1, 2, 3, 4};

static void nothing(unsigned *p) {
    (void)p;
}

int main(void) {
    unsigned i;
    nothing(&i);
    return table[i]; // BUG
}

// write beyond a global array; the neighbour must not be hit
// expect: out-of-bounds 7 object ring
static int ring[4];
static int guard = 1234;

static void put(unsigned at, int value) {
    ring[at] = value; // BUG
}

int main(void) {
    for (unsigned i = 0; i < 6; i++)
        put(i, (int)i);
    return guard != 1234;
}

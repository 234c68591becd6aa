// negative index into a global array
// expect: out-of-bounds 11
static int table[16];

static int hash(int key) {
    return key % 16;
}

int main(void) {
    int key = -7;
    table[hash(key)]++; // BUG
    return 0;
}

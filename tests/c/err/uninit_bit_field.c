// one bit-field set, its neighbour in the same word read
// expect: uninitialised-read 14
struct flags {
    unsigned ready : 1, error : 1, code : 6;
};

static void set_ready(struct flags *f) {
    f->ready = 1;
}

int main(void) {
    struct flags f;
    set_ready(&f);
    if (f.ready && f.error) // BUG
        return 1;
    return 0;
}

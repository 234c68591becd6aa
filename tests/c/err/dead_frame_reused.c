// the dead frame's memory may be in use by another call: still an error
// expect: use-after-free 12
static int *kept;

static void keep(void) {
    int x = 1;
    kept = &x;
}

static int reader(void) {
    int other = 7;
    return *kept + other; // BUG
}

int main(void) {
    keep();
    return reader();
}

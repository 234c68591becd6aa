// write through a pointer that casts const away from a const object
// expect: crash 6
static const int limits[3] = {1, 2, 3};

static void bump(const int *p) {
    ++*(int *)p; // BUG
}

int main(void) {
    bump(&limits[1]);
    return limits[1];
}

// a struct whose last member nobody set
// expect: uninitialised-read 17
struct config {
    int width, height, depth;
};

static struct config make(int w, int h) {
    struct config c;
    c.width = w;
    c.height = h;
    return c;
}

int main(void) {
    struct config c = make(3, 4);
    int size = c.width * c.height;
    if (c.depth == 8) // BUG
        size *= 8;
    return size;
}

// unsigned division by zero
// expect: crash 7
static unsigned char buckets;

int main(void) {
    unsigned hash = 12345u;
    return (int)(hash % buckets); // BUG
}

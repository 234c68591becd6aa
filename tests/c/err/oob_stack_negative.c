// write before the start of a local array
// expect: out-of-bounds 8
int main(void) {
    char digits[4];
    unsigned n = 98765;
    char *p = digits + sizeof digits;
    do {
        *--p = (char)('0' + n % 10); // BUG
        n /= 10;
    } while (n != 0);
    return *p;
}

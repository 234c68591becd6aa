// a variable-length array of a negative size that the compiler sees
// expect: out-of-bounds 5 contains the array `cells` would have -1 elements
int main(void) {
    int length = -1;
    int cells[length]; // BUG
    cells[0] = 1;
    return cells[0];
}

// write to a string literal
// expect: crash 5
int main(void) {
    char *s = "constant";
    s[0] = 'C'; // BUG
    return 0;
}

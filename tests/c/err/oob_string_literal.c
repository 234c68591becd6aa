// a string literal read beyond its terminator
// expect: out-of-bounds 6
static const char *text = "abc";

static int is_digit_at(int i) {
    return text[i] >= '0' && text[i] <= '9'; // BUG
}

int main(void) {
    int i = 0;
    while (i < 5 && !is_digit_at(i))
        i++;
    return i;
}

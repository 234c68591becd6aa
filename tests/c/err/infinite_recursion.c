// recursion without an end
// expect: limit 3
static long depth(long n) { long here[8] = {n}; return n < 0 ? 0 : depth(here[0] + 1) + here[3]; } // BUG

int main(void) {
    return (int)depth(0);
}

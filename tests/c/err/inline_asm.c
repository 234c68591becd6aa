// inline assembly
// expect: unsupported 5 contains inline assembly (only empty barriers, `pause` and `mfence` are)
int main(void) {
    unsigned a = 0, b, c, d;
    __asm__ volatile("cpuid" : "+a"(a), "=b"(b), "=c"(c), "=d"(d)); // BUG
    return a == 0;
}

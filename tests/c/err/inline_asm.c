// inline assembly
// expect: unsupported 5 contains inline assembly (only empty barriers, `pause`, `mfence` and `cpuid` are)
int main(void) {
    unsigned a, d;
    __asm__ volatile("rdtsc" : "=a"(a), "=d"(d)); // BUG
    return a == 0 && d == 0;
}

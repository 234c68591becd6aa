/* Control flow and calls. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int classify(int n) {
    switch (n) {
    case 0: return 10;
    case 1 ... 9: return 20;
    case 100: case 200: case 300: n++; /* fall through */
    case -5: return n;
    case 1000: return 7;
    case 1001: return 8;
    case 1002: return 9;
    case 1003: return 11;
    default: break;
    }
    return -1;
}

const char *lookup(unsigned long long key) {
    switch (key) {
    case 0xffffffffffffffffull: return "max";
    case 0x8000000000000000ull: return "top";
    case 1: return "one";
    }
    return "none";
}

int interpret(const unsigned char *code, int acc) {
    static const void *const ops[] = { &&halt, &&inc, &&dec, &&twice, &&skip };
    goto *ops[*code++ % 5];
inc:
    acc++;
    goto *ops[*code++ % 5];
dec:
    acc--;
    goto *ops[*code++ % 5];
twice:
    acc *= 2;
    goto *ops[*code++ % 5];
skip:
    code++;
    goto *ops[*code++ % 5];
halt:
    return acc;
}

int relative(int n, int acc) {
    static const int offsets[] = { &&zero - &&zero, &&one - &&zero, &&two - &&zero };
    goto *(&&zero + offsets[n % 3]);
two:
    acc += 2;
one:
    acc += 1;
zero:
    return acc;
}

struct pair { double a; long b; };

double total(int count, ...) {
    va_list list, copy;
    va_start(list, count);
    va_copy(copy, list);
    double sum = 0;
    for (int i = 0; i < count; i++) {
        switch (i % 4) {
        case 0: sum += va_arg(list, int); break;
        case 1: sum += va_arg(list, double); break;
        case 2: { struct pair p = va_arg(list, struct pair); sum += p.a + p.b; break; }
        default: sum += (double)va_arg(list, long double); break;
        }
    }
    sum += va_arg(copy, int);
    va_end(copy);
    va_end(list);
    return sum;
}

int print(const char *format, ...) {
    va_list list;
    va_start(list, format);
    int n = vprintf(format, list);
    va_end(list);
    return n + printf("%d %s %f\n", n, format, 1.5f);
}

int variable(int n, int m) {
    int rows[n][m];
    memset(rows, 0, sizeof rows);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) rows[i][j] = i * j;
    char *more = __builtin_alloca(n + 1);
    more[n] = 0;
    return rows[n - 1][m - 1] + more[n];
}

static jmp_buf back;
static volatile int tries;

__attribute__((noreturn)) static void jump(int value) { longjmp(back, value); }

int retry(void) {
    int code = setjmp(back);
    if (tries++ < 3) jump(tries);
    return code;
}

__attribute__((noinline, cold)) _Noreturn void fail(const char *why) {
    fputs(why, stderr);
    abort();
}

unsigned checked(unsigned a, unsigned b, int *wrapped) {
    unsigned sum;
    int product;
    *wrapped = __builtin_add_overflow(a, b, &sum) | __builtin_mul_overflow((int)a, (int)b, &product);
    if (__builtin_expect(b == 0, 0)) fail("zero");
    __builtin_assume(sum != 7);
    return sum / b + (unsigned)__builtin_popcount(a) + (unsigned)__builtin_ctz(a | 1);
}

unsigned long cycles(unsigned leaf) {
    unsigned a, b, c, d;
    __asm__ volatile("cpuid" : "=a"(a), "=b"(b), "=c"(c), "=d"(d) : "a"(leaf), "c"(0) : "memory");
    __asm__("" ::: "memory");
    unsigned long mixed = a;
    __asm__("lea (%1,%2), %0" : "=r"(mixed) : "r"(mixed), "r"((unsigned long)b));
    __asm__ volatile("nop # \"quoted\" %%");
    return mixed + c + d;
}
__asm__(".globl hand_made\n\t.set hand_made, 42");

int collatz(unsigned long n) {
    int steps = 0;
    do {
        if (n & 1) n = 3 * n + 1;
        else n >>= 1;
        if (steps > 1000) goto out;
        steps++;
    } while (n != 1);
out:
    return steps;
}

long ackermann(long m, long n) {
    if (m == 0) return n + 1;
    return n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

void sort(int *v, size_t n) {
    qsort(v, n, sizeof *v, compare);
    for (size_t i = 1; i < n; i++) {
        int x = v[i];
        size_t j = i;
        for (; j > 0 && v[j - 1] > x; j--) v[j] = v[j - 1];
        v[j] = x;
    }
}

int old_style();
int call_old(int x) { return old_style(x, 1.0) + ((int (*)(int))(void *)sort)(x); }

void cleanup(int **p) { free(*p); }
int scoped(int n) {
    __attribute__((cleanup(cleanup))) int *p = malloc(sizeof(int) * (size_t)n);
    if (!p) return -1;
    for (int i = 0; i < n; i++) p[i] = i;
    return p[n / 2];
}

int trap(int n) {
    if (n > 3) __builtin_trap();
    if (n > 2) __builtin_unreachable();
    __builtin_prefetch(&tries);
    return (int)(size_t)__builtin_return_address(0);
}

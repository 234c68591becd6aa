// printf integer conversions: d i u o x X c s p %, flags, widths, precisions, length modifiers.
#include <inttypes.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#pragma clang diagnostic ignored "-Wformat-pedantic"

int main(void) {
  volatile int v[] = {0, 1, -1, 42, -42, 123456, 2147483647, -2147483647 - 1};
  for (int i = 0; i < 8; i++) {
    int x = v[i];
    unsigned u = (unsigned)x;
    printf("%d|%5d|%-5d|%05d|%+d|% d|%.3d|%8.3d|%-8.3d|%+.0d|%i\n", x, x, x, x, x, x, x, x, x, x, x);
    printf("%u|%o|%#o|%x|%X|%#x|%#X|%08x|%#10x|%-#10x|%.5x|%#.5o\n", u, u, u, u, u, u, u, u, u, u, u, u);
    printf("%hhd %hhu %hd %hu %hhx %hx\n", (signed char)x, (unsigned char)x, (short)x, (unsigned short)x, (unsigned char)x, (unsigned short)x);
    long l = x * 3000000000l / 2;
    unsigned long ul = (unsigned long)l;
    printf("%ld %lu %lx %lld %llu %jd %zd %td %zx %jo\n", l, ul, ul, (long long)l, (unsigned long long)l, (intmax_t)l, (ssize_t)l,
           (ptrdiff_t)l, (size_t)l, (uintmax_t)l);
  }
  printf("%c%c%c|%5c|%-5c|\n", 'a', 66, 0x43, 'd', 'e');
  printf("%s|%10s|%-10s|%.3s|%10.3s|%.0s|\n", "string", "right", "left", "truncate", "both", "none");
  printf("%*d|%-*d|%*d|%.*d|%.*s|%*.*d\n", 6, 42, 6, 42, -6, 42, 4, 42, 2, "xyz", 8, 4, 42);
  printf("%%|100%%\n");
  printf("%2$s %1$s %2$s\n", "world", "hello");
  printf("%3$*1$.*2$d|%1$d\n", 8, 4, 99);
  int n1 = 0;
  long n2 = 0;
  char n3 = 0;
  printf("count%n this%ln far%hhn\n", &n1, &n2, &n3);
  printf("%d %ld %d\n", n1, n2, n3);
  printf("%s %d\n", (char *)NULL ? "x" : "(null)", 0);
  printf("%p %p\n", (void *)0, (void *)0x1234abcd);
  printf("%16p|%-16p|\n", (void *)0xff, (void *)0xff);
  printf("%" PRId8 " %" PRIu16 " %" PRIx32 " %" PRId64 " %" PRIuMAX " %" PRIoPTR "\n", (int8_t)-5, (uint16_t)65535, (uint32_t)0xdeadbeef,
         INT64_MIN, UINTMAX_MAX, (uintptr_t)511);
  printf("[%.0d][%.0u][%5.0d][%#.0x][%+.0d]\n", 0, 0, 0, 0, 0);
  printf("[%+5d][%-+5d][%+05d][% 05d][%- 5d]\n", 7, 7, 7, 7, 7);
  printf("%'d\n", 1234567);
  int r = printf("%s\n", "return value");
  printf("%d\n", r);
  return r;
}

// Integer and character constants: bases, suffixes, escapes, multi-character.
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <wchar.h>
#include <uchar.h>

#pragma clang diagnostic ignored "-Wmultichar"
#pragma clang diagnostic ignored "-Wfour-char-constants"

enum small { A, B = 10, C, D = -3, E };
enum wide { W = 0x7fffffff, V = -0x7fffffff - 1 };

int main(void) {
  printf("%d %d %d %d\n", 42, 052, 0x2a, 0b101010);
  printf("%u %ld %lu %lld %llu\n", 42u, 42l, 42ul, 42ll, 42ull);
  printf("%zu %zu %zu %zu\n", sizeof 2147483647, sizeof 2147483648, sizeof 0xffffffff, sizeof 0x100000000);
  printf("%d %d %d %d\n", '\n', '\0', '\x41', '\101');
  printf("%d %d %d %d\n", '\a', '\v', '\\', '\'');
  printf("%d %d\n", 'ab', 'abcd');
  printf("%ld %u %u\n", (long)L'\u00e9', (unsigned)u'\u20ac', (unsigned)U'\U0001f600');
  printf("%d %d %d %d %d\n", A, B, C, D, E);
  printf("%d %d %zu\n", W, V, sizeof(enum small));
  printf("%zu %zu %zu\n", sizeof "abc", sizeof L"abc", sizeof u8"\u00e9");
  printf("%zu %zu\n", sizeof "a" "bc", sizeof "");
  const char *s = "con" "cat" "\x41" "BC\0hidden";
  printf("%s\n", s);
  const char16_t *u16 = u"a\U0001f600b";
  printf("%x %x %x %x\n", u16[0], u16[1], u16[2], u16[3]);
  const unsigned char *u8s = (const unsigned char *)u8"\u20ac";
  printf("%x %x %x\n", u8s[0], u8s[1], u8s[2]);
  printf("%ld %lu\n", INT64_C(-9007199254740993), UINT64_C(18446744073709551615));
  printf("%d\n", (int)sizeof(ptrdiff_t));
  return B + C;
}

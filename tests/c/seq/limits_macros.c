// limits.h, stdint.h, inttypes.h, stddef.h macros and their types.
#include <inttypes.h>
#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

int main(void) {
  printf("%d %d %d %d %d\n", CHAR_BIT, SCHAR_MIN, SCHAR_MAX, UCHAR_MAX, MB_LEN_MAX);
  printf("%d %d %u\n", SHRT_MIN, SHRT_MAX, USHRT_MAX);
  printf("%d %d %u\n", INT_MIN, INT_MAX, UINT_MAX);
  printf("%ld %ld %lu\n", LONG_MIN, LONG_MAX, ULONG_MAX);
  printf("%lld %lld %llu\n", LLONG_MIN, LLONG_MAX, ULLONG_MAX);
  printf("%" PRId8 " %" PRId16 " %" PRId32 " %" PRId64 "\n", INT8_MAX, INT16_MAX, INT32_MAX, INT64_MAX);
  printf("%" PRIu8 " %" PRIu16 " %" PRIu32 " %" PRIu64 "\n", UINT8_MAX, UINT16_MAX, UINT32_MAX, UINT64_MAX);
  printf("%zu %zu %zu %zu\n", sizeof(int_fast8_t), sizeof(int_fast16_t), sizeof(int_least32_t), sizeof(intmax_t));
  printf("%ju %jd %zu\n", UINTMAX_MAX, INTMAX_MIN, SIZE_MAX);
  printf("%td %td\n", PTRDIFF_MIN, PTRDIFF_MAX);
  printf("%" PRIXPTR " %" PRIdFAST16 " %" PRIuLEAST64 "\n", UINTPTR_MAX, INT_FAST16_MAX, UINT_LEAST64_MAX);
  printf("%d %u %d\n", WCHAR_MAX, WINT_MAX, SIG_ATOMIC_MAX);
  printf("%zu %zu %zu\n", sizeof(void *), sizeof(size_t), sizeof(wchar_t));
  uint64_t v = 0;
  int8_t s = 0;
  int r = sscanf("deadbeef -12", "%" SCNx64 " %" SCNd8, &v, &s);
  printf("%d %" PRIx64 " %d\n", r, v, s);
  printf("%d %ld %" PRIo16 "\n", INT8_C(-5), INT64_C(1) << 40, UINT16_C(0777));
  return CHAR_BIT;
}

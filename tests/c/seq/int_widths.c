// Integer types of every width: sizes, limits, wraparound and truncation.
#include <stdint.h>
#include <stdio.h>

#define WRAP(T, fmt)                                                          \
  do {                                                                        \
    volatile T x = (T)-1;                                                     \
    T max = x;                                                                \
    x++;                                                                      \
    T zero = x;                                                               \
    x--;                                                                      \
    x = (T)(1ull * x * x);                                                     \
    printf("%-8s size=%zu max=%" fmt " zero=%" fmt " sq=%" fmt "\n", #T,      \
           sizeof(T), max, zero, (T)x);                                       \
  } while (0)

int main(void) {
  WRAP(uint8_t, "hhu");
  WRAP(uint16_t, "hu");
  WRAP(uint32_t, "u");
  WRAP(uint64_t, "lu");
  volatile uint64_t big = 0xfedcba9876543210u;
  printf("%d %d %d %d\n", (int8_t)big, (int16_t)big, (int32_t)big,
         (int)((int64_t)big < 0));
  printf("%u %u %u\n", (uint8_t)(big >> 8), (uint16_t)(big >> 16),
         (uint32_t)(big >> 32));
  int64_t sum = 0;
  for (int i = -200; i < 200; i++) {
    sum = sum * 31 % 1000003 + (int8_t)i;
    sum += (uint8_t)i;
    sum += (int16_t)(i * 1000);
    sum -= (uint16_t)(i * 777);
  }
  printf("sum=%ld\n", sum);
  printf("%d %d %d\n", INT8_MIN, INT16_MIN, INT32_MIN);
  printf("%ld %lu\n", INT64_MIN, UINT64_MAX);
  return (int)(uint8_t)sum;
}

// __atomic_* and __sync_* builtins over sizes 1, 2, 4, 8, with pointers and generic forms.
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

static uint64_t h = 9;
static void mix(uint64_t v) { h = h * 6364136223846793005u + v + 1; }

#define RUN(T)                                                                \
  do {                                                                        \
    T x = 100, e, d, r;                                                       \
    mix((uint64_t)__atomic_add_fetch(&x, 100, __ATOMIC_SEQ_CST));             \
    mix((uint64_t)__atomic_sub_fetch(&x, 50, __ATOMIC_RELAXED));              \
    mix((uint64_t)__atomic_and_fetch(&x, 0x3f, __ATOMIC_ACQUIRE));            \
    mix((uint64_t)__atomic_or_fetch(&x, 0x11, __ATOMIC_RELEASE));             \
    mix((uint64_t)__atomic_xor_fetch(&x, 0x55, __ATOMIC_ACQ_REL));            \
    mix((uint64_t)__atomic_nand_fetch(&x, 0x6f, __ATOMIC_SEQ_CST));           \
    mix((uint64_t)__atomic_fetch_nand(&x, 0x1e, __ATOMIC_SEQ_CST));           \
    mix((uint64_t)__atomic_fetch_min(&x, 5, __ATOMIC_SEQ_CST));               \
    mix((uint64_t)__atomic_fetch_max(&x, 9, __ATOMIC_SEQ_CST));               \
    mix((uint64_t)__atomic_fetch_add(&x, 3, __ATOMIC_CONSUME));               \
    mix((uint64_t)__atomic_load_n(&x, __ATOMIC_ACQUIRE));                     \
    __atomic_store_n(&x, 42, __ATOMIC_RELEASE);                               \
    mix((uint64_t)__atomic_exchange_n(&x, 43, __ATOMIC_ACQ_REL));             \
    e = 43;                                                                   \
    mix(__atomic_compare_exchange_n(&x, &e, 44, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)); \
    mix(__atomic_compare_exchange_n(&x, &e, 45, false, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE)); \
    mix((uint64_t)e);                                                         \
    d = 99;                                                                   \
    __atomic_exchange(&x, &d, &r, __ATOMIC_SEQ_CST);                          \
    mix((uint64_t)r);                                                         \
    __atomic_load(&x, &e, __ATOMIC_SEQ_CST);                                  \
    d = 7;                                                                    \
    mix(__atomic_compare_exchange(&x, &e, &d, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)); \
    __atomic_store(&x, &r, __ATOMIC_SEQ_CST);                                 \
    mix((uint64_t)__sync_fetch_and_add(&x, 1));                               \
    mix((uint64_t)__sync_fetch_and_sub(&x, 2));                               \
    mix((uint64_t)__sync_fetch_and_or(&x, 0x30));                             \
    mix((uint64_t)__sync_fetch_and_and(&x, 0x7e));                            \
    mix((uint64_t)__sync_fetch_and_xor(&x, 0x0f));                            \
    mix((uint64_t)__sync_fetch_and_nand(&x, 0x2c));                           \
    mix((uint64_t)__sync_add_and_fetch(&x, 5));                               \
    mix((uint64_t)__sync_sub_and_fetch(&x, 6));                               \
    mix((uint64_t)__sync_nand_and_fetch(&x, 3));                              \
    mix(__sync_bool_compare_and_swap(&x, x, 55));                             \
    mix((uint64_t)__sync_val_compare_and_swap(&x, 55, 56));                   \
    mix((uint64_t)__sync_val_compare_and_swap(&x, 55, 57));                   \
    mix((uint64_t)__sync_lock_test_and_set(&x, 1));                           \
    __sync_lock_release(&x);                                                  \
    mix((uint64_t)x);                                                         \
    printf("%s %016lx\n", #T, h);                                             \
  } while (0)

#pragma clang diagnostic ignored "-Wsync-fetch-and-nand-semantics-changed"

int main(void) {
  RUN(int8_t);
  RUN(uint8_t);
  RUN(int16_t);
  RUN(uint16_t);
  RUN(int32_t);
  RUN(uint32_t);
  RUN(int64_t);
  RUN(uint64_t);
  bool f = false;
  int a = __atomic_test_and_set(&f, __ATOMIC_SEQ_CST), b = __atomic_test_and_set(&f, __ATOMIC_ACQUIRE);
  __atomic_clear(&f, __ATOMIC_RELEASE);
  printf("%d %d %d\n", a, b, f);
  int arr[4] = {1, 2, 3, 4}, *p = arr;
  int *old = __atomic_fetch_add(&p, 2 * sizeof *p, __ATOMIC_SEQ_CST);
  printf("%d %d\n", *old, *p);
  int *q = __sync_val_compare_and_swap(&p, arr + 2, arr + 3);
  printf("%d %d\n", *q, *p);
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  printf("%d\n", __atomic_always_lock_free(4, 0));
  return (int)(h >> 56);
}

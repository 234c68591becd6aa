// stdatomic.h over all integer sizes: load, store, exchange, fetch_* with all orders.
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>

static uint64_t h = 1;
static void mix(uint64_t v) { h = h * 0x100000001b3u ^ v; }

#define RUN(T)                                                                \
  static void run_##T(void) {                                                 \
    _Atomic T a;                                                              \
    atomic_init(&a, (T)0x7b);                                                 \
    atomic_store(&a, (T)(atomic_load(&a) + 1));                               \
    atomic_store_explicit(&a, (T)100, memory_order_relaxed);                  \
    mix((uint64_t)atomic_load_explicit(&a, memory_order_acquire));            \
    atomic_store_explicit(&a, (T)101, memory_order_release);                  \
    mix((uint64_t)atomic_load_explicit(&a, memory_order_relaxed));            \
    atomic_store_explicit(&a, (T)102, memory_order_seq_cst);                  \
    mix((uint64_t)atomic_load_explicit(&a, memory_order_consume));            \
    mix((uint64_t)atomic_fetch_add(&a, (T)60));                               \
    mix((uint64_t)atomic_fetch_sub_explicit(&a, (T)200, memory_order_relaxed)); \
    mix((uint64_t)atomic_fetch_or_explicit(&a, (T)0x51, memory_order_acquire)); \
    mix((uint64_t)atomic_fetch_and_explicit(&a, (T)0xf3, memory_order_release)); \
    mix((uint64_t)atomic_fetch_xor_explicit(&a, (T)0x3c, memory_order_acq_rel)); \
    mix((uint64_t)atomic_exchange(&a, (T)-3));                                \
    mix((uint64_t)atomic_exchange_explicit(&a, (T)17, memory_order_acq_rel)); \
    T want = 17;                                                              \
    mix(atomic_compare_exchange_strong(&a, &want, (T)33));                    \
    want = 5;                                                                 \
    mix(atomic_compare_exchange_strong_explicit(&a, &want, (T)44, memory_order_acq_rel, memory_order_relaxed)); \
    mix((uint64_t)want);                                                      \
    do want = (T)atomic_load(&a);                                             \
    while (!atomic_compare_exchange_weak(&a, &want, (T)(want * 3)));          \
    do want = (T)atomic_load(&a);                                             \
    while (!atomic_compare_exchange_weak_explicit(&a, &want, (T)(want - 100), memory_order_release, memory_order_relaxed)); \
    mix((uint64_t)atomic_load(&a));                                           \
    for (int i = 0; i < 300; i++) atomic_fetch_add(&a, (T)i);                 \
    mix((uint64_t)atomic_load(&a));                                           \
    printf("%s %016lx %zu\n", #T, h, sizeof a);                               \
  }
RUN(int8_t) RUN(uint8_t) RUN(int16_t) RUN(uint16_t) RUN(int32_t) RUN(uint32_t) RUN(int64_t) RUN(uint64_t)

int main(void) {
  run_int8_t();
  run_uint8_t();
  run_int16_t();
  run_uint16_t();
  run_int32_t();
  run_uint32_t();
  run_int64_t();
  run_uint64_t();
  atomic_int_least16_t l16 = 5;
  atomic_size_t sz = 1;
  atomic_uintptr_t up = 2;
  atomic_char c = 'a';
  atomic_llong ll = -1;
  l16++;
  sz--;
  up <<= 4;
  c += 2;
  ll *= 5;
  printf("%d %zu %lu %c %lld\n", (int)l16, (size_t)sz, (unsigned long)up, (int)c, (long long)ll);
  printf("%d %d %d\n", ATOMIC_INT_LOCK_FREE, atomic_is_lock_free(&ll), ATOMIC_BOOL_LOCK_FREE);
  return (int)(h & 0x7f);
}

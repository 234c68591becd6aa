// atomic_flag, fences, kill_dependency, spin lock and sequence lock in one thread.
#include <stdatomic.h>
#include <stdio.h>

static atomic_flag lock = ATOMIC_FLAG_INIT;
static atomic_uint seq;
static int data[2];

static int try_lock(void) { return !atomic_flag_test_and_set_explicit(&lock, memory_order_acquire); }
static void unlock(void) { atomic_flag_clear_explicit(&lock, memory_order_release); }
static void write_pair(int a, int b) {
  unsigned s = atomic_load_explicit(&seq, memory_order_relaxed);
  atomic_store_explicit(&seq, s + 1, memory_order_relaxed);
  atomic_thread_fence(memory_order_release);
  data[0] = a;
  data[1] = b;
  atomic_store_explicit(&seq, s + 2, memory_order_release);
}
static int read_pair(void) {
  unsigned s;
  int a, b;
  do {
    s = atomic_load_explicit(&seq, memory_order_acquire);
    a = data[0];
    b = data[1];
    atomic_thread_fence(memory_order_acquire);
  } while (s & 1 || s != atomic_load_explicit(&seq, memory_order_relaxed));
  return a * 100 + b;
}

int main(void) {
  printf("%d %d", try_lock(), 0);
  printf(" %d", try_lock());
  unlock();
  printf(" %d\n", try_lock());
  atomic_flag f = ATOMIC_FLAG_INIT;
  int a = atomic_flag_test_and_set(&f), b = atomic_flag_test_and_set(&f);
  atomic_flag_clear(&f);
  int c = atomic_flag_test_and_set(&f);
  printf("%d %d %d\n", a, b, c);
  int total = 0;
  for (int i = 0; i < 20; i++) {
    write_pair(i, i * 2);
    total += read_pair();
  }
  printf("%d %u\n", total, seq);
  atomic_thread_fence(memory_order_relaxed);
  atomic_thread_fence(memory_order_consume);
  atomic_thread_fence(memory_order_acq_rel);
  atomic_thread_fence(memory_order_seq_cst);
  atomic_signal_fence(memory_order_acquire);
  atomic_signal_fence(memory_order_seq_cst);
  __sync_synchronize();
  int k = kill_dependency(total);
  printf("%d\n", k);
  return (int)seq;
}

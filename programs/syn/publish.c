/* A producer publishes data by a flag, but sets the flag first; with -DFIXED it does not.
   threadbare check programs/syn/publish.c --trace-spec 'w(data) < w(ready)' */
#include <pthread.h>
#include <stdatomic.h>

static atomic_int data, ready;

static void *produce(void *unused) {
  (void)unused;
#ifdef FIXED
  data = 42;
  ready = 1;
#else
  ready = 1;
  data = 42;
#endif
  return 0;
}

static void *consume(void *unused) {
  (void)unused;
  int seen = 0;
  if (ready)
    seen = data;
  (void)seen;
  return 0;
}

int main(void) {
  pthread_t threads[2];
  pthread_create(&threads[0], 0, produce, 0);
  pthread_create(&threads[1], 0, consume, 0);
  pthread_join(threads[0], 0);
  pthread_join(threads[1], 0);
  return 0;
}

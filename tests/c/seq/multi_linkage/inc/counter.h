#ifndef COUNTER_H
#define COUNTER_H
struct counter;
extern int shared;
extern const char *const names[];
extern int table[4];
struct counter *counter_new(int start);
int counter_next(struct counter *c);
void counter_free(struct counter *c);
int which_a(void);
int which_b(void);
static inline int per_file(void) {
  static int n;
  return ++n;
}
#endif

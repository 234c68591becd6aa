// Strong definitions for multi_weak.
extern int setting;
int hook(int x);
int optional(void);
int call_from_other(int x);
int setting = 33;
int hook(int x) { return x * 100; }
int optional(void) { return 77; }
__attribute__((weak)) int second_weak(int x) { return x - 1; }
int untouched(int x);
int call_from_other(int x) { return untouched(hook(second_weak(x))); }

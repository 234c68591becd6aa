// Preprocessor: X-macros, pasting, stringising, __VA_OPT__, rescanning, conditional arithmetic, #line, _Pragma.
#include <stdio.h>

#define COLORS(X) X(RED, 0xff0000) X(GREEN, 0x00ff00) X(BLUE, 0x0000ff)
#define AS_ENUM(n, v) n,
#define AS_NAME(n, v) #n,
#define AS_VALUE(n, v) v,
enum color { COLORS(AS_ENUM) NCOLORS };
static const char *const color_name[] = {COLORS(AS_NAME)};
static const int color_value[] = {COLORS(AS_VALUE)};

#define CAT(a, b) a##b
#define XCAT(a, b) CAT(a, b)
#define STR(...) #__VA_ARGS__
#define XSTR(...) STR(__VA_ARGS__)
#define EMPTY
#define APPLY(f, ...) f(__VA_ARGS__)
#define ADD(a, b) ((a) + (b))
#define LOG(fmt, ...) printf(fmt __VA_OPT__(, ) __VA_ARGS__)
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define REPEAT3(x) x x x
#define SELF SELF + 1
#define SWAP(T, a, b) do { T XCAT(tmp_, __LINE__) = a; a = b; b = XCAT(tmp_, __LINE__); } while (0)

#if defined(COLORS) && !defined(NOPE) && (3 * 4 == 12) && (-1 < 0) && ('A' == 65)
static const int cond = 1;
#elif 1
static const int cond = 2;
#else
#error unreachable
#endif
#if 0xffffffff + 1 > 0 && (1 ? 2 : 3) == 2 && ~0 == -1
static const int wide = 1;
#else
static const int wide = 0;
#endif
#undef EMPTY
#ifdef EMPTY
#error still defined
#endif

static int SELF_value = 5;

int main(void) {
  for (int i = 0; i < NCOLORS; i++) printf("%s=%06x ", color_name[i], color_value[i]);
  puts("");
  int value7 = 70, XCAT(value, 8) = 80;
  printf("%d %d\n", CAT(value, 7), value8);
  puts(STR(a, b  c, "q\n", 'x'));
  puts(XSTR(ADD(1, 2)));
  printf("%d %d\n", APPLY(ADD, 3, 4), MAX(MAX(1, 5), 3));
  LOG("plain\n");
  LOG("%d %s\n", 5, "args");
  puts(REPEAT3("ab"));
  puts(XSTR(SELF));
  int a = 1, b = 2;
  SWAP(int, a, b);
  printf("%d %d %d %d\n", a, b, cond, wide);
  _Pragma("clang diagnostic push") _Pragma("clang diagnostic ignored \"-Wunused-variable\"") int unused = 1;
  _Pragma("clang diagnostic pop")
#line 500 "renamed.c"
  printf("%d %s\n", __LINE__, __FILE__);
  printf("%d %s %d\n", SELF_value, __func__, __STDC_VERSION__ >= 201710L);
  return color_value[BLUE] & 0x7f;
}

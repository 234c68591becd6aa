// Nested setjmp: exception-style try/catch stack, rethrow, several buffers, sigsetjmp.
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

struct frame {
  jmp_buf env;
  struct frame *up;
};
static struct frame *top;
static const char *message;

static _Noreturn void throw_(const char *m, int code) {
  message = m;
  longjmp(top->env, code);
}
#define TRY                                                                   \
  {                                                                           \
    struct frame fr_;                                                         \
    fr_.up = top;                                                             \
    top = &fr_;                                                               \
    int code_ = setjmp(fr_.env);                                              \
    if (code_ == 0) {
#define CATCH                                                                 \
    top = fr_.up;                                                             \
    } else {                                                                  \
    top = fr_.up;
#define END                                                                   \
    }                                                                         \
  }

static int parse(const char *s) {
  int v = 0;
  if (!*s) throw_("empty", 3);
  for (; *s; s++) {
    if (*s < '0' || *s > '9') throw_("bad digit", *s);
    v = v * 10 + *s - '0';
    if (v > 9999) throw_("too big", 1);
  }
  return v;
}
static int safe(const char *s) {
  volatile int r = -1;
  TRY {
    r = parse(s);
  }
  CATCH {
    printf("  caught %s (%d)\n", message, code_);
    if (strcmp(message, "too big") == 0) throw_("rethrown", 99);
  }
  END
  return r;
}

int main(void) {
  const char *in[] = {"12", "", "9x", "77", "123456", "8"};
  volatile int total = 0;
  for (volatile int i = 0; i < 6; i++) {
    TRY {
      int v = safe(in[i]);
      printf("%s -> %d\n", in[i], v);
      total += v;
    }
    CATCH {
      printf("outer %s %d\n", message, code_);
      total += 1000;
    }
    END
  }
  sigjmp_buf sb;
  volatile int k = 0;
  int r = sigsetjmp(sb, 1);
  if (r < 3) {
    k += 10;
    siglongjmp(sb, r + 1);
  }
  printf("%d %d %d\n", r, k, total);
  static jmp_buf bufs[4];
  volatile int hops = 0;
  for (volatile int i = 0; i < 4; i++)
    if (setjmp(bufs[i])) {
      hops++;
      if (hops < 8) longjmp(bufs[(hops * 5) % 3], hops);
      break;
    }
  if (!hops) longjmp(bufs[2], 1);
  printf("%d\n", hops);
  return total & 0xff;
}

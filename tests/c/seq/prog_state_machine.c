// State machines: table driven, function pointers, and a CSV parser by switch.
#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum st { IDLE, DIALING, TALKING, HUNG, NST };
enum ev { DIAL, ANSWER, BUSY, BYE, NEV };
static const char *const st_name[] = {"idle", "dialing", "talking", "hung"};
static const signed char table[NST][NEV] = {
    [IDLE] = {DIALING, -1, -1, -1}, [DIALING] = {-1, TALKING, HUNG, IDLE}, [TALKING] = {-1, -1, -1, HUNG}, [HUNG] = {DIALING, -1, -1, IDLE}};

struct machine;
typedef struct state {
  struct state (*run)(struct machine *, int c);
} state;
struct machine {
  int words, numbers, value;
};
static state between(struct machine *m, int c);
static state in_word(struct machine *m, int c) {
  (void)m;
  return (state){isalnum(c) ? in_word : between};
}
static state in_number(struct machine *m, int c) {
  if (isdigit(c)) {
    m->value = m->value * 10 + c - '0';
    return (state){in_number};
  }
  m->numbers += m->value;
  m->value = 0;
  return isalpha(c) ? (state){in_word} : (state){between};
}
static state between(struct machine *m, int c) {
  if (isdigit(c)) return in_number(m, c);
  if (isalpha(c)) {
    m->words++;
    return (state){in_word};
  }
  return (state){between};
}

static int csv(const char *s) {
  enum { START, PLAIN, QUOTED, QUOTE } st = START;
  int fields = 0, len = 0;
  char out[64];
  for (;; s++) {
    char c = *s;
    switch (st) {
      case START:
        if (c == '"') {
          st = QUOTED;
          break;
        }
        st = PLAIN; /* fall through */
      case PLAIN:
        if (c == ',' || c == '\n' || !c) goto emit;
        out[len++] = c;
        break;
      case QUOTED:
        if (c == '"') st = QUOTE;
        else if (c) out[len++] = c;
        else return -1;
        break;
      case QUOTE:
        if (c == '"') {
          out[len++] = '"';
          st = QUOTED;
          break;
        }
        goto emit;
      emit:
        out[len] = 0;
        printf("[%s]", out);
        fields++;
        len = 0;
        st = START;
        if (c == '\n') puts("");
        if (!c) {
          puts("");
          return fields;
        }
    }
  }
}
static int matches(const char *s) {
  // Accepts binary numbers divisible by 3.
  int st = 0;
  for (; *s; s++) st = (st * 2 + (*s - '0')) % 3;
  return st == 0;
}

int main(void) {
  static const unsigned char events[] = {DIAL, ANSWER, BYE, DIAL, BUSY, ANSWER, BYE, BYE, DIAL, BYE};
  enum st s = IDLE;
  int bad = 0;
  for (unsigned i = 0; i < sizeof events; i++) {
    int n = table[s][events[i]];
    if (n < 0) bad++;
    else s = (enum st)n;
    printf("%s ", st_name[s]);
  }
  printf("%d\n", bad);
  struct machine m = {0};
  state cur = {between};
  for (const char *p = "abc 12 d34 5e6 78 -9 "; *p; p++) cur = cur.run(&m, *p);
  printf("%d %d\n", m.words, m.numbers);
  int f = csv("a,b c,\"q,1\",\"he said \"\"hi\"\"\",\n,x,\"\"");
  printf("%d %d\n", f, csv("\"open"));
  printf("%d%d%d%d\n", matches("0"), matches("11"), matches("101"), matches("111111"));
  return f + bad;
}

// _Thread_local variables shared between files, of several models and sizes.
#include <stdio.h>

extern _Thread_local int tcount;
extern _Thread_local struct {
  char name[20];
  long id;
} tctx;
_Thread_local double here = 0.5;
int *tick(int);

int main(void) {
  for (int i = 0; i < 4; i++) *tick(i) += 10;
  tctx.id++;
  printf("%d %s %ld %g\n", tcount, tctx.name, tctx.id, here);
  return tcount;
}

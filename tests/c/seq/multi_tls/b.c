// The other half of multi_tls.
_Thread_local int tcount = 1;
_Thread_local struct {
  char name[20];
  long id;
} tctx = {"main", 41};
extern _Thread_local double here;
int *tick(int k);
int *tick(int k) {
  tcount += k;
  here *= 2;
  tctx.name[k] = (char)(tctx.name[k] - 32);
  return &tcount;
}

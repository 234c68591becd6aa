// The other half of multi_common: one of the names gets its value here.
int counter;
int table[8];
double ratio = 1.5;
void bump(int);
void bump(int by) {
  counter += by;
  table[by % 8] = counter;
  ratio *= 2;
}

// read beyond a global array by a wrong constant
// expect: out-of-bounds 9 object days
#include <stdio.h>

static const int days[12] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
static int total;

static int days_of(int month) {
    return days[month]; // BUG
}

int main(void) {
    for (int m = 1; m <= 12; m++)
        total += days_of(m);
    printf("%d\n", total);
    return 0;
}

// a failing assertion
// expect: assertion 10 contains total == 10
#include <assert.h>

int main(void) {
    int total = 0;
    for (int i = 0; i < 5; i++)
        total += i;
    assert(total >= 10);
    assert(total == 10 && total > 10); // BUG
    return 0;
}

// a null comparison for qsort
// expect: null-dereference 7 contains `qsort` is given a null pointer for a function
#include <stdlib.h>

int main(void) {
    int numbers[] = {3, 1, 2};
    qsort(numbers, 3, sizeof numbers[0], NULL); // BUG
    return numbers[0];
}

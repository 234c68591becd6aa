// the library writes to a string literal: strtok cuts its argument
// expect: crash 7
#include <string.h>

int main(void) {
    char *list = "a,b,c";
    char *first = strtok(list, ","); // BUG
    return first[0];
}

// an endless loop is reported where it is, with the values of that moment
// expect: limit 10 contains round = 995, sum = 1990
// options: --step-limit 1000
#include <stdio.h>

int main(int argc, char **argv) {
    unsigned round = 0, sum = 0;
    (void)argv;
    while (1) {
        if (argc == 0) break; // BUG
        round++;
        sum += 2;
    }
    printf("%u %u\n", round, sum);
    return 0;
}

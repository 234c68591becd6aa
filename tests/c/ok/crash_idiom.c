/* A write to null that is never reached: clang gives it LLVM's greatest alignment. */
#include <stdio.h>

int main(int argc, char **argv)
{
    (void)argv;
    if (argc > 100)
        *(volatile int *)0 = 1;
    puts("fine");
    return 0;
}

/* A big switch in a loop: a stack machine that finds the longest Collatz chain below a bound. */
#include <stdio.h>
#include <stdlib.h>

#ifndef SCALE
#define SCALE 1
#endif

enum { PUSH, LOAD, STORE, ADD, MUL, DIV, MOD, LESS, EQUAL, JUMP, JUMP_ZERO, PRINT, HALT };

struct code {
    int op;
    long operand;
};

/* variables: 0 n, 1 best n, 2 its length, 3 x, 4 the length of its chain so far, 5 the bound */
static const struct code program[] = {
    /*  0 */ {PUSH, 1100 * SCALE}, {STORE, 5}, {PUSH, 1}, {STORE, 0},
    /*  4 */ {LOAD, 0}, {LOAD, 5}, {LESS, 0}, {JUMP_ZERO, 49},
    /*  8 */ {LOAD, 0}, {STORE, 3}, {PUSH, 0}, {STORE, 4},
    /* 12 */ {LOAD, 3}, {PUSH, 1}, {EQUAL, 0}, {JUMP_ZERO, 17}, {JUMP, 36},
    /* 17 */ {LOAD, 4}, {PUSH, 1}, {ADD, 0}, {STORE, 4},
    /* 21 */ {LOAD, 3}, {PUSH, 2}, {MOD, 0}, {JUMP_ZERO, 31},
    /* 25 */ {LOAD, 3}, {PUSH, 3}, {MUL, 0}, {PUSH, 1}, {ADD, 0}, {JUMP, 34},
    /* 31 */ {LOAD, 3}, {PUSH, 2}, {DIV, 0},
    /* 34 */ {STORE, 3}, {JUMP, 12},
    /* 36 */ {LOAD, 2}, {LOAD, 4}, {LESS, 0}, {JUMP_ZERO, 44},
    /* 40 */ {LOAD, 4}, {STORE, 2}, {LOAD, 0}, {STORE, 1},
    /* 44 */ {LOAD, 0}, {PUSH, 1}, {ADD, 0}, {STORE, 0}, {JUMP, 4},
    /* 49 */ {LOAD, 1}, {PRINT, 0}, {LOAD, 2}, {PRINT, 0}, {HALT, 0},
};

static long stack[16], variables[8];

static long execute(void)
{
    long steps = 0;
    long *top = stack;
    for (const struct code *pc = program;; steps++) {
        long operand = pc->operand;
        switch ((pc++)->op) {
        case PUSH:
            *++top = operand;
            break;
        case LOAD:
            *++top = variables[operand];
            break;
        case STORE:
            variables[operand] = *top--;
            break;
        case ADD:
            top--;
            *top += top[1];
            break;
        case MUL:
            top--;
            *top *= top[1];
            break;
        case DIV:
            top--;
            *top /= top[1];
            break;
        case MOD:
            top--;
            *top %= top[1];
            break;
        case LESS:
            top--;
            *top = *top < top[1];
            break;
        case EQUAL:
            top--;
            *top = *top == top[1];
            break;
        case JUMP:
            pc = program + operand;
            break;
        case JUMP_ZERO:
            if (*top-- == 0)
                pc = program + operand;
            break;
        case PRINT:
            printf("%ld\n", *top--);
            break;
        case HALT:
            return steps;
        default:
            abort();
        }
    }
}

int main(void)
{
    printf("%ld steps\n", execute());
    return 0;
}

// variables of blocks that are left and entered again, with their addresses in use as long as they live
// expect: none
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

struct pair {
    int first, second;
};

static int add(const struct pair *pair) { return pair->first + pair->second; }

static void set(int *to, int value) { *to = value; }

static int rounds(int n) {
    int sum = 0;
    for (int i = 0; i < n; i++) {
        int local;
        struct pair pair = {i, 1};
        set(&local, i * i);
        if (i % 3 == 1)
            continue;
        {
            char text[32];
            memset(text, 'a' + i, sizeof text);
            int *inner = &local;
            *inner += text[31] - 'a';
            if (i == 7)
                goto out;
        }
        sum += local + add(&pair);
        if (i == 9)
            break;
    }
out:
    return sum;
}

/* The object lives as long as the recursion, however often the block is entered below. */
static int nested(int depth, int *outer) {
    int sum = outer ? *outer : 0;
    for (int i = 0; i < 2 && depth > 0; i++) {
        int mine = depth * 10 + i;
        sum += nested(depth - 1, &mine);
        sum += mine;
    }
    return sum;
}

static int switched(int what) {
    int *p = &what;
    switch (what) {
        int inside;
    case 1:
        inside = 5;
        p = &inside;
        *p += 1;
        return *p;
    case 2:
        inside = 8;
        p = &inside;
        return *p;
    default:
        return *p;
    }
}

static int jumps(void) {
    jmp_buf env;
    volatile int round = 0;
    int value = setjmp(env);
    {
        int block[4] = {value, 1, 2, 3};
        int *p = &block[value % 4];
        round += *p;
        if (value < 3)
            longjmp(env, value + 1);
    }
    return round;
}

int main(void) {
    printf("%d %d %d\n", rounds(5), rounds(8), rounds(12));
    printf("%d\n", nested(3, NULL));
    printf("%d %d %d\n", switched(1), switched(2), switched(3));
    printf("%d\n", jumps());
    return 0;
}

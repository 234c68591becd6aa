/* Everything that threadbare.h declares, used once: compiled by several compilers, as C and as C++, for the checker and
 * natively; run natively. */
#include <stdio.h>
#include <threadbare.h>

int main(void)
{
    int n = (int)tb_choose(1, 3);
    tb_assume(n != 2);
    int any = tb_nondet_int();
    tb_assert(any != 13);
    int flag = tb_nondet_bool();
    tb_atomic_begin();
    tb_atomic_end();
    tb_label("here");
    tb_progress();
    if (flag > 1) {
        tb_abstract(&n, sizeof n);
        (void)tb_nondet_char(), (void)tb_nondet_uchar(), (void)tb_nondet_short(), (void)tb_nondet_ushort();
        (void)tb_nondet_uint(), (void)tb_nondet_long(), (void)tb_nondet_ulong();
    }
    printf("%d %d %d\n", n, any, flag);
    return 0;
}

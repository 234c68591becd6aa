// A value without bounds is refused, with a way out.
#include <assert.h>
#include <threadbare.h>
int main(void) {
    int x = tb_nondet_int();
    assert(x != 7);
}

/* What programs under test say to the checker: the functions behind threadbare.h and the names of SV-COMP.
 *
 * All are weak: benchmarks often bring definitions of their own. `reach_error` and `assume_abort_if_not` belong to the
 * benchmarks and are not defined here. */
#include "tb_threads.h"

#include <stdbool.h>

#define WEAK __attribute__((weak))

/* ---- threadbare.h ---- */

void tb_assert_that(bool condition, const char *expression);
void tb_assume(bool condition);
long long tb_choose(long long low, long long high);
void tb_atomic_begin(void);
void tb_atomic_end(void);
void tb_label(const char *name);
void tb_progress(void);
void tb_abstract(const void *object, size_t size);

WEAK void tb_assert_that(bool condition, const char *expression) { __tb_assert(condition, expression); }
WEAK void tb_assume(bool condition) { __tb_assume(condition); }
WEAK long long tb_choose(long long low, long long high) { return __tb_choose(low, high); }
WEAK void tb_atomic_begin(void) { __tb_atomic_begin(); }
WEAK void tb_atomic_end(void) { __tb_atomic_end(); }
WEAK void tb_label(const char *name) { __tb_label(name); }
WEAK void tb_progress(void) { __tb_progress(); }
WEAK void tb_abstract(const void *object, size_t size) { __tb_abstract(object, size); }

/* ---- SV-COMP ---- */

void __VERIFIER_assert(int condition);
void __VERIFIER_error(void);
void __VERIFIER_assume(int condition);
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);

WEAK void __VERIFIER_assert(int condition) { __tb_assert(condition, "__VERIFIER_assert"); }
WEAK void __VERIFIER_error(void) { __tb_error("__VERIFIER_error"); }
WEAK void __VERIFIER_assume(int condition) { __tb_assume(condition); }
WEAK void __VERIFIER_atomic_begin(void) { __tb_atomic_begin(); }
WEAK void __VERIFIER_atomic_end(void) { __tb_atomic_end(); }

/* ---- any value of a type ---- */

#define NONDET(type, function)   \
    type function(void);         \
    WEAK type function(void) { return (type)__tb_nondet(8 * sizeof(type)); }

#define REFUSED(type, function)  \
    type function(void);         \
    WEAK type function(void) { __tb_unsupported(#function); }

bool __VERIFIER_nondet_bool(void);
WEAK bool __VERIFIER_nondet_bool(void) { return __tb_nondet(1) != 0; }

bool tb_nondet_bool(void);
WEAK bool tb_nondet_bool(void) { return __tb_nondet(1) != 0; }

NONDET(char, __VERIFIER_nondet_char)
NONDET(unsigned char, __VERIFIER_nondet_uchar)
NONDET(unsigned char, __VERIFIER_nondet_unsigned_char)
NONDET(short, __VERIFIER_nondet_short)
NONDET(unsigned short, __VERIFIER_nondet_ushort)
NONDET(int, __VERIFIER_nondet_int)
NONDET(unsigned, __VERIFIER_nondet_uint)
NONDET(unsigned, __VERIFIER_nondet_unsigned)
NONDET(unsigned, __VERIFIER_nondet_unsigned_int)
NONDET(long, __VERIFIER_nondet_long)
NONDET(unsigned long, __VERIFIER_nondet_ulong)
NONDET(long long, __VERIFIER_nondet_longlong)
NONDET(unsigned long long, __VERIFIER_nondet_ulonglong)
NONDET(size_t, __VERIFIER_nondet_size_t)
NONDET(uint8_t, __VERIFIER_nondet_u8)
NONDET(uint16_t, __VERIFIER_nondet_u16)
NONDET(uint32_t, __VERIFIER_nondet_u32)
NONDET(long, __VERIFIER_nondet_loff_t)

NONDET(char, tb_nondet_char)
NONDET(unsigned char, tb_nondet_uchar)
NONDET(short, tb_nondet_short)
NONDET(unsigned short, tb_nondet_ushort)
NONDET(int, tb_nondet_int)
NONDET(unsigned, tb_nondet_uint)
NONDET(long, tb_nondet_long)
NONDET(unsigned long, tb_nondet_ulong)

REFUSED(float, __VERIFIER_nondet_float)
REFUSED(double, __VERIFIER_nondet_double)
REFUSED(void *, __VERIFIER_nondet_pointer)
REFUSED(char *, __VERIFIER_nondet_pchar)
REFUSED(const char *, __VERIFIER_nondet_const_char_pointer)
REFUSED(__int128, __VERIFIER_nondet_int128)
REFUSED(unsigned __int128, __VERIFIER_nondet_uint128)

void __VERIFIER_nondet_memory(void *object, size_t size);
WEAK void __VERIFIER_nondet_memory(void *object, size_t size)
{
    (void)object;
    (void)size;
    __tb_unsupported("__VERIFIER_nondet_memory");
}

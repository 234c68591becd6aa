//! Calls of C functions with `long double`.
//!
//! By the System V ABI each such argument takes 16 bytes of the stack, in order of addresses, and a result comes in
//! st(0); integers and pointers travel in rdi and rax as usual. What a function does not take does no harm, so two
//! routines serve all signatures of up to three long doubles and one integer, and a third those with a double.

use super::F80;
use core::arch::asm;
use core::ffi::c_void;

/// Address of a C function, declared without its real signature.
pub type CFunction = unsafe extern "C" fn();

/// # Safety
/// The function must take at most three long doubles and one integer or pointer (which must then be good for it), in
/// whatever order, and return a long double.
pub unsafe fn call_returning_f80(function: CFunction, integer: i64, arguments: [F80; 3]) -> F80 {
    let mut result = F80::ZERO;
    let words = stack_words(arguments);
    // SAFETY: without `nostack` the stack pointer is aligned to 16 at the start; 48 bytes keep it so at the call. r12
    // and r13 survive the call. The result is taken off the register stack. The rest is the caller's promise.
    unsafe {
        asm!(
            "push qword ptr [r13 + 40]", "push qword ptr [r13 + 32]",
            "push qword ptr [r13 + 24]", "push qword ptr [r13 + 16]",
            "push qword ptr [r13 + 8]", "push qword ptr [r13]",
            "call {function}",
            "add rsp, 48",
            "fstp tbyte ptr [r12]",
            function = in(reg) function,
            in("r12") &raw mut result,
            in("r13") words.as_ptr(),
            inout("rdi") integer => _,
            clobber_abi("C"),
        )
    }
    result
}

/// # Safety
/// As for `call_returning_f80`, but the function returns an integer, in the low bits of the result.
pub unsafe fn call_returning_integer(function: CFunction, integer: i64, arguments: [F80; 3]) -> i64 {
    let result;
    let words = stack_words(arguments);
    // SAFETY: as above; nothing is left on the register stack, as nothing is returned there.
    unsafe {
        asm!(
            "push qword ptr [r13 + 40]", "push qword ptr [r13 + 32]",
            "push qword ptr [r13 + 24]", "push qword ptr [r13 + 16]",
            "push qword ptr [r13 + 8]", "push qword ptr [r13]",
            "call {function}",
            "add rsp, 48",
            function = in(reg) function,
            in("r13") words.as_ptr(),
            inout("rdi") integer => _,
            lateout("rax") result,
            clobber_abi("C"),
        )
    }
    result
}

/// # Safety
/// The function must take a double (or a float, in the low half of `x`) and a long double, and return the like of the
/// first: `nexttoward` and `nexttowardf`.
pub unsafe fn call_returning_f64(function: CFunction, x: f64, argument: F80) -> f64 {
    let result;
    let words = stack_words([argument; 3]);
    // SAFETY: as above.
    unsafe {
        asm!(
            "push qword ptr [r13 + 8]", "push qword ptr [r13]",
            "call {function}",
            "add rsp, 16",
            function = in(reg) function,
            in("r13") words.as_ptr(),
            inout("xmm0") x => result,
            clobber_abi("C"),
        )
    }
    result
}

fn stack_words([x, y, z]: [F80; 3]) -> [u64; 6] {
    [x.mantissa, x.sign_exp.into(), y.mantissa, y.sign_exp.into(), z.mantissa, z.sign_exp.into()]
}

/// The address as an integer argument for the calls above.
pub fn pointer_argument<T>(pointer: *mut T) -> i64 {
    pointer.cast::<c_void>().expose_provenance() as i64
}

//! The functions of the host's libm, by C name.
//!
//! One table lists them by signature, each with its names for `double`, `float` and `long double`. From it come the
//! declarations and the lookup. Those with `long double` go through the calls in `f80`.

use super::MathFn;
use crate::f80::{F80, call_returning_f64, call_returning_f80, call_returning_integer, pointer_argument};
use std::ffi::{CStr, c_char, c_int, c_void};
use std::hint::black_box;
use std::sync::OnceLock;

/// In place of operands that a function does not take.
const PAD: F80 = F80::ZERO;

type C1<X, R = X> = extern "C" fn(X) -> R;
type C2<X, Y = X, R = X> = extern "C" fn(X, Y) -> R;
type C3<X> = extern "C" fn(X, X, X) -> X;

/// Hides from the optimiser which function is called. It knows the C library by name and would put its own code for
/// some functions: `fmax` of zeros, for one, then has another sign than glibc's.
fn opaque<F>(function: F) -> F {
    black_box(function)
}

/// Rust's own support library carries a cube root, which the linker prefers to glibc's and which rounds otherwise: glibc's
/// is asked for at run time. (What else it carries, such as `fmod` and `rint`, has only one right result.)
fn glibc<F: Copy>(cache: &OnceLock<F>, name: &CStr) -> F {
    unsafe extern "C" {
        fn dlopen(file: *const c_char, mode: c_int) -> *mut c_void;
        fn dlsym(handle: *mut c_void, name: *const c_char) -> *mut c_void;
    }
    const RTLD_NOW: c_int = 2;
    *cache.get_or_init(|| {
        // SAFETY: libm.so.6 is loaded already, and the caller's `F` is the C type of the function that it names.
        unsafe {
            let function = dlsym(dlopen(c"libm.so.6".as_ptr(), RTLD_NOW), name.as_ptr());
            assert!(!function.is_null(), "glibc has {name:?}");
            std::mem::transmute_copy::<*mut c_void, F>(&function)
        }
    })
}

fn cbrt(x: f64) -> f64 {
    static CACHE: OnceLock<C1<f64>> = OnceLock::new();
    glibc(&CACHE, c"cbrt")(x)
}

fn cbrtf(x: f32) -> f32 {
    static CACHE: OnceLock<C1<f32>> = OnceLock::new();
    glibc(&CACHE, c"cbrtf")(x)
}

macro_rules! table {
    (
        unary { $($d1:ident $f1:ident $l1:ident,)* }
        binary { $($d2:ident $f2:ident $l2:ident,)* }
        ternary { $($d3:ident $f3:ident $l3:ident,)* }
        with_int { $($di:ident $fi:ident $li:ident,)* }
        with_long { $($dl:ident $fl:ident $ll:ident,)* }
        after_int { $($id:ident $if:ident $il:ident,)* }
        to_int { $($dti:ident $fti:ident $lti:ident,)* }
        to_long { $($dtl:ident $ftl:ident $ltl:ident,)* }
        two_to_int { $($d2i:ident $f2i:ident $l2i:ident,)* }
    ) => {
        /// The C declarations. Those with `long double` have no signature that Rust could express.
        ///
        /// `safe`: these take numbers only, and glibc's manual calls each of them safe for threads (`lgamma`, which is
        /// not, is not among them).
        mod c {
            #[link(name = "m")]
            unsafe extern "C" {
                $(pub safe fn $d1(x: f64) -> f64; pub safe fn $f1(x: f32) -> f32; pub fn $l1();)*
                $(pub safe fn $d2(x: f64, y: f64) -> f64; pub safe fn $f2(x: f32, y: f32) -> f32; pub fn $l2();)*
                $(
                    pub safe fn $d3(x: f64, y: f64, z: f64) -> f64;
                    pub safe fn $f3(x: f32, y: f32, z: f32) -> f32;
                    pub fn $l3();
                )*
                $(pub safe fn $di(x: f64, n: i32) -> f64; pub safe fn $fi(x: f32, n: i32) -> f32; pub fn $li();)*
                $(pub safe fn $dl(x: f64, n: i64) -> f64; pub safe fn $fl(x: f32, n: i64) -> f32; pub fn $ll();)*
                $(pub safe fn $id(n: i32, x: f64) -> f64; pub safe fn $if(n: i32, x: f32) -> f32; pub fn $il();)*
                $(pub safe fn $dti(x: f64) -> i32; pub safe fn $fti(x: f32) -> i32; pub fn $lti();)*
                $(pub safe fn $dtl(x: f64) -> i64; pub safe fn $ftl(x: f32) -> i64; pub fn $ltl();)*
                $(pub safe fn $d2i(x: f64, y: f64) -> i32; pub safe fn $f2i(x: f32, y: f32) -> i32; pub fn $l2i();)*

                pub fn cbrtl();
                pub fn nexttoward();
                pub fn nexttowardf();
                pub fn nexttowardl();
                pub fn __iscanonicall();
                pub fn lgamma_r(x: f64, sign: *mut i32) -> f64;
                pub fn lgammaf_r(x: f32, sign: *mut i32) -> f32;
                pub fn lgammal_r();
                pub fn frexp(x: f64, exponent: *mut i32) -> f64;
                pub fn frexpf(x: f32, exponent: *mut i32) -> f32;
                pub fn frexpl();
            }
        }

        /// The function with this C name.
        // SAFETY (all unsafe blocks): the section of the table gives the signature that the call is made with.
        pub fn lookup(name: &str) -> Option<MathFn> {
            use MathFn::*;
            Some(match name {
                "cbrt" => F64ToF64(cbrt),
                "cbrtf" => F32ToF32(cbrtf),
                "cbrtl" => F80ToF80(|x| unsafe { call_returning_f80(c::cbrtl, 0, [x, PAD, PAD]) }),
                $(
                    stringify!($d1) => F64ToF64(|x| opaque(c::$d1 as C1<f64>)(x)),
                    stringify!($f1) => F32ToF32(|x| opaque(c::$f1 as C1<f32>)(x)),
                    stringify!($l1) => F80ToF80(|x| unsafe { call_returning_f80(c::$l1, 0, [x, PAD, PAD]) }),
                )*
                $(
                    stringify!($d2) => F64F64ToF64(|x, y| opaque(c::$d2 as C2<f64>)(x, y)),
                    stringify!($f2) => F32F32ToF32(|x, y| opaque(c::$f2 as C2<f32>)(x, y)),
                    stringify!($l2) => F80F80ToF80(|x, y| unsafe { call_returning_f80(c::$l2, 0, [x, y, PAD]) }),
                )*
                $(
                    stringify!($d3) => F64F64F64ToF64(|x, y, z| opaque(c::$d3 as C3<f64>)(x, y, z)),
                    stringify!($f3) => F32F32F32ToF32(|x, y, z| opaque(c::$f3 as C3<f32>)(x, y, z)),
                    stringify!($l3) => F80F80F80ToF80(|x, y, z| unsafe { call_returning_f80(c::$l3, 0, [x, y, z]) }),
                )*
                $(
                    stringify!($di) => F64I32ToF64(|x, n| opaque(c::$di as C2<f64, i32, f64>)(x, n)),
                    stringify!($fi) => F32I32ToF32(|x, n| opaque(c::$fi as C2<f32, i32, f32>)(x, n)),
                    stringify!($li) => {
                        F80I32ToF80(|x, n| unsafe { call_returning_f80(c::$li, n.into(), [x, PAD, PAD]) })
                    }
                )*
                $(
                    stringify!($dl) => F64I64ToF64(|x, n| opaque(c::$dl as C2<f64, i64, f64>)(x, n)),
                    stringify!($fl) => F32I64ToF32(|x, n| opaque(c::$fl as C2<f32, i64, f32>)(x, n)),
                    stringify!($ll) => F80I64ToF80(|x, n| unsafe { call_returning_f80(c::$ll, n, [x, PAD, PAD]) }),
                )*
                $(
                    stringify!($id) => I32F64ToF64(|n, x| opaque(c::$id as C2<i32, f64, f64>)(n, x)),
                    stringify!($if) => I32F32ToF32(|n, x| opaque(c::$if as C2<i32, f32, f32>)(n, x)),
                    stringify!($il) => {
                        I32F80ToF80(|n, x| unsafe { call_returning_f80(c::$il, n.into(), [x, PAD, PAD]) })
                    }
                )*
                $(
                    stringify!($dti) => F64ToI32(|x| opaque(c::$dti as C1<f64, i32>)(x)),
                    stringify!($fti) => F32ToI32(|x| opaque(c::$fti as C1<f32, i32>)(x)),
                    stringify!($lti) => {
                        F80ToI32(|x| unsafe { call_returning_integer(c::$lti, 0, [x, PAD, PAD]) } as i32)
                    }
                )*
                $(
                    stringify!($dtl) => F64ToI64(|x| opaque(c::$dtl as C1<f64, i64>)(x)),
                    stringify!($ftl) => F32ToI64(|x| opaque(c::$ftl as C1<f32, i64>)(x)),
                    stringify!($ltl) => F80ToI64(|x| unsafe { call_returning_integer(c::$ltl, 0, [x, PAD, PAD]) }),
                )*
                $(
                    stringify!($d2i) => F64F64ToI32(|x, y| opaque(c::$d2i as C2<f64, f64, i32>)(x, y)),
                    stringify!($f2i) => F32F32ToI32(|x, y| opaque(c::$f2i as C2<f32, f32, i32>)(x, y)),
                    stringify!($l2i) => {
                        F80F80ToI32(|x, y| unsafe { call_returning_integer(c::$l2i, 0, [x, y, PAD]) } as i32)
                    }
                )*
                "nexttoward" => F64F80ToF64(|x, y| unsafe { call_returning_f64(c::nexttoward, x, y) }),
                "nexttowardf" => F32F80ToF32(nexttowardf),
                "nexttowardl" => F80F80ToF80(|x, y| unsafe { call_returning_f80(c::nexttowardl, 0, [x, y, PAD]) }),
                "__iscanonicall" => {
                    F80ToI32(|x| unsafe { call_returning_integer(c::__iscanonicall, 0, [x, PAD, PAD]) } as i32)
                }
                "lgamma" | "gamma" => F64ToF64(|x| unsafe { c::lgamma_r(x, &mut 0) }),
                "lgammaf" | "gammaf" => F32ToF32(|x| unsafe { c::lgammaf_r(x, &mut 0) }),
                "lgammal" | "gammal" => F80ToF80(lgammal),
                _ => return None,
            })
        }

        /// Every name of the table.
        pub const NAMES: &[&str] = &[
            $(stringify!($d1), stringify!($f1), stringify!($l1),)*
            $(stringify!($d2), stringify!($f2), stringify!($l2),)*
            $(stringify!($d3), stringify!($f3), stringify!($l3),)*
            $(stringify!($di), stringify!($fi), stringify!($li),)*
            $(stringify!($dl), stringify!($fl), stringify!($ll),)*
            $(stringify!($id), stringify!($if), stringify!($il),)*
            $(stringify!($dti), stringify!($fti), stringify!($lti),)*
            $(stringify!($dtl), stringify!($ftl), stringify!($ltl),)*
            $(stringify!($d2i), stringify!($f2i), stringify!($l2i),)*
            "nexttoward", "nexttowardf", "nexttowardl", "__iscanonicall",
            "lgamma", "lgammaf", "lgammal", "gamma", "gammaf", "gammal",
            "cbrt", "cbrtf", "cbrtl",
        ];
    };
}

table! {
    unary {
        acos acosf acosl,
        acosh acoshf acoshl,
        asin asinf asinl,
        asinh asinhf asinhl,
        atan atanf atanl,
        atanh atanhf atanhl,
        ceil ceilf ceill,
        cos cosf cosl,
        cosh coshf coshl,
        erf erff erfl,
        erfc erfcf erfcl,
        exp expf expl,
        exp10 exp10f exp10l,
        exp2 exp2f exp2l,
        expm1 expm1f expm1l,
        fabs fabsf fabsl,
        floor floorf floorl,
        j0 j0f j0l,
        j1 j1f j1l,
        log logf logl,
        log10 log10f log10l,
        log1p log1pf log1pl,
        log2 log2f log2l,
        logb logbf logbl,
        nearbyint nearbyintf nearbyintl,
        nextdown nextdownf nextdownl,
        nextup nextupf nextupl,
        rint rintf rintl,
        round roundf roundl,
        roundeven roundevenf roundevenl,
        significand significandf significandl,
        sin sinf sinl,
        sinh sinhf sinhl,
        sqrt sqrtf sqrtl,
        tan tanf tanl,
        tanh tanhf tanhl,
        tgamma tgammaf tgammal,
        trunc truncf truncl,
        y0 y0f y0l,
        y1 y1f y1l,
    }
    binary {
        atan2 atan2f atan2l,
        copysign copysignf copysignl,
        drem dremf dreml,
        fdim fdimf fdiml,
        fmax fmaxf fmaxl,
        fmaximum fmaximumf fmaximuml,
        fmaximum_mag fmaximum_magf fmaximum_magl,
        fmaximum_mag_num fmaximum_mag_numf fmaximum_mag_numl,
        fmaximum_num fmaximum_numf fmaximum_numl,
        fmaxmag fmaxmagf fmaxmagl,
        fmin fminf fminl,
        fminimum fminimumf fminimuml,
        fminimum_mag fminimum_magf fminimum_magl,
        fminimum_mag_num fminimum_mag_numf fminimum_mag_numl,
        fminimum_num fminimum_numf fminimum_numl,
        fminmag fminmagf fminmagl,
        fmod fmodf fmodl,
        hypot hypotf hypotl,
        nextafter nextafterf nextafterl,
        pow powf powl,
        remainder remainderf remainderl,
        scalb scalbf scalbl,
    }
    ternary {
        fma fmaf fmal,
    }
    with_int {
        ldexp ldexpf ldexpl,
        scalbn scalbnf scalbnl,
    }
    with_long {
        scalbln scalblnf scalblnl,
    }
    after_int {
        jn jnf jnl,
        yn ynf ynl,
    }
    to_int {
        __finite __finitef __finitel,
        __fpclassify __fpclassifyf __fpclassifyl,
        __isinf __isinff __isinfl,
        __isnan __isnanf __isnanl,
        __issignaling __issignalingf __issignalingl,
        __signbit __signbitf __signbitl,
        finite finitef finitel,
        ilogb ilogbf ilogbl,
        isinf isinff isinfl,
        isnan isnanf isnanl,
    }
    to_long {
        llogb llogbf llogbl,
        llrint llrintf llrintl,
        llround llroundf llroundl,
        lrint lrintf lrintl,
        lround lroundf lroundl,
    }
    two_to_int {
        __iseqsig __iseqsigf __iseqsigl,
    }
}

fn nexttowardf(x: f32, toward: F80) -> f32 {
    let register = f64::from_bits(x.to_bits().into());
    // SAFETY: the function takes and returns a float in the low half of the register.
    let result = unsafe { call_returning_f64(c::nexttowardf, register, toward) };
    f32::from_bits(result.to_bits() as u32)
}

fn lgammal(x: F80) -> F80 {
    let mut sign = 0i32;
    // SAFETY: the function takes a long double and the address of an int.
    unsafe { call_returning_f80(c::lgammal_r, pointer_argument(&mut sign), [x, PAD, PAD]) }
}

/// `frexp` with the exponent as a second result, for the intrinsic.
pub fn frexp(x: f64) -> (f64, i32) {
    let mut exponent = 0;
    // SAFETY: the function writes the int behind the pointer.
    let fraction = unsafe { c::frexp(x, &mut exponent) };
    (fraction, exponent)
}

pub fn frexpf(x: f32) -> (f32, i32) {
    let mut exponent = 0;
    // SAFETY: as above.
    let fraction = unsafe { c::frexpf(x, &mut exponent) };
    (fraction, exponent)
}

pub fn frexpl(x: F80) -> (F80, i32) {
    let mut exponent = 0i32;
    let address = pointer_argument(&mut exponent);
    // SAFETY: the function takes a long double and the address of an int.
    let fraction = unsafe { call_returning_f80(c::frexpl, address, [x, PAD, PAD]) };
    (fraction, exponent)
}

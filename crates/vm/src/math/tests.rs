//! A C program, compiled by clang-19, calls every function of the table on many operands and prints the bits of the
//! results; the natives must give the same bits. Another one does it for what clang compiles to intrinsics.

use super::*;
use std::fmt::Write as _;
use std::process::Command;

/// Operands, in decreasing order of interest: functions of one operand get all, of two the first 24.
fn operands() -> Vec<F80> {
    let doubles = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.5,
        2.0,
        -2.5,
        3.0,
        1e-3,
        -0.1,
        10.0,
        0.7,
        100.5,
        -37.0,
        1e10,
        1e-10,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
        1e300,
        -1e-300,
        710.5,
        1.5,
        -3.5,
        5e-324,
        f64::MAX,
        f64::MIN_POSITIVE,
        1e-40,
        3e38,
        88.9,
        -104.0,
        -745.2,
        11357.0,
        -11400.0,
        std::f64::consts::PI,
        std::f64::consts::E,
        0.99999999,
        1.00000001,
        33.0,
        171.7,
        1e22,
        -5.0,
        4503599627370497.5,
        9.2e18,
        -9.3e18,
        2147483648.0,
        0.3,
        6.25,
        12.0,
        -0.9999,
    ];
    let mut all: Vec<F80> = doubles.iter().map(|&x| F80::from(x)).collect();
    // What only 80 bits hold: thirds and tenths, very large and very small, subnormals, a signalling NaN.
    all.extend([
        F80::ONE / F80::from(3),
        F80::from(7) / F80::from(-10),
        F80::MAX,
        F80::MIN_POSITIVE,
        F80 { mantissa: 1, sign_exp: 0x8000 },
        F80 { mantissa: 0xa000_0000_0000_0001, sign_exp: 0x7fff },
        F80 { mantissa: 0xc90f_daa2_2168_c235, sign_exp: 0x4000 },
    ]);
    // And a walk over magnitudes and mantissas.
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    for step in 0..60 {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let exponent = 0x3fff - 30 + step;
        all.push(F80 { mantissa: state | 1 << 63, sign_exp: exponent | (state as u16 & 0x8000) });
    }
    all
}

const INTEGERS: [i32; 14] = [0, 1, -1, 2, 3, 5, -7, 10, 63, -64, 1023, -1074, 16383, i32::MIN];

/// Shape of a function: what the C program passes and prints, and what the native is given.
enum Shape {
    One,
    Two,
    Three,
    ThenInteger,
    AfterInteger,
}

fn run(source: &str, flags: &[&str]) -> String {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("t.c"), source).unwrap();
    let output = Command::new("clang-19")
        .args(["-w", "t.c", "-o", "t", "-lm"])
        .args(flags)
        .current_dir(&folder)
        .output()
        .expect("clang-19 must be installed");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let output = Command::new(folder.path().join("t")).output().unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap()
}

/// The start of a C program: the operands in the three formats, and printing of bits.
fn prelude(operands: &[F80]) -> String {
    let mut text = String::from(
        "#define _GNU_SOURCE\n#include <math.h>\n#include <stdio.h>\n#include <string.h>\n
        static void show_d(double x) { unsigned long b; memcpy(&b, &x, 8); printf(\"%lx\\n\", b); }
        static void show_f(float x) { unsigned b; memcpy(&b, &x, 4); printf(\"%x\\n\", b); }
        static void show_l(long double x) { unsigned long b; unsigned short e; memcpy(&b, &x, 8);
          memcpy(&e, (char *)&x + 8, 2); printf(\"%hx:%lx\\n\", e, b); }
        static void show_i(long x) { printf(\"%ld\\n\", x); }\n",
    );
    let _ = write!(text, "static int n[] = {{ {} }};", INTEGERS.map(|n| n.to_string()).join(", "));
    let (mut d, mut f, mut l) = (String::new(), String::new(), String::new());
    for x in operands {
        let _ = write!(d, "{:#x}ul, ", x.to_f64().to_bits());
        let _ = write!(f, "{:#x}u, ", x.to_f32().to_bits());
        let _ = write!(l, "{:#x}ul, {:#x}ul, ", x.mantissa, x.sign_exp);
    }
    let _ = write!(
        text,
        "static unsigned long db[] = {{ {d} }}, lb[] = {{ {l} }}; static unsigned fb[] = {{ {f} }};
        #define d ((double *)db)\n#define f ((float *)fb)\n#define l ((long double *)lb)\nint main(void) {{\n"
    );
    text
}

fn line_f64(x: f64) -> String {
    format!("{:x}", x.to_bits())
}

fn line_f32(x: f32) -> String {
    format!("{:x}", x.to_bits())
}

fn line_f80(x: F80) -> String {
    format!("{:x}:{:x}", x.sign_exp, x.mantissa)
}

/// The array, the printing function, and the shape for a signature.
fn c_side(function: MathFn) -> (&'static str, &'static str, Shape) {
    use MathFn::*;
    match function {
        F32ToF32(_) => ("f", "show_f", Shape::One),
        F32F32ToF32(_) => ("f", "show_f", Shape::Two),
        F32F32F32ToF32(_) => ("f", "show_f", Shape::Three),
        F32I32ToF32(_) | F32I64ToF32(_) => ("f", "show_f", Shape::ThenInteger),
        I32F32ToF32(_) => ("f", "show_f", Shape::AfterInteger),
        F32ToI32(_) | F32ToI64(_) => ("f", "show_i", Shape::One),
        F32F32ToI32(_) => ("f", "show_i", Shape::Two),
        F32F80ToF32(_) => ("f", "show_f", Shape::Two),
        F64ToF64(_) => ("d", "show_d", Shape::One),
        F64F64ToF64(_) => ("d", "show_d", Shape::Two),
        F64F64F64ToF64(_) => ("d", "show_d", Shape::Three),
        F64I32ToF64(_) | F64I64ToF64(_) => ("d", "show_d", Shape::ThenInteger),
        I32F64ToF64(_) => ("d", "show_d", Shape::AfterInteger),
        F64ToI32(_) | F64ToI64(_) => ("d", "show_i", Shape::One),
        F64F64ToI32(_) => ("d", "show_i", Shape::Two),
        F64F80ToF64(_) => ("d", "show_d", Shape::Two),
        F80ToF80(_) => ("l", "show_l", Shape::One),
        F80F80ToF80(_) => ("l", "show_l", Shape::Two),
        F80F80F80ToF80(_) => ("l", "show_l", Shape::Three),
        F80I32ToF80(_) | F80I64ToF80(_) => ("l", "show_l", Shape::ThenInteger),
        I32F80ToF80(_) => ("l", "show_l", Shape::AfterInteger),
        F80ToI32(_) | F80ToI64(_) => ("l", "show_i", Shape::One),
        F80F80ToI32(_) => ("l", "show_i", Shape::Two),
        F32ToF32I32(_) | F64ToF64I32(_) | F80ToF80I32(_) => unreachable!("not C functions"),
    }
}

/// The native on operands `i`, `j`, `k` as far as it takes them, and on integer `k`.
fn native_side(function: MathFn, all: &[F80], i: usize, j: usize, k: usize) -> String {
    use MathFn::*;
    let f = |i: usize| all[i].to_f32();
    let d = |i: usize| all[i].to_f64();
    let n = INTEGERS[k % INTEGERS.len()];
    match function {
        F32ToF32(g) => line_f32(g(f(i))),
        F32F32ToF32(g) => line_f32(g(f(i), f(j))),
        F32F32F32ToF32(g) => line_f32(g(f(i), f(j), f(k))),
        F32I32ToF32(g) => line_f32(g(f(i), n)),
        F32I64ToF32(g) => line_f32(g(f(i), n.into())),
        I32F32ToF32(g) => line_f32(g(n, f(i))),
        F32F80ToF32(g) => line_f32(g(f(i), all[j])),
        F32ToI32(g) => g(f(i)).to_string(),
        F32ToI64(g) => g(f(i)).to_string(),
        F32F32ToI32(g) => g(f(i), f(j)).to_string(),
        F64ToF64(g) => line_f64(g(d(i))),
        F64F64ToF64(g) => line_f64(g(d(i), d(j))),
        F64F64F64ToF64(g) => line_f64(g(d(i), d(j), d(k))),
        F64I32ToF64(g) => line_f64(g(d(i), n)),
        F64I64ToF64(g) => line_f64(g(d(i), n.into())),
        I32F64ToF64(g) => line_f64(g(n, d(i))),
        F64F80ToF64(g) => line_f64(g(d(i), all[j])),
        F64ToI32(g) => g(d(i)).to_string(),
        F64ToI64(g) => g(d(i)).to_string(),
        F64F64ToI32(g) => g(d(i), d(j)).to_string(),
        F80ToF80(g) => line_f80(g(all[i])),
        F80F80ToF80(g) => line_f80(g(all[i], all[j])),
        F80F80F80ToF80(g) => line_f80(g(all[i], all[j], all[k])),
        F80I32ToF80(g) => line_f80(g(all[i], n)),
        F80I64ToF80(g) => line_f80(g(all[i], n.into())),
        I32F80ToF80(g) => line_f80(g(n, all[i])),
        F80ToI32(g) => g(all[i]).to_string(),
        F80ToI64(g) => g(all[i]).to_string(),
        F80F80ToI32(g) => g(all[i], all[j]).to_string(),
        F32ToF32I32(_) | F64ToF64I32(_) | F80ToF80I32(_) => unreachable!("not C functions"),
    }
}

/// Runs the C functions (or builtins) and their natives side by side. Calls go through the given C spelling.
fn compare(functions: &[(String, MathFn)], flags: &[&str]) {
    let all = operands();
    let counts = |shape: &Shape| match shape {
        Shape::One => (all.len(), 1, 1),
        Shape::Two => (24, 24, 1),
        Shape::Three => (16, 16, 16),
        Shape::ThenInteger => (all.len(), 1, INTEGERS.len()),
        // jn and yn loop over their order: not the large ones.
        Shape::AfterInteger => (all.len(), 1, INTEGERS.len() - 4),
    };
    let mut source = prelude(&all);
    for (name, function) in functions {
        let (array, show, shape) = c_side(*function);
        let second = if name.contains("nexttoward") { "l" } else { array };
        let call = match shape {
            Shape::One => format!("{name}({array}[i])"),
            Shape::Two => format!("{name}({array}[i], {second}[j])"),
            Shape::Three => format!("{name}({array}[i], {array}[j], {array}[k])"),
            Shape::ThenInteger => format!("{name}({array}[i], n[k])"),
            Shape::AfterInteger => format!("{name}(n[k], {array}[i])"),
        };
        let (ni, nj, nk) = counts(&shape);
        let _ = writeln!(
            source,
            "for (int i = 0; i < {ni}; i++) for (int j = 0; j < {nj}; j++)
             for (int k = 0; k < {nk}; k++) {show}({call});"
        );
    }
    source.push('}');
    let output = run(&source, flags);
    let mut lines = output.lines();
    for (name, function) in functions {
        let (ni, nj, nk) = counts(&c_side(*function).2);
        for (i, j, k) in (0..ni).flat_map(|i| (0..nj).flat_map(move |j| (0..nk).map(move |k| (i, j, k)))) {
            let got = native_side(*function, &all, i, j, k);
            let expected = lines.next().expect("a line of output for each call");
            assert_eq!(got, expected, "{name} of operands {i} {:?}, {j} {:?}, {k}", all[i], all[j]);
        }
    }
    assert_eq!(lines.next(), None);
}

#[test]
fn c_functions_give_the_bits_of_a_native_run() {
    let functions: Vec<(String, MathFn)> = libm::NAMES
        .iter()
        .map(|name| {
            // Classification macros of math.h hide the functions of the same name.
            (format!("({name})"), lookup(name).unwrap_or_else(|| panic!("{name}")))
        })
        .collect();
    assert!(functions.len() > 240);
    compare(&functions, &["-O0", "-fno-builtin", "-Disinfl=__isinfl", "-Disnanl=__isnanl"]);
}

#[test]
fn intrinsics_give_the_bits_of_compiled_code() {
    let builtins = [
        "sin",
        "cos",
        "tan",
        "asin",
        "acos",
        "atan",
        "sinh",
        "cosh",
        "tanh",
        "pow",
        "exp",
        "exp2",
        "exp10",
        "log",
        "log2",
        "log10",
        "sqrt",
        "floor",
        "ceil",
        "trunc",
        "rint",
        "nearbyint",
        "round",
        "roundeven",
        "fabs",
        "copysign",
        "fma",
        "ldexp",
        "lround",
        "llround",
        "lrint",
        "llrint",
        "powi",
        "fmin",
        "fmax",
        "atan2",
    ];
    let mut functions = Vec::new();
    for (float, suffix) in [(FloatWidth::F32, "f"), (FloatWidth::F64, ""), (FloatWidth::F80, "l")] {
        for name in builtins {
            let base = match name {
                "fmin" => "llvm.minnum".to_string(),
                "fmax" => "llvm.maxnum".to_string(),
                _ => format!("llvm.{name}"),
            };
            let function = intrinsic(&base, float).unwrap_or_else(|| panic!("{base}"));
            functions.push((format!("__builtin_{name}{suffix}"), function));
        }
    }
    // Without errno clang makes intrinsics of (nearly) all of them.
    compare(&functions, &["-O0", "-fno-math-errno"]);
}

#[test]
fn multiply_add_is_not_fused() {
    let x = 1.0 + f64::EPSILON;
    let Some(MathFn::F64F64F64ToF64(f)) = intrinsic("llvm.fmuladd", FloatWidth::F64) else { panic!() };
    let Some(MathFn::F64F64F64ToF64(g)) = intrinsic("llvm.experimental.constrained.fma", FloatWidth::F64) else {
        panic!()
    };
    assert_eq!(f(x, x, -(x * x)), 0.0);
    assert_eq!(g(x, x, -(x * x)), f64::EPSILON * f64::EPSILON);
}

#[test]
fn minimum_and_maximum_know_zeros_and_nans() {
    let Some(MathFn::F64F64ToF64(min)) = intrinsic("llvm.minimum", FloatWidth::F64) else { panic!() };
    let Some(MathFn::F80F80ToF80(max)) = intrinsic("llvm.maximum", FloatWidth::F80) else { panic!() };
    assert!(min(0.0, -0.0).is_sign_negative() && min(-0.0, 0.0).is_sign_negative());
    assert!(min(f64::NAN, 1.0).is_nan() && min(1.0, f64::NAN).is_nan());
    assert!(!max(F80::ZERO, -F80::ZERO).is_sign_negative() && !max(-F80::ZERO, F80::ZERO).is_sign_negative());
    assert!(max(F80::NAN, F80::ONE).is_nan());
}

#[test]
fn exponents_come_as_a_second_result() {
    let Some(MathFn::F64ToF64I32(d)) = intrinsic("llvm.frexp", FloatWidth::F64) else { panic!() };
    let Some(MathFn::F32ToF32I32(f)) = intrinsic("llvm.frexp", FloatWidth::F32) else { panic!() };
    let Some(MathFn::F80ToF80I32(l)) = intrinsic("llvm.frexp", FloatWidth::F80) else { panic!() };
    assert_eq!(d(12.0), (0.75, 4));
    assert_eq!(f(-0.25), (-0.5, -1));
    assert_eq!(l(F80::from(12)), (F80::from(0.75), 4));
}

#[test]
fn names() {
    assert!(lookup("__tb_math_log").is_some() && lookup("log").is_some());
    assert!(matches!(lookup("sinf64x"), Some(MathFn::F80ToF80(_))));
    assert!(matches!(lookup("sinf32"), Some(MathFn::F32ToF32(_))));
    assert!(matches!(lookup("powf64"), Some(MathFn::F64F64ToF64(_))));
    assert!(matches!(lookup("powf"), Some(MathFn::F32F32ToF32(_))));
    for unknown in ["", "f64", "f", "sincos", "frexp", "printf", "__tb_math_"] {
        assert!(lookup(unknown).is_none(), "{unknown}");
    }
    assert!(intrinsic("llvm.sin.f64", FloatWidth::F64).is_none());
    assert!(intrinsic("sin", FloatWidth::F64).is_none());
    assert!(intrinsic("llvm.cbrt", FloatWidth::F64).is_none());
}

/// The C half of the library against glibc, and that it finds all natives it asks for.
#[test]
fn the_c_runtime_agrees_with_glibc() {
    let runtime = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("runtime");
    let output = Command::new(runtime.join("tests/math_test.sh")).output().expect("the script runs");
    assert!(
        output.status.success(),
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );

    let output = Command::new("clang-19")
        .args(["-std=gnu17", "-O1", "-ffreestanding", "-fno-builtin"])
        .args(["-S", "-emit-llvm", "math.c", "-o", "-"])
        .current_dir(&runtime)
        .output()
        .expect("clang-19 must be installed");
    let text = String::from_utf8(output.stdout).unwrap();
    let natives: std::collections::BTreeSet<&str> = text
        .split('@')
        .skip(1)
        .filter_map(|rest| rest.split('(').next())
        .filter(|name| name.starts_with("__tb_math_"))
        .collect();
    assert!(natives.len() > 100, "{natives:?}");
    for name in natives {
        assert!(lookup(name).is_some(), "{name}");
    }
}

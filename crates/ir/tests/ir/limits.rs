//! Text made to hurt: deep, huge, quadratic. Each must end soon, as an error or as a module.

use std::time::{Duration, Instant};

use threadbare_ir::parse;

/// Generous, as the machine may be busy: linear work here takes well below a second.
const LIMIT: Duration = Duration::from_secs(30);

fn error_of(text: &str) -> String {
    let start = Instant::now();
    let result = parse(text);
    assert!(start.elapsed() < LIMIT, "took {:?}", start.elapsed());
    result.expect_err("the text is wrong").message
}

fn must_parse(text: &str) {
    let start = Instant::now();
    if let Err(error) = parse(text) {
        panic!("{error}");
    }
    assert!(start.elapsed() < LIMIT, "took {:?}", start.elapsed());
}

#[test]
fn nesting_is_limited() {
    const DEEP: usize = 100_000;
    let too_deep = "nested deeper than 200 levels";
    let table = [
        format!("@a = external global {}", "[1 x ".repeat(DEEP)),
        format!("@a = external global {}", "{".repeat(DEEP)),
        format!("@a = external global {}", "<{".repeat(DEEP)),
        format!("@a = global i64 {}", "add (i64 ".repeat(DEEP)),
        format!("@a = global ptr {}", "getelementptr (i8, ptr ".repeat(DEEP)),
        format!("@a = global i64 {}", "ptrtoint (ptr inttoptr (i64 ".repeat(DEEP)),
        format!("!0 = {}", "!{".repeat(DEEP)),
        format!("!0 = {}", "!DILocation(scope: ".repeat(DEEP)),
        format!("@a = external global ptr (ptr{}", "(ptr".repeat(DEEP)),
    ];
    for text in table {
        let message = error_of(&text);
        assert!(message.contains(too_deep) || message.contains("not allowed"), "{message}");
    }
}

#[test]
fn deep_but_reasonable_text_is_read() {
    const DEPTH: usize = 150;
    let (open, close) = ("[1 x ".repeat(DEPTH), "]".repeat(DEPTH));
    let value = format!("{open}i8{close} zeroinitializer");
    must_parse(&format!("@a = global {value}\n"));
    must_parse(&format!("!0 = {}{}\n", "!{".repeat(DEPTH), "}".repeat(DEPTH)));
}

#[test]
fn chains_of_named_types_are_limited() {
    let chain = |length: usize| {
        let mut text: String = (0..length).map(|n| format!("%t{n} = type {{ %t{} }}\n", n + 1)).collect();
        text.push_str(&format!("%t{length} = type {{ i8 }}\n"));
        text
    };
    must_parse(&chain(50));
    assert!(error_of(&chain(100_000)).contains("is nested too deep"));
}

#[test]
fn wide_types_are_only_numbers() {
    must_parse("@a = global [18446744073709551615 x [18446744073709551615 x i8]] zeroinitializer\n");
    // 2^100 leaves, but only a hundred types.
    let text: String = (0..100).map(|n| format!("%t{n} = type {{ %t{0}, %t{0} }}\n", n + 1)).collect();
    must_parse(&format!("{text}%t100 = type {{ i8 }}\n@a = global %t0 zeroinitializer\n"));
}

#[test]
fn huge_numbers_allocate_nothing() {
    assert!(error_of("define void @f() {\n  ret i32 %4294967295\n}").contains("expected type"));
    assert!(error_of("define i32 @f() {\n  ret i32 %4294967295\n}").contains("undefined value"));
    assert!(error_of("define i32 @f() {\n  br label %4294967295\n}").contains("undefined"));
    assert!(error_of("declare void @f() #4294967295").contains("undefined attribute group"));
    assert!(error_of("declare void @f() #4294967296").contains("malformed"));
}

#[test]
fn time_is_linear() {
    const MANY: usize = 200_000;
    // One large function, then many small ones: tables must not be cleared at the price of the largest.
    let mut text = String::from("define void @large() {\n");
    (0..MANY).for_each(|n| text.push_str(&format!("  %v{n} = add i32 0, 0\n")));
    text.push_str("  ret void\n}\n");
    (0..MANY).for_each(|n| text.push_str(&format!("define void @f{n}(i32 %x) {{\n  ret void\n}}\n")));
    must_parse(&text);

    let cases: String = (0..MANY).map(|n| format!("i32 {n}, label %x ")).collect();
    must_parse(&format!("define void @f(i32 %a) {{\n  switch i32 %a, label %x [ {cases} ]\nx:\n  ret void\n}}\n"));

    let blocks: String = (0..MANY).rev().map(|n| format!("b{}:\n  br label %b{n}\n", n + 1)).collect();
    must_parse(&format!("define void @f() {{\n  br label %b{MANY}\n{blocks}b0:\n  ret void\n}}\n"));

    let elements = vec!["i8 1"; MANY].join(", ");
    must_parse(&format!("@a = global [{MANY} x i8] [{elements}]\n"));

    let uses: String = (0..MANY).map(|n| format!("@p{n} = global ptr blockaddress(@f, %x)\n")).collect();
    must_parse(&format!("{uses}define void @f() {{\n  br label %x\nx:\n  ret void\n}}\n"));

    let undefined: String = (0..MANY).map(|n| format!("@p{n} = global ptr @q{n}\n")).collect();
    assert_eq!(error_of(&undefined), "use of undefined value '@q0'");
}

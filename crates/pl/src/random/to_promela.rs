//! The same program in Promela, the language of SPIN. Every visible operation is one step there, too; local code takes steps of
//! its own, which nobody can see who looks at the variables.

use std::fmt::Write;

use super::program::{Expr, Instr, Program, REGISTERS};

/// A program of `side_by_side`; an `assume` or a failed assertion means nothing there.
pub fn to_promela(program: &Program) -> String {
    let mut text = String::new();
    for (x, value) in program.variables.iter().enumerate() {
        let _ = writeln!(text, "int x{x} = {value};");
    }
    for m in 0..program.mutexes {
        let _ = writeln!(text, "bit m{m} = 0;");
    }
    for (t, code) in program.threads.iter().enumerate() {
        let heading = if t == 0 { "init".to_string() } else { format!("proctype t{t}()") };
        let registers: Vec<String> = (0..REGISTERS).map(|r| format!("r{r} = 0")).collect();
        let _ = writeln!(text, "\n{heading} {{\n  int {};", registers.join(", "));
        for (at, instr) in code.0.iter().enumerate() {
            let _ = writeln!(text, "L{at}: {};", statement(*instr));
        }
        let _ = writeln!(text, "L{}: skip\n}}", code.0.len());
    }
    text
}

fn statement(instr: Instr) -> String {
    match instr {
        Instr::Load(r, x) => format!("r{r} = x{x}"),
        Instr::Store(x, e) => format!("x{x} = {}", value(e)),
        Instr::CompareExchange(r, x, old, new) => {
            let (old, new) = (value(old), value(new));
            format!("atomic {{ if :: x{x} == {old} -> x{x} = {new}; r{r} = 1 :: else -> r{r} = 0 fi }}")
        }
        Instr::Lock(m) => format!("atomic {{ m{m} == 0 -> m{m} = 1 }}"),
        Instr::Unlock(m) => format!("m{m} = 0"),
        Instr::Choose(r, n) => {
            let choices: Vec<String> = (0..n).map(|choice| format!(":: r{r} = {choice}")).collect();
            format!("if {} fi", choices.join(" "))
        }
        Instr::Set(r, e) => format!("r{r} = {}", value(e)),
        Instr::JumpIf(e, to) => format!("if :: {} != 0 -> goto L{to} :: else -> skip fi", value(e)),
        Instr::Create(t) => format!("run t{t}()"),
        Instr::Assert(_) | Instr::Assume(_) => "skip".into(),
        other => unreachable!("{other:?} is not in a program of `side_by_side`"),
    }
}

/// Comparisons are 0 or 1, as in C.
fn value(e: Expr) -> String {
    match e {
        Expr::Const(value) => value.to_string(),
        Expr::Reg(r) => format!("r{r}"),
        Expr::Plus(r, value) => format!("((r{r} + {value}) % 3)"),
        Expr::Equal(r, value) => format!("(r{r} == {value})"),
        Expr::Differ(r, value) => format!("(r{r} != {value})"),
        Expr::RegsDiffer(a, b) => format!("(r{a} != r{b})"),
    }
}

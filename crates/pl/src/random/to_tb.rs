//! The same program in the small language, as far as that has the words for it.

use std::fmt::Write;

use super::program::{Code, Expr, Instr, Program, REGISTERS};

/// The program with all threads from the start, and with nothing that the small language lacks: `None` where that cannot
/// be put in other words. Thread 0 creates the others and does nothing else; the traces are then those of threads that
/// are declared side by side.
pub fn side_by_side(program: &Program) -> Option<Program> {
    let nothing = Instr::Set(0, Expr::Reg(0));
    let translate = |instr: &Instr| {
        Some(match *instr {
            Instr::Load(..) | Instr::Store(..) | Instr::CompareExchange(..) | Instr::Choose(..) => *instr,
            Instr::Lock(_) | Instr::Unlock(_) | Instr::Set(..) | Instr::JumpIf(..) => *instr,
            Instr::Assert(_) | Instr::Assume(_) => *instr,
            Instr::Exchange(r, x, e) => Instr::CompareExchange(r, x, Expr::Const(0), e),
            Instr::FetchAdd(r, x, _) => Instr::CompareExchange(r, x, Expr::Reg(r), Expr::Plus(r, 1)),
            Instr::Create(_) | Instr::Join(_) => nothing,
            _ => return None,
        })
    };
    let bodies: Option<Vec<Code>> =
        program.threads.iter().map(|code| code.0.iter().map(translate).collect::<Option<_>>().map(Code)).collect();
    let bodies = bodies?;
    let creates = Code((1..=bodies.len()).map(Instr::Create).collect());
    let threads = std::iter::once(creates).chain(bodies).collect();
    Some(Program { threads, ..program.clone() })
}

/// How the same thing is said.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wording {
    /// Registers are references that only their thread's own code touches.
    Plain,
    /// Everything goes through functions, which are given references, shared or not, and other functions.
    Functions,
}

/// A program of `side_by_side`. Its invariant is the function `holds`.
pub fn to_tb(program: &Program, wording: Wording) -> String {
    let mut text = String::new();
    for (x, value) in program.variables.iter().enumerate() {
        let _ = writeln!(text, "shared x{x} = {value}");
    }
    for m in 0..program.mutexes {
        let _ = writeln!(text, "mutex m{m}");
    }
    if wording == Wording::Functions {
        text += "let load(from, into) = into := !from\n\
                 let store(to, value) = to := value()\n\
                 let take(m) = lock m\n\
                 let swap(x, old, new) = if cas(x, old(), new()) then 1 else 0\n";
    }
    if !program.never.is_empty() {
        let holds = program.never.iter().map(|(x, value)| match wording {
            Wording::Plain => format!("!x{x} == {value}"),
            Wording::Functions => format!("equal(x{x}, {value})"),
        });
        let all: Vec<String> = holds.collect();
        text += "let equal(x, value) = !x == value\n";
        let _ = writeln!(text, "let holds() = not ({})", all.join(" && "));
    }
    for (t, code) in program.threads.iter().enumerate().skip(1) {
        let _ = writeln!(text, "\nthread t{t} {{");
        for r in 0..REGISTERS {
            let _ = writeln!(text, "  let r{r} = ref 0 in");
        }
        let mut printer = Printer { code: &code.0, text: String::new(), wording, depth: 1 };
        printer.block(0, code.0.len(), None);
        text += &printer.text;
        text += "}\n";
    }
    text
}

struct Printer<'p> {
    code: &'p [Instr],
    text: String,
    wording: Wording,
    depth: usize,
}

impl Printer<'_> {
    fn line(&mut self, line: &str) {
        let _ = writeln!(self.text, "{:1$}{line}", "", 2 * self.depth);
    }

    /// The instructions of a range. `inside` is the start of the loop around it, whose jumps back become the way to the
    /// next round.
    fn block(&mut self, from: usize, to: usize, inside: Option<usize>) {
        let mut at = from;
        while at < to {
            let last_jump_back =
                (at..to).rev().find(|&i| matches!(self.code[i], Instr::JumpIf(_, target) if target == at));
            if let Some(last) = last_jump_back.filter(|_| inside != Some(at)) {
                self.line("let again = ref true in {");
                self.depth += 1;
                self.line("while !again do {");
                self.depth += 1;
                self.line("again := false;");
                self.block(at, last + 1, Some(at));
                self.depth -= 1;
                self.line("}");
                self.depth -= 1;
                self.line("};");
                at = last + 1;
                continue;
            }
            match self.code[at] {
                Instr::JumpIf(e, target) if target > at => {
                    self.line(&format!("if not ({}) then {{", condition(e)));
                    self.depth += 1;
                    self.block(at + 1, target, None);
                    self.depth -= 1;
                    self.line("};");
                    at = target;
                }
                Instr::JumpIf(e, target) => {
                    assert_eq!(Some(target), inside, "loops are nested");
                    self.line(&format!("if {} then again := true else {{", condition(e)));
                    self.depth += 1;
                    self.block(at + 1, to, inside);
                    self.depth -= 1;
                    self.line("};");
                    return;
                }
                instr => {
                    let words = self.statement(instr);
                    self.line(&words);
                    at += 1;
                }
            }
        }
        self.line("()");
    }

    fn statement(&self, instr: Instr) -> String {
        let functions = self.wording == Wording::Functions;
        match instr {
            Instr::Load(r, x) if functions => format!("load(x{x}, r{r});"),
            Instr::Load(r, x) => format!("r{r} := !x{x};"),
            Instr::Store(x, e) if functions => format!("store(x{x}, fun () -> {});", number(e)),
            Instr::Store(x, e) => format!("x{x} := {};", number(e)),
            Instr::CompareExchange(r, x, old, new) if functions => {
                format!("r{r} := swap(x{x}, fun () -> {}, fun () -> {});", number(old), number(new))
            }
            Instr::CompareExchange(r, x, old, new) => {
                format!("r{r} := if cas(x{x}, {}, {}) then 1 else 0;", number(old), number(new))
            }
            Instr::Lock(m) if functions => format!("take(m{m});"),
            Instr::Lock(m) => format!("lock m{m};"),
            Instr::Unlock(m) => format!("unlock m{m};"),
            Instr::Choose(r, n) => format!("r{r} := choose(0, {});", n - 1),
            Instr::Set(r, e) => format!("r{r} := {};", number(e)),
            Instr::Assert(e) => format!("assert {};", condition(e)),
            Instr::Assume(e) => format!("assume {};", condition(e)),
            other => unreachable!("{other:?} is not in a program of `side_by_side`"),
        }
    }
}

fn number(e: Expr) -> String {
    match e {
        Expr::Const(value) => value.to_string(),
        Expr::Reg(r) => format!("!r{r}"),
        Expr::Plus(r, value) => format!("(!r{r} + {value}) % 3"),
        other => format!("if {} then 1 else 0", condition(other)),
    }
}

fn condition(e: Expr) -> String {
    match e {
        Expr::Equal(r, value) => format!("!r{r} == {value}"),
        Expr::Differ(r, value) => format!("!r{r} != {value}"),
        Expr::RegsDiffer(a, b) => format!("!r{a} != !r{b}"),
        other => format!("{} != 0", number(other)),
    }
}

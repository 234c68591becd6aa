//! What the hardware traps on, and what the compiler was promised never to come. Nobody needs the result of a division for the trap,
//! but for code generation only the result counts: it drops what is computed in vain, moves it to where it is wanted, and knows that
//! `x / x` is 1. What is unreachable gets no code at all. So both are looked at before, by a call of the floor.

use std::fmt::Write;

use threadbare_ir::{BinOp, Const, InstKind, Module, Type, TypeId, Value};

use crate::copies::length;
use crate::edit::Edit;

const DIVISION: &str = "__tb_division";
const UNREACHABLE: &str = "__tb_unreachable";

pub fn announce(module: &Module, edit: &mut Edit) {
    for inst in module.functions.iter().flat_map(|function| &function.blocks).flat_map(|block| &block.insts) {
        let line = inst.text_line as usize - 1;
        match &inst.kind {
            InstKind::Binary { op, lhs, rhs, .. } => {
                let signed = matches!(op, BinOp::SDiv | BinOp::SRem);
                if !(signed || matches!(op, BinOp::UDiv | BinOp::URem)) || is_harmless(module, lhs.ty, rhs, signed) {
                    continue;
                }
                let lanes = match module.types.get(lhs.ty) {
                    Type::Vector(many, _) => Some(*many),
                    _ => None,
                };
                let place = edit.place(line);
                let Some(text) = Division::of(&edit.lines[line]).map(|it| it.looked_at(line, lanes, signed, &place))
                else {
                    continue;
                };
                edit.before(line, &text);
                edit.declare(&format!("void @{DIVISION}(i64, i64)"));
            }
            InstKind::Unreachable => {
                let place = edit.place(line);
                edit.before(line, &format!("  call void @{UNREACHABLE}(){place}\n"));
                edit.declare(&format!("void @{UNREACHABLE}()"));
            }
            _ => {}
        }
    }
}

/// Whether no dividend makes this divisor trap: a constant that is not zero, nor -1 for a signed division.
fn is_harmless(module: &Module, ty: TypeId, divisor: &Value, signed: bool) -> bool {
    fn all(module: &Module, ty: TypeId, divisor: &Const, signed: bool) -> bool {
        match (divisor, module.types.get(ty)) {
            (Const::Int(n), Type::Int(bits)) => *n != 0 && !(signed && *n == u128::MAX >> (128 - bits.min(&128))),
            (Const::Aggregate(lanes), _) => lanes.iter().all(|lane| all(module, lane.ty, &lane.value, signed)),
            (Const::Splat(lane), _) => all(module, lane.ty, &lane.value, signed),
            _ => false,
        }
    }
    matches!(divisor, Value::Const(divisor) if all(module, ty, divisor, signed))
}

/// `RESULT = sdiv exact TYPE DIVIDEND, DIVISOR`.
struct Division<'t> {
    ty: &'t str,
    dividend: &'t str,
    divisor: &'t str,
}

impl<'t> Division<'t> {
    fn of(line: &'t str) -> Option<Division<'t>> {
        let (_operation, rest) = line.split_once(" = ")?.1.split_once(' ')?;
        let rest = rest.strip_prefix("exact ").unwrap_or(rest);
        let (ty, rest) = rest.split_at(if rest.starts_with('<') { rest.find('>')? + 1 } else { rest.find(' ')? });
        let rest = rest.trim_start();
        let dividend = &rest[..length(rest)];
        let rest = rest[dividend.len()..].strip_prefix(", ")?;
        Some(Division { ty, dividend, divisor: &rest[..length(rest)] })
    }

    /// The call that comes before it, one for each lane of a vector.
    fn looked_at(&self, line: usize, lanes: Option<u64>, signed: bool, place: &str) -> String {
        let Division { ty, dividend, divisor } = self;
        let Some(lanes) = lanes else { return self.alone(&format!("%tb.division.{line}"), signed, place) };
        let mut text = String::new();
        let element = ty.trim_matches(['<', '>']).split_once(" x ").map_or("", |(_, element)| element);
        for lane in 0..lanes {
            let name = format!("%tb.division.{line}.{lane}");
            for (which, operand) in [("dividend", dividend), ("divisor", divisor)] {
                let _ = writeln!(text, "  {name}.{which} = extractelement {ty} {operand}, i64 {lane}{place}");
            }
            let (dividend, divisor) = (format!("{name}.dividend"), format!("{name}.divisor"));
            text += &Division { ty: element, dividend: &dividend, divisor: &divisor }.alone(&name, signed, place);
        }
        text
    }

    /// The smallest number is the negative one that is its own opposite.
    fn alone(&self, name: &str, signed: bool, place: &str) -> String {
        let Division { ty, dividend, divisor } = self;
        let mut text = String::new();
        let mut compute = |result: &str, how: String| {
            let _ = writeln!(text, "  {name}.{result} = {how}{place}");
        };
        compute("zero", format!("icmp eq {ty} {divisor}, 0"));
        compute("by_zero", format!("zext i1 {name}.zero to i64"));
        if signed {
            compute("minus", format!("icmp eq {ty} {divisor}, -1"));
            compute("opposite", format!("sub {ty} 0, {dividend}"));
            compute("same", format!("icmp eq {ty} {name}.opposite, {dividend}"));
            compute("negative", format!("icmp slt {ty} {dividend}, 0"));
            compute("smallest", format!("and i1 {name}.same, {name}.negative"));
            compute("too_large", format!("and i1 {name}.smallest, {name}.minus"));
            compute("overflows", format!("zext i1 {name}.too_large to i64"));
        }
        let overflows = if signed { format!("{name}.overflows") } else { "0".into() };
        let _ = writeln!(text, "  call void @{DIVISION}(i64 {name}.by_zero, i64 {overflows}){place}");
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit::edited;

    #[test]
    fn what_may_trap_is_looked_at_before() {
        let text = "define i32 @f(i32 %x, <2 x i64> %v) {\nentry:\n\
              %0 = sdiv i32 %x, 7\n\
              %1 = udiv i32 %x, -1\n\
              %2 = sdiv <2 x i64> %v, <i64 3, i64 4>\n\
              %3 = sdiv exact i32 5, %x\n\
              %4 = srem i32 %x, -1\n\
              %5 = urem <2 x i64> %v, <i64 3, i64 0>\n\
              %6 = udiv i200 7, 0\n\
              unreachable\n}\n";
        let found = edited(text, announce);
        for line in [
            "%tb.division.5.zero = icmp eq i32 %x, 0",
            "%tb.division.5.opposite = sub i32 0, 5",
            "call void @__tb_division(i64 %tb.division.5.by_zero, i64 %tb.division.5.overflows)",
            "%tb.division.6.minus = icmp eq i32 -1, -1",
            "%tb.division.7.1.divisor = extractelement <2 x i64> <i64 3, i64 0>, i64 1",
            "%tb.division.7.1.zero = icmp eq i64 %tb.division.7.1.divisor, 0",
            "call void @__tb_division(i64 %tb.division.7.1.by_zero, i64 0)",
            "%tb.division.8.zero = icmp eq i200 0, 0",
            "call void @__tb_unreachable()",
        ] {
            assert!(found.lines().any(|found| found.trim() == line), "{line} in\n{found}");
        }
        for line in 2..5 {
            assert!(!found.contains(&format!("%tb.division.{line}")), "{found}");
        }
    }
}

//! `nondet` values of wide types whose bounds the program says (`threadbare_vm::bounded_choices`): the call is told them, and
//! gives each of them.

use threadbare_vm::Bounded;

use crate::edit::Edit;

/// The width that `__tb_nondet` is asked for has this mark if bounds come with it: the lowest value, and how many are above it.
pub const BOUNDED: u64 = 0x100;

/// `choices` are those of all modules.
pub fn bound(module: usize, choices: &[Bounded], edit: &mut Edit) {
    for Bounded { line, start, above, bits, .. } in choices.iter().filter(|choice| choice.module == module) {
        let at = *line as usize - 1;
        let Some((result, _)) = edit.lines[at].split_once(" = ") else { continue };
        let (result, place) = (result.trim().to_string(), edit.place(at));
        let asked = u64::from(*bits) | BOUNDED;
        let call = format!("call i64 @__tb_nondet(i64 {asked}, i64 {}, i64 {above}){place}", *start as i64);
        edit.lines[at] = match bits {
            64 => format!("  {result} = {call}"),
            _ => format!("  %tb.nondet.{at} = {call}\n  {result} = trunc i64 %tb.nondet.{at} to i{bits}{place}"),
        };
        edit.declare("i64 @__tb_nondet(i64, i64, i64)");
    }
}

//! Vectors are moved element by element where others can see it, and integers of more than 128 bits in words of 64, as on the virtual
//! machine: nothing says how many accesses the hardware makes of one. In the text of the IR, such a load or store that is volatile,
//! or a visible operation for another reason, becomes one for each piece, from the lowest address on.

use std::fmt::Write;

use threadbare_ir::{Const, InstKind, Module, Ordering, Type, TypeId, Value};
use threadbare_vm::private_locals;

use crate::copies::length;
use crate::edit::Edit;
use crate::observed;
use crate::own::Own;
use crate::unseen::{READS, WRITES};

/// Takes them apart. What stood there stays as a comment, as lines keep their numbers.
pub fn take_apart(module: &Module, every_access: bool, edit: &mut Edit) {
    let is_constant = |name: &str| module.globals.iter().any(|global| global.constant && global.name == name);
    for function in &module.functions {
        let insts = || function.blocks.iter().flat_map(|block| &block.insts);
        let is_large = |ty: TypeId| Pieces::of(module, ty).is_some();
        let accesses = |kind: &InstKind| match kind {
            InstKind::Load { ty, .. } => is_large(*ty),
            InstKind::Store { value, .. } => is_large(value.ty),
            _ => false,
        };
        if !insts().any(|inst| accesses(&inst.kind)) {
            continue;
        }
        let (own, private) = (Own::of(module, function), private_locals(function));
        let is_private = |ptr: &Value| match ptr {
            Value::Local(local) => private[local.0 as usize],
            Value::Const(Const::Global(name)) => is_constant(name),
            Value::Const(_) => false,
        };
        for inst in insts() {
            let (ty, ptr, ordering, volatile, align) = match &inst.kind {
                InstKind::Load { ty, ptr, ordering, volatile, align } => (*ty, ptr, ordering, *volatile, *align),
                InstKind::Store { value, ptr, ordering, volatile, align } => {
                    (value.ty, ptr, ordering, *volatile, *align)
                }
                _ => continue,
            };
            let Some(pieces) = Pieces::of(module, ty) else { continue };
            let observed = *ordering == Ordering::Observed && !every_access;
            let seen = if volatile { !own.has(ptr, ty) } else { observed || every_access && !is_private(ptr) };
            let line = inst.text_line as usize - 1;
            let place = edit.place(line);
            let access = Access { number: line, align: align.into(), observed, volatile, pieces, place: &place };
            if seen && let Some(text) = access.in_pieces(&edit.lines[line]) {
                edit.before(line, &text);
                edit.lines[line].insert(0, ';');
                for function in [&[observed::ANNOUNCE], &READS[..], &WRITES].concat() {
                    if text.contains(&format!("@{function}(")) {
                        edit.declare(&format!("void @{function}(ptr, i64)"));
                    }
                }
            }
        }
    }
}

/// What an access falls into.
#[derive(Clone, Copy)]
enum Pieces {
    /// So many elements, of so many bytes.
    Elements(u64, u64),
    /// An integer of so many bits.
    Words(u64),
}

impl Pieces {
    /// Vectors of bits lie packed in memory.
    fn of(module: &Module, ty: TypeId) -> Option<Pieces> {
        let (many, element) = match module.types.get(ty) {
            Type::Vector(many, element) => (*many, *element),
            Type::Int(bits) if *bits > 128 => return Some(Pieces::Words(u64::from(*bits))),
            _ => return None,
        };
        let bits = match module.types.get(element) {
            Type::Int(bits) => *bits,
            Type::Float(kind) => kind.bits(),
            Type::Ptr => 64,
            _ => return None,
        };
        matches!(bits, 8 | 16 | 32 | 64 | 128).then_some(Pieces::Elements(many, u64::from(bits) / 8))
    }

    fn many(self) -> u64 {
        match self {
            Pieces::Elements(many, _) => many,
            Pieces::Words(bits) => bits.div_ceil(64),
        }
    }

    /// Where a piece is, and how many bytes it has.
    fn piece(self, i: u64) -> (u64, u64) {
        match self {
            Pieces::Elements(_, bytes) => (i * bytes, bytes),
            Pieces::Words(bits) => (8 * i, (bits - 64 * i).min(64).div_ceil(8)),
        }
    }
}

struct Access<'a> {
    number: usize,
    align: u64,
    /// Whether an invariant looks there.
    observed: bool,
    volatile: bool,
    pieces: Pieces,
    place: &'a str,
}

impl Access<'_> {
    /// `RESULT = load volatile TYPE, ptr POINTER, …` or `store volatile TYPE VALUE, ptr POINTER, …`, piece by piece.
    fn in_pieces(&self, line: &str) -> Option<String> {
        let Access { number, place, pieces, .. } = self;
        let line = line.trim_start();
        let (result, rest) = match line.strip_prefix("store ") {
            Some(rest) => (None, rest),
            None => line.split_once(" = load ").map(|(result, rest)| (Some(result), rest))?,
        };
        let (volatile, rest) = rest.strip_prefix("volatile ").map_or(("", rest), |rest| ("volatile ", rest));
        let first = &rest[..length(rest)];
        let pointer = rest[first.len()..].strip_prefix(", ptr ")?;
        let pointer = &pointer[..length(pointer)];
        let end = match pieces {
            Pieces::Elements(..) => first.find('>')? + 1,
            Pieces::Words(_) => first.find(' ').unwrap_or(first.len()),
        };
        let (ty, value) = first.split_at(end);
        let mut text = String::new();
        let mut before = if matches!(pieces, Pieces::Words(_)) { "0" } else { "poison" }.to_string();
        for i in 0..pieces.many() {
            let name = format!("%tb.piece.{number}.{i}");
            let (offset, bytes) = pieces.piece(i);
            let piece = match pieces {
                Pieces::Elements(..) => ty.trim_matches(['<', '>']).split_once(" x ")?.1.to_string(),
                Pieces::Words(_) => format!("i{}", 8 * bytes),
            };
            let align = self.align.clamp(1, 1 << bytes.ilog2());
            let _ = writeln!(text, "  {name}.at = getelementptr i8, ptr {pointer}, i64 {offset}{place}");
            let mut announce = |function: &str| {
                let _ = writeln!(text, "  call void @{function}(ptr {name}.at, i64 {bytes}){place}");
            };
            if self.observed {
                announce(observed::ANNOUNCE);
            }
            // The pass does not announce what has an unusual size.
            if !bytes.is_power_of_two() {
                announce(if result.is_some() { READS } else { WRITES }[usize::from(self.volatile)]);
            }
            let shift = 64 * i;
            let Some(result) = result else {
                let _ = match pieces {
                    Pieces::Elements(..) => writeln!(text, "  {name} = extractelement {ty}{value}, i64 {i}{place}"),
                    // The highest word may be narrower than its bytes.
                    Pieces::Words(bits) => {
                        let wide = bits.next_multiple_of(64);
                        let _ = writeln!(text, "  {name}.wide = {}{place}", cast("zext", ty, value, wide, *bits));
                        let _ = writeln!(text, "  {name}.word = lshr i{wide} {name}.wide, {shift}{place}");
                        writeln!(text, "  {name} = trunc i{wide} {name}.word to {piece}{place}")
                    }
                };
                let _ = writeln!(text, "  store {volatile}{piece} {name}, ptr {name}.at, align {align}{place}");
                continue;
            };
            let _ = writeln!(text, "  {name} = load {volatile}{piece}, ptr {name}.at, align {align}{place}");
            let is_last = i + 1 == pieces.many();
            before = match pieces {
                Pieces::Elements(..) => {
                    let whole = if is_last { result.to_string() } else { format!("{name}.with") };
                    let _ = writeln!(text, "  {whole} = insertelement {ty} {before}, {piece} {name}, i64 {i}{place}");
                    whole
                }
                Pieces::Words(bits) => {
                    let (wide, whole) = (bits.next_multiple_of(64), format!("{name}.with"));
                    let _ = writeln!(text, "  {name}.wide = zext {piece} {name} to i{wide}{place}");
                    let _ = writeln!(text, "  {name}.there = shl i{wide} {name}.wide, {shift}{place}");
                    let _ = writeln!(text, "  {whole} = or i{wide} {before}, {name}.there{place}");
                    if is_last {
                        let narrow = cast("trunc", &format!("i{wide}"), &format!(" {whole}"), *bits, wide);
                        let _ = writeln!(text, "  {result} = {narrow}{place}");
                    }
                    whole
                }
            };
        }
        Some(text)
    }
}

/// A cast between integers, which may have the same width.
fn cast(how: &str, ty: &str, value: &str, to: u64, from: u64) -> String {
    format!("{} {ty}{value} to i{to}", if to == from { "bitcast" } else { how })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit::edited;

    #[test]
    fn what_others_see_is_moved_piece_by_piece() {
        let text = "@g = global <4 x i32> zeroinitializer\n\
            define void @f(ptr %p) {\nentry:\n  %own = alloca <2 x double>, align 16\n\
              %0 = load volatile <4 x i32>, ptr @g, align 16\n\
              store volatile <2 x i16> <i16 1, i16 2>, ptr getelementptr (i8, ptr @g, i64 1), align 1\n\
              %1 = load <2 x double>, ptr %p, align 16\n\
              store <2 x double> %1, ptr %own, align 16\n\
              %2 = load volatile i200, ptr %p, align 8\n\
              store volatile i200 %2, ptr @g, align 8\n\
              store volatile i215 7, ptr @g, align 8\n\
              ret void\n}\n";
        let apart = |every_access: bool| edited(text, |module, edit| take_apart(module, every_access, edit));
        let found = apart(false);
        for line in [
            "%tb.piece.4.3.at = getelementptr i8, ptr @g, i64 12",
            "%tb.piece.4.3 = load volatile i32, ptr %tb.piece.4.3.at, align 4",
            "%0 = insertelement <4 x i32> %tb.piece.4.2.with, i32 %tb.piece.4.3, i64 3",
            "%tb.piece.5.1 = extractelement <2 x i16> <i16 1, i16 2>, i64 1",
            "store volatile i16 %tb.piece.5.1, ptr %tb.piece.5.1.at, align 1",
            "%1 = load <2 x double>, ptr %p, align 16",
            "%tb.piece.8.3 = load volatile i8, ptr %tb.piece.8.3.at, align 1",
            "%2 = trunc i256 %tb.piece.8.3.with to i200",
            "store volatile i64 %tb.piece.9.2, ptr %tb.piece.9.2.at, align 8",
            "call void @__tb_writes_volatile(ptr %tb.piece.10.3.at, i64 3)",
        ] {
            assert!(found.lines().any(|found| found.trim() == line), "{line} in\n{found}");
        }
        assert!(threadbare_ir::parse_bytes(found.as_bytes()).is_ok(), "{found}");
        let found = apart(true);
        assert!(found.contains("%tb.piece.6.1 = load double, ptr"), "{found}");
        assert!(found.contains("\nstore <2 x double> %1, ptr %own"), "{found}");
    }
}

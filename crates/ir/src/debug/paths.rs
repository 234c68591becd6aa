//! From an offset to the path that a programmer would write: 40 bytes into `queue` is `queue.items[3].key`.

use crate::module::{MdId, Module};

use super::types::{DiType, Member, Record, RecordKind};

/// How many types one question may visit. Unions are searched for the member that fits best, which could otherwise
/// take exponential time in metadata made for it.
const MAX_VISITS: u32 = 10_000;
/// Types by value do not nest deeper than this in any sane program.
const MAX_DEPTH: u32 = 64;

/// A path, and whether it ends at a scalar that the access covers exactly.
struct Found {
    path: String,
    exact: bool,
    /// What the path ends at, if it ends where something begins.
    ty: Option<MdId>,
}

impl Module {
    /// The path from an object of type `ty` to the `size` bytes at `offset`, to be appended to the object's name:
    /// `.head`, `[3].key`, or nothing for the object itself. Where the access begins inside something that has no
    /// name (a byte of an integer, padding), the path ends with `+bytes`. Bit-fields that share what is accessed
    /// are listed, as in `.dirty, .busy`.
    pub fn describe_offset(&self, ty: MdId, offset: u64, size: u64) -> String {
        let mut visits = MAX_VISITS;
        self.path(Some(ty), offset, size.max(1), MAX_DEPTH, &mut visits).path
    }

    /// The type of the scalar that the `size` bytes at `offset` of an object of type `ty` are, exactly.
    pub fn scalar_at(&self, ty: MdId, offset: u64, size: u64) -> Option<MdId> {
        let mut visits = MAX_VISITS;
        let found = self.path(Some(ty), offset, size.max(1), MAX_DEPTH, &mut visits);
        found.ty.filter(|_| found.exact)
    }

    fn path(&self, ty: Option<MdId>, offset: u64, size: u64, depth: u32, visits: &mut u32) -> Found {
        let stripped = ty.and_then(|ty| self.strip_di_type(ty));
        let named = ty;
        let Some(ty) = stripped.filter(|_| depth > 0 && *visits > 0) else {
            return stop(offset, false);
        };
        *visits -= 1;
        match self.di_type(ty) {
            DiType::Record(record) => self.path_in_record(&record, offset, size, depth, visits),
            DiType::Array { element, dimensions, .. } => {
                self.path_in_array(element, &dimensions, offset, size, depth, visits)
            }
            _ => Found { ty: named, ..stop(offset, offset == 0 && self.di_size(ty) == Some(size)) },
        }
    }

    fn path_in_record(&self, record: &Record<'_>, offset: u64, size: u64, depth: u32, visits: &mut u32) -> Found {
        let mut best: Option<Found> = None;
        for member in record.members.iter().filter(|member| !member.bit_field) {
            if !self.may_contain(member, offset, size) {
                continue;
            }
            let within = offset - member.bit_offset / 8;
            let mut found = self.path(member.ty, within, size, depth - 1, visits);
            if let Some(name) = member.name {
                found.path.insert_str(0, &format!(".{name}"));
            }
            if found.exact || record.kind != RecordKind::Union {
                return found;
            }
            best.get_or_insert(found);
        }
        best.or_else(|| bit_fields(record, offset, size)).unwrap_or_else(|| stop(offset, false))
    }

    /// Whether the access lies inside the member. A flexible array member has no end.
    fn may_contain(&self, member: &Member<'_>, offset: u64, size: u64) -> bool {
        let start = member.bit_offset / 8;
        let end = start.saturating_add(member.bit_size / 8);
        let inside = start <= offset && offset.saturating_add(size) <= end;
        inside || start <= offset && member.bit_size == 0 && self.is_flexible(member)
    }

    fn is_flexible(&self, member: &Member<'_>) -> bool {
        let ty = member.ty.and_then(|ty| self.strip_di_type(ty)).map(|ty| self.di_type(ty));
        matches!(ty, Some(DiType::Array { dimensions, .. }) if dimensions.first() == Some(&None))
    }

    fn path_in_array(
        &self,
        element: Option<MdId>,
        dimensions: &[Option<u64>],
        offset: u64,
        size: u64,
        depth: u32,
        visits: &mut u32,
    ) -> Found {
        let Some(element_size) = element.and_then(|element| self.di_size(element)).filter(|&size| size > 0) else {
            return stop(offset, false);
        };
        let (index, within) = (offset / element_size, offset % element_size);
        if within.saturating_add(size) > element_size {
            return stop(offset, false);
        }
        let Some(indices) = indices(index, dimensions) else {
            return stop(offset, false);
        };
        let mut found = self.path(element, within, size, depth - 1, visits);
        found.path.insert_str(0, &indices);
        found
    }
}

/// The bit-fields that share a byte with the access.
fn bit_fields(record: &Record<'_>, offset: u64, size: u64) -> Option<Found> {
    let first = offset.saturating_mul(8);
    let end = offset.saturating_add(size).saturating_mul(8);
    let touched =
        |m: &&Member<'_>| m.bit_field && m.bit_offset < end && first < m.bit_offset.saturating_add(m.bit_size);
    let names: Vec<_> = record.members.iter().filter(touched).filter_map(|member| member.name).collect();
    let path = match names.as_slice() {
        [] => return None,
        several => format!(".{}", several.join(", .")),
    };
    Some(Found { path, exact: false, ty: None })
}

/// `[i][j]` for the flat `index`; `None` where an inner dimension is not known. The first index may lie outside:
/// that is what a report of such an access wants to say.
fn indices(index: u64, dimensions: &[Option<u64>]) -> Option<String> {
    let mut rest = index;
    let mut parts = Vec::with_capacity(dimensions.len());
    for dimension in dimensions.iter().skip(1).rev() {
        let length = dimension.filter(|&length| length > 0)?;
        parts.push(rest % length);
        rest /= length;
    }
    parts.push(rest);
    Some(parts.iter().rev().map(|index| format!("[{index}]")).collect())
}

fn stop(offset: u64, exact: bool) -> Found {
    let path = if offset == 0 { String::new() } else { format!("+{offset}") };
    Found { path, exact, ty: None }
}

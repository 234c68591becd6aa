//! From the path that a programmer writes to the bits that it means: `queue.items[3].key`. The way back from `paths`.

use std::ops::Range;

use crate::module::{MdId, Module};

use super::types::{DiType, Member, Record};

/// Types by value do not nest deeper than this in any sane program.
const MAX_DEPTH: u32 = 64;
/// A member of each element of an array is so many parts at most.
const MOST_PARTS: u64 = 1 << 20;

/// Why a path leads nowhere: in words, and the names that would lead on from the name that does not.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NoPart {
    pub message: String,
    pub name: String,
    pub known: Vec<String>,
}

/// What a path has come to: the same part of one object, or of each element of an array.
struct Reached {
    /// Where it starts in each, in bits.
    starts: Vec<u64>,
    bits: u64,
    ty: Option<MdId>,
    /// Lengths of the array of `ty` that it is; none if it is no array.
    lengths: Vec<u64>,
}

impl Module {
    /// The bits of an object of type `ty` that a path means, counted from its start. `name` is what the object is called, `path` stands
    /// behind it: `.head`, `[3].key`, or nothing. A member of an array is that of all its elements.
    pub fn bits_of_part(&self, name: &str, ty: MdId, path: &str) -> Result<Vec<Range<u64>>, NoPart> {
        let bits = self.di_size(ty).unwrap_or(0).saturating_mul(8);
        let mut reached = Reached { starts: vec![0], bits, ty: Some(ty), lengths: Vec::new() };
        let mut rest = path;
        while !rest.is_empty() {
            let so_far = format!("{name}{}", &path[..path.len() - rest.len()]);
            self.look_into_array(&mut reached);
            rest = match rest.split_at(1) {
                (".", tail) => {
                    let end = tail.find(['.', '[']).unwrap_or(tail.len());
                    self.go_to_member(&mut reached, &so_far, &tail[..end])?;
                    &tail[end..]
                }
                ("[", tail) => {
                    let Some((index, tail)) = tail.split_once(']') else {
                        return Err(nowhere(format!("`{name}{path}`: a `[` wants a `]`")));
                    };
                    self.go_to_element(&mut reached, &so_far, index)?;
                    tail
                }
                _ => return Err(nowhere(format!("`{name}{path}`: behind a name comes `.member` or `[number]`"))),
            };
        }
        Ok(reached.starts.iter().map(|&start| start..start.saturating_add(reached.bits)).collect())
    }

    fn look_into_array(&self, reached: &mut Reached) {
        for _ in 0..MAX_DEPTH {
            let stripped = reached.ty.and_then(|ty| self.strip_di_type(ty));
            match stripped.map(|ty| self.di_type(ty)) {
                Some(DiType::Array { element, dimensions, .. }) if reached.lengths.is_empty() => {
                    reached.lengths = dimensions.into_iter().map(|length| length.unwrap_or(0)).collect();
                    reached.ty = element;
                }
                _ => return,
            }
        }
    }

    fn element_bits(&self, reached: &Reached) -> u64 {
        reached.ty.and_then(|ty| self.di_size(ty)).unwrap_or(0).saturating_mul(8)
    }

    fn go_to_element(&self, reached: &mut Reached, so_far: &str, index: &str) -> Result<(), NoPart> {
        let Some(&length) = reached.lengths.first() else {
            return Err(nowhere(format!("`{so_far}` is no array: it has no [{index}]")));
        };
        let number = index.trim().parse::<u64>().ok().filter(|&number| number < length);
        let Some(number) = number else {
            return Err(nowhere(format!("`{so_far}` has {length} elements, counted from 0: it has no [{index}]")));
        };
        reached.lengths.remove(0);
        reached.bits =
            reached.lengths.iter().fold(self.element_bits(reached), |bits, &length| bits.saturating_mul(length));
        let before = number.saturating_mul(reached.bits);
        reached.starts.iter_mut().for_each(|start| *start = start.saturating_add(before));
        Ok(())
    }

    fn go_to_member(&self, reached: &mut Reached, so_far: &str, name: &str) -> Result<(), NoPart> {
        // Of every element.
        while !reached.lengths.is_empty() {
            let each = self.element_bits(reached);
            let count = reached.lengths.drain(..).fold(1, u64::saturating_mul);
            if count.saturating_mul(reached.starts.len() as u64) > MOST_PARTS {
                return Err(nowhere(format!("`{so_far}` has too many elements to take a member of each")));
            }
            let starts = reached
                .starts
                .iter()
                .flat_map(|start| (0..count).map(move |i| start.saturating_add(i.saturating_mul(each))));
            reached.starts = starts.collect();
            self.look_into_array(reached);
        }
        let stripped = reached.ty.and_then(|ty| self.strip_di_type(ty));
        let record = match stripped.map(|ty| self.di_type(ty)) {
            Some(DiType::Record(record)) => record,
            Some(DiType::Pointer { .. }) => {
                return Err(nowhere(format!("`{so_far}` is a pointer: what it points to is not a part of it")));
            }
            _ => return Err(nowhere(format!("`{so_far}` has no members: it is no struct or union"))),
        };
        let Some((offset, member)) = self.member(&record, name, MAX_DEPTH) else {
            let message = format!("`{so_far}` has no member `{name}`");
            return Err(NoPart { message, name: name.into(), known: self.member_names(&record, MAX_DEPTH) });
        };
        reached.starts.iter_mut().for_each(|start| *start = start.saturating_add(offset));
        (reached.bits, reached.ty) = (member.bit_size, member.ty);
        Ok(())
    }

    /// A member, also one of a struct or union without a name, and where it starts.
    fn member<'m>(&'m self, record: &Record<'m>, name: &str, depth: u32) -> Option<(u64, Member<'m>)> {
        record.members.iter().find_map(|member| match member.name {
            Some(known) => (known == name).then(|| (member.bit_offset, member.clone())),
            None => {
                let (offset, inner) = self.member(&self.inner_record(member)?, name, depth.checked_sub(1)?)?;
                Some((member.bit_offset.saturating_add(offset), inner))
            }
        })
    }

    fn member_names(&self, record: &Record<'_>, depth: u32) -> Vec<String> {
        let names = record.members.iter().flat_map(|member| match (member.name, depth.checked_sub(1)) {
            (Some(name), _) => vec![name.to_string()],
            (None, Some(depth)) => {
                self.inner_record(member).map_or(Vec::new(), |inner| self.member_names(&inner, depth))
            }
            (None, None) => Vec::new(),
        });
        names.collect()
    }

    fn inner_record(&self, member: &Member<'_>) -> Option<Record<'_>> {
        match self.di_type(self.strip_di_type(member.ty?)?) {
            DiType::Record(record) => Some(record),
            _ => None,
        }
    }
}

fn nowhere(message: String) -> NoPart {
    NoPart { message, name: String::new(), known: Vec::new() }
}

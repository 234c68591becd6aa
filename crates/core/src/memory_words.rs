//! Errors of memory in words: the same from every machine that executes C.

use crate::FaultKind;

/// Addresses below this one are taken for a null pointer with an offset.
pub const NEAR_NULL: u64 = 1 << 24;

/// The object that an address points to, into or beside.
#[derive(Clone, PartialEq, Debug)]
pub struct Pointee {
    /// ``global `x` ``, `heap object`.
    pub description: String,
    pub size: u64,
    /// Of the address, from the object's start.
    pub offset: i64,
    pub live: bool,
    /// How an object that is no longer there came to its end: `that has been freed`.
    pub ending: &'static str,
}

/// `1 byte`, `2 bytes`.
pub fn in_bytes(n: u64) -> String {
    format!("{n} byte{}", if n == 1 { "" } else { "s" })
}

/// Names need no article.
pub fn with_article(description: &str) -> String {
    if description.contains('`') { description.into() } else { format!("a {description}") }
}

/// A copy by a function that is not for places that overlap.
pub fn overlap(function: Option<&str>, apart: u64, length: u64) -> String {
    let function = function.unwrap_or("memcpy");
    format!(
        "`{function}` copies {length} bytes between places that are only {apart} apart: they overlap, which is for memmove"
    )
}

/// An access through a null pointer.
pub fn null_access(address: u64, bytes: u64, write: bool) -> Option<(FaultKind, String)> {
    let through = match address {
        0 => "a null pointer".to_string(),
        1..NEAR_NULL => format!("the address {address:#x}, near null"),
        _ => return None,
    };
    Some((FaultKind::NullDereference, format!("{} of {} through {through}", verb(write), in_bytes(bytes))))
}

fn verb(write: bool) -> &'static str {
    if write { "write" } else { "read" }
}

/// Kind and words for an access to `bytes` at an address that is not near null, which could not be.
pub fn bad_access(address: u64, bytes: u64, write: bool, object: Option<&Pointee>) -> (FaultKind, String) {
    let (verb, bytes, count) = (verb(write), in_bytes(bytes), bytes);
    let Some(Pointee { description, size, offset, live, ending }) = object else {
        let message = format!("{verb} of {bytes} at the address {address:#x}, where there is no object");
        return (FaultKind::OutOfBounds, message);
    };
    let name = with_article(description);
    if !live {
        return (FaultKind::UseAfterFree, format!("{verb} of {bytes} in {name} {ending}"));
    }
    if *offset >= 0 && *offset as u64 + count <= *size && write {
        return (FaultKind::Crash, format!("write of {bytes} into constant {description}"));
    }
    let place = match *offset {
        n if n < 0 => format!("{} before the start of", in_bytes(n.unsigned_abs())),
        n if n as u64 == *size => "just past the end of".to_string(),
        n if n as u64 > *size => format!("{} past the end of", in_bytes(n as u64 - size)),
        0 => "at the start of".to_string(),
        n => format!("{} into", in_bytes(n as u64)),
    };
    (FaultKind::OutOfBounds, format!("{verb} of {bytes}, {place} {name} of {}", in_bytes(*size)))
}

/// What a pointer is that should have been something else: "this is 3 bytes into a heap object of 10 bytes".
pub fn what_it_is(address: u64, object: Option<&Pointee>) -> String {
    let Some(Pointee { description, size, offset, live, .. }) = object else {
        return format!("at the address {address:#x} there is no object");
    };
    let name = with_article(description);
    let gone = if *live { "" } else { ", which is gone" };
    match *offset {
        0 => format!("this is {name}{gone}"),
        n if n < 0 => format!("this is {} before {name}{gone}", in_bytes(n.unsigned_abs())),
        n if n as u64 >= *size => format!("this is {} past the end of {name}{gone}", in_bytes(n as u64 - size)),
        n => format!("this is {} into {name} of {}{gone}", in_bytes(n as u64), in_bytes(*size)),
    }
}

//! An access as a cell remembers it.

use threadbare_core::Tid;

/// The kinds of accesses. Bit 0: plain. Bit 1: writes.
pub const ATOMIC_READ: u8 = 0;
pub const PLAIN_READ: u8 = 1;
pub const ATOMIC_WRITE: u8 = 2;
pub const PLAIN_WRITE: u8 = 3;

/// Two accesses of one byte by threads that nothing orders are a race: one writes, one is plain.
pub fn conflict(a: u8, b: u8) -> bool {
    (a | b) & PLAIN_WRITE == PLAIN_WRITE
}

/// Whether everything that conflicts with `weaker` conflicts with `kind`, too.
pub fn covers(kind: u8, weaker: u8) -> bool {
    weaker & !kind == 0
}

/// Where an access was made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    /// The calls that led there.
    pub stack: u32,
    pub pc: u32,
    /// In a function of the library.
    pub library: bool,
}

/// Clock, thread, bytes of the word, kind, from the top bit down.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Access {
    pub key: u64,
    pub pc: u32,
    pub stack: u32,
}

pub fn key_of(clock: u32, tid: Tid) -> u64 {
    u64::from(clock) << 32 | u64::from(tid.0) << 16
}

impl Access {
    pub fn new(now: u64, bytes: u8, kind: u8, place: Place) -> Access {
        Access { key: now | u64::from(bytes) << 8 | u64::from(kind), pc: place.pc, stack: place.stack }
    }

    pub fn clock(self) -> u32 {
        (self.key >> 32) as u32
    }

    pub fn tid(self) -> Tid {
        Tid((self.key >> 16) as u16)
    }

    /// The bytes of the word that it touched; 0 is no access at all.
    pub fn bytes(self) -> u8 {
        (self.key >> 8) as u8
    }

    pub fn kind(self) -> u8 {
        self.key as u8 & 3
    }

    pub fn without(self, bytes: u8) -> Access {
        Access { key: self.key & !(u64::from(bytes) << 8), ..self }
    }

    pub fn with(self, bytes: u8) -> Access {
        Access { key: self.key | u64::from(bytes) << 8, ..self }
    }

    /// The same but for the bytes, and not nothing.
    #[inline]
    pub fn is_like(self, other: Access) -> bool {
        (self.key ^ other.key) & !0xff00 == 0 && self.pc == other.pc && self.stack == other.stack
    }

    /// Whether it says already all that an access of `kind` of these bytes by the thread and at the moment `now` would say.
    #[inline(always)]
    pub fn says(self, now: u64, bytes: u64, kind: u8) -> bool {
        (self.key ^ now) >> 16 == 0 && bytes & !(self.key >> 8 & 0xff) == 0 && covers(self.kind(), kind)
    }
}

//! The 128-bit hash of all live objects, kept up to date from the log.

use super::*;

impl Memory {
    pub(super) fn existence(id: u64, object: &Object) -> Fingerprint {
        Fingerprint::of(id << OFFSET_BITS | 1, object.size ^ (object.kind as u64) << 56)
    }

    #[inline]
    fn word_hash(address: Addr, value: u64) -> Fingerprint {
        // A fresh word costs nothing: objects come zeroed and go with what differs from zero.
        if value == 0 { Fingerprint::default() } else { Fingerprint::of(address, value) }
    }

    #[inline]
    fn init_hash(address: Addr, bits: u64) -> Fingerprint {
        if bits == 0 { Fingerprint::default() } else { Fingerprint::of(address | 1 << 63, bits) }
    }

    fn partial_hash(address: Addr, bits: u64) -> Fingerprint {
        if bits == 0 { Fingerprint::default() } else { Fingerprint::of(address | 1 << 62, bits) }
    }

    pub(super) fn content_hash(&self, id: u64, base: u64, size: u64) -> Fingerprint {
        self.range_hash(id << OFFSET_BITS, base, size)
    }

    /// The words of a part of an object, at `base`, that starts with a whole word.
    pub(super) fn range_hash(&self, start: Addr, base: u64, size: u64) -> Fingerprint {
        let mut hash = Fingerprint::default();
        for word in 0..size.div_ceil(8) {
            let address = start + word * 8;
            // SAFETY: objects are padded to whole words.
            unsafe {
                hash ^= Self::word_hash(address, self.read::<8>(base + word * 8));
                hash ^= Self::init_hash(address, u64::from(*self.init.add(((base >> 3) + word) as usize)));
            }
        }
        hash
    }

    /// How the hash would change if defined bytes within a word were overwritten. `at` is where they lie.
    #[inline]
    pub fn change_by_store(&self, address: Addr, at: u64, bytes: u8, value: u64) -> Option<Fingerprint> {
        let shift = (at & 7) * 8;
        if shift + 8 * u64::from(bytes) > 64 || !self.is_defined(at, bytes) {
            return None;
        }
        let mask = if bytes == 8 { u64::MAX } else { ((1 << (8 * bytes)) - 1) << shift };
        // SAFETY: a word of an object.
        let old = unsafe { self.read::<8>(at & !7) };
        let new = old & !mask | value << shift & mask;
        Some(Self::word_hash(address & !7, old) ^ Self::word_hash(address & !7, new))
    }

    /// What a live object adds to the hash.
    pub fn share_of_live(&self, start: Addr, object: &Object) -> Fingerprint {
        let id = start >> OFFSET_BITS;
        // SAFETY: the id of an object.
        let base = unsafe { (*self.table.add(id as usize)).base };
        let mut hash = Self::existence(id, object) ^ self.content_hash(id, base, object.size);
        for (&address, &bits) in self.partial.iter().filter(|(address, _)| **address >> OFFSET_BITS == id) {
            hash ^= Self::partial_hash(address, bits.into());
        }
        hash
    }

    /// What some bits of a word of a live object, which starts at `address`, have added to the hash.
    pub fn share_of(&self, address: Addr, bits: u64) -> Fingerprint {
        let Some(at) = self.locate(address, 1) else { return Fingerprint::default() };
        // SAFETY: a word of an object.
        let (value, init) = unsafe { (self.read::<8>(at), u64::from(*self.init.add((at >> 3) as usize))) };
        let whole_bytes = (0..8).filter(|byte| bits >> (8 * byte) & 0xff == 0xff);
        let bytes = whole_bytes.clone().fold(0, |bytes, byte| bytes | 1 << byte);
        let mut share = Self::word_hash(address, value) ^ Self::word_hash(address, value & !bits);
        share ^= Self::init_hash(address, init) ^ Self::init_hash(address, init & !bytes);
        for byte in whole_bytes {
            let partial = self.partial.get(&(address + byte)).copied().unwrap_or(0);
            share ^= Self::partial_hash(address + byte, partial.into());
        }
        share
    }

    #[inline]
    pub(super) fn fold(&mut self) {
        if self.hashing {
            self.hash = self.folded_hash();
            self.folded = self.changes.len();
        }
    }

    /// The hash with the changes that have not been folded in yet.
    pub(super) fn folded_hash(&self) -> Fingerprint {
        let mut hash = self.hash;
        if self.hashing {
            for change in &self.changes[self.folded..] {
                let place = change.place & ((1 << TAG_SHIFT) - 1);
                let of = match change.place >> TAG_SHIFT {
                    WORD => Self::word_hash,
                    INIT => Self::init_hash,
                    PARTIAL => Self::partial_hash,
                    HELD => Self::held_hash,
                    _ => continue,
                };
                hash ^= of(place, change.old) ^ of(place, change.new);
            }
        }
        hash
    }

    /// The hash of all live objects, if the memory was made to keep one.
    pub fn fingerprint(&mut self) -> Option<Fingerprint> {
        self.fold();
        self.hashing.then_some(self.hash)
    }

    /// The hash computed from scratch over everything that lives: what `fingerprint` must equal up to a constant. For
    /// tests.
    pub fn fingerprint_from_scratch(&self) -> Fingerprint {
        let mut hash = Fingerprint::default();
        for id in self.used_ids() {
            let object = self.object(id);
            if object.life == Life::Live {
                // SAFETY: the id of a live object.
                let base = unsafe { (*self.table.add(id as usize)).base };
                if object.kind != ObjectKind::Global {
                    hash ^= Self::existence(id, &object);
                }
                hash ^= self.content_hash(id, base, object.size);
            }
        }
        for (&address, &bits) in &self.partial {
            hash ^= Self::partial_hash(address, bits.into());
        }
        hash ^= self.hash_of_all_held();
        hash
    }

    pub fn in_use(&self) -> u64 {
        self.in_use
    }

    pub fn log_length(&self) -> usize {
        self.changes.len()
    }
}

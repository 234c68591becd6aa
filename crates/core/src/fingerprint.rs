//! 128-bit fingerprints of states, built so that they can be kept up to date word by word.

use std::fmt;
use std::ops::{BitXor, BitXorAssign};

/// The hash of a state. XOR of the hashes of its parts: a changed part is taken out and put in again.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Fingerprint(pub u128);

impl BitXor for Fingerprint {
    type Output = Fingerprint;
    fn bitxor(self, other: Fingerprint) -> Fingerprint {
        Fingerprint(self.0 ^ other.0)
    }
}

impl BitXorAssign for Fingerprint {
    fn bitxor_assign(&mut self, other: Fingerprint) {
        self.0 ^= other.0;
    }
}

impl fmt::Debug for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

/// Folds a 64×64→128 product into 64 bits: every input bit reaches every output bit.
#[inline(always)]
fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    (product as u64) ^ ((product >> 64) as u64)
}

impl Fingerprint {
    /// The hash of one (place, content) pair: two independent 64-bit mixes.
    #[inline(always)]
    pub fn of(place: u64, content: u64) -> Fingerprint {
        let a = place.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ content;
        let b = content.wrapping_mul(0xC2B2_AE3D_27D4_EB4F).wrapping_add(place);
        let low = fold(a ^ 0xA076_1D64_78BD_642F, b ^ 0xE703_7ED1_A0B4_28DB);
        let high = fold(a.rotate_left(29) ^ 0x8EBC_6AF0_9C88_C6E3, b.rotate_left(41) ^ 0x5899_65CC_7537_4CC3);
        Fingerprint(
            u128::from(fold(low ^ b, 0x1D8E_4E27_C47D_124F)) | u128::from(fold(high ^ a, 0xEB44_ACCA_B455_D165)) << 64,
        )
    }
}

/// A running hash of a sequence of words, for parts whose order matters (registers of a frame, frames of a thread).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Hash128 {
    low: u64,
    high: u64,
}

impl Hash128 {
    #[inline(always)]
    pub fn new(seed: u64) -> Self {
        Hash128 { low: seed ^ 0x2D35_8DCC_AA6C_78A5, high: seed.rotate_left(32) ^ 0x8BB8_4B93_962E_ACC9 }
    }

    #[inline(always)]
    pub fn word(&mut self, word: u64) {
        self.low = fold(self.low ^ word, 0x9E37_79B9_7F4A_7C15 ^ self.high);
        self.high = fold(self.high.rotate_left(23) ^ word, 0xD6E8_FEB8_6659_FD93) ^ self.low;
    }

    /// Their number counts, too.
    pub fn bytes(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.word(u64::from_le_bytes(word));
        }
        self.word(bytes.len() as u64);
    }

    #[inline(always)]
    pub fn finish(self) -> Fingerprint {
        Fingerprint::of(self.low, self.high)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn neighbouring_places_and_contents_do_not_collide_in_either_half() {
        let mut low = HashSet::new();
        let mut high = HashSet::new();
        for place in 0..300u64 {
            for content in 0..300u64 {
                let Fingerprint(hash) = Fingerprint::of(place * 8, content);
                assert!(low.insert(hash as u64), "low half of {place} {content}");
                assert!(high.insert((hash >> 64) as u64), "high half of {place} {content}");
            }
        }
    }

    #[test]
    fn order_matters_in_a_sequence() {
        let hash = |words: &[u64]| {
            let mut hash = Hash128::new(7);
            words.iter().for_each(|&w| hash.word(w));
            hash.finish()
        };
        assert_ne!(hash(&[1, 2]), hash(&[2, 1]));
        assert_ne!(hash(&[0]), hash(&[0, 0]));
        assert_eq!(hash(&[3, 4, 5]), hash(&[3, 4, 5]));
    }
}

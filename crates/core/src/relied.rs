//! Plain memory that rounds of waiting loops read.
//!
//! A round that changes nothing need not be gone through, except that what it reads besides may race with a write. There is no
//! such write if nobody else writes that as long as somebody waits: searches *rely* on it. Nobody knows that before all is
//! explored, so that every write is held against it. Where one comes to light, the word is not relied on any more, and the
//! search begins again. So it does with every word that is new here: the writes before were not looked at.
//!
//! A write before the reader was created counts for nothing: a round is tried out later, and races with it then, if nothing
//! orders them (where it is tried out with a value from before, nothing does: `Machine::assume_value`). Nor does one of a thread
//! that knows the end of the reader.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

use smallvec::SmallVec;

use crate::Tid;

/// Searches that have tried out so many steps do not begin again for what they might rely on.
const EARLY: u32 = 1 << 20;

/// Whether a round may rely on what it reads.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Trust {
    Yes,
    /// Nobody has asked so far.
    Unknown,
    No,
}

/// What a round reads: addresses and sizes.
pub type Reads = SmallVec<[(u64, u64); 4]>;

#[derive(Clone, Default)]
pub struct Relied {
    /// Words of eight bytes, and who reads them in rounds that were left out.
    words: BTreeMap<u64, SmallVec<[Tid; 2]>>,
    distrusted: BTreeSet<u64>,
    trials: u32,
    /// It has changed: the search must begin again.
    is_news: bool,
}

fn words(address: u64, size: u64) -> RangeInclusive<u64> {
    address / 8..=address.saturating_add(size.max(1) - 1) / 8
}

impl Relied {
    /// For the next search.
    pub fn again(&self) -> Relied {
        Relied { trials: 0, is_news: false, ..self.clone() }
    }

    /// Takes over what another search has learned. Whoever distrusts a word is right.
    pub fn merge(&mut self, other: &Relied) {
        self.distrusted.extend(&other.distrusted);
        for (&word, readers) in &other.words {
            let known = self.words.entry(word).or_default();
            let new = readers.iter().copied().filter(|reader| !known.contains(reader)).collect::<SmallVec<[Tid; 2]>>();
            known.extend(new);
        }
        self.words.retain(|word, _| !self.distrusted.contains(word));
    }

    pub fn is_news(&self) -> bool {
        self.is_news
    }

    /// The same, and that has been heard.
    #[inline]
    pub fn take_news(&mut self) -> bool {
        std::mem::take(&mut self.is_news)
    }

    #[inline]
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    pub fn trust(&self, reader: Tid, address: u64, size: u64) -> Trust {
        let of = |word: u64| match self.words.get(&word) {
            Some(readers) if readers.contains(&reader) => Trust::Yes,
            _ if self.distrusted.contains(&word) => Trust::No,
            _ => Trust::Unknown,
        };
        words(address, size).map(of).max().unwrap_or(Trust::No)
    }

    /// A round was tried out that changes nothing: whether it may rely on what it reads, which nobody has asked for before.
    pub fn rely(&mut self, reader: Tid, reads: &Reads) -> bool {
        self.trials += 1;
        if self.trials > EARLY {
            return reads.is_empty();
        }
        for word in reads.iter().flat_map(|&(address, size)| words(address, size)) {
            let readers = self.words.entry(word).or_default();
            if !readers.contains(&reader) {
                readers.push(reader);
                self.is_news = true;
            }
        }
        true
    }

    /// Somebody writes this, or ends its life. `harms` says whether nothing orders that after what a reader has done so far.
    #[cold]
    pub fn written(&mut self, address: u64, size: u64, harms: impl Fn(Tid) -> bool) {
        let read = self.words.range(words(address, size));
        let harmed: SmallVec<[u64; 4]> =
            read.filter(|(_, readers)| readers.iter().any(|&reader| harms(reader))).map(|(&word, _)| word).collect();
        for word in harmed {
            self.words.remove(&word);
            self.distrusted.insert(word);
            self.is_news = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reads(list: &[(u64, u64)]) -> Reads {
        list.iter().copied().collect()
    }

    #[test]
    fn what_nobody_writes_is_relied_on() {
        let (one, two) = (Tid(1), Tid(2));
        let mut relied = Relied::default();
        assert_eq!(relied.trust(one, 0x1004, 4), Trust::Unknown);
        assert!(relied.rely(one, &reads(&[(0x1004, 4), (0x2000, 16)])) && relied.is_news());
        let mut relied = relied.again();
        assert!(!relied.is_news());
        assert_eq!(relied.trust(one, 0x1000, 8), Trust::Yes);
        assert_eq!(relied.trust(one, 0x2008, 8), Trust::Yes);
        assert_eq!(relied.trust(one, 0x2008, 9), Trust::Unknown, "the word behind it");
        assert_eq!(relied.trust(two, 0x1000, 8), Trust::Unknown, "somebody else's writes count for another reader");
        assert!(relied.rely(one, &reads(&[(0x1000, 8)])) && !relied.is_news(), "known already");
        relied.written(0x3000, 64, |_| true);
        relied.written(0x1000, 8, |reader| reader != one);
        assert!(!relied.is_news(), "of nobody else");
    }

    #[test]
    fn what_somebody_writes_is_not() {
        let one = Tid(1);
        let mut relied = Relied::default();
        relied.rely(one, &reads(&[(0x1000, 8), (0x2000, 8)]));
        let mut relied = relied.again();
        // An object ends around one of them.
        relied.written(0xff0, 100, |reader| reader == one);
        assert!(relied.is_news());
        assert_eq!([0x1000, 0x2000].map(|at| relied.trust(one, at, 8)), [Trust::No, Trust::Yes]);
        assert_eq!(relied.trust(one, 0x1000, 0x1008), Trust::No);
    }

    #[test]
    fn what_two_searches_have_learned_is_put_together() {
        let (one, two) = (Tid(1), Tid(2));
        let (mut left, mut right) = (Relied::default(), Relied::default());
        left.rely(one, &reads(&[(0x1000, 8), (0x2000, 8)]));
        right.rely(one, &reads(&[(0x2000, 8)]));
        right.rely(two, &reads(&[(0x1000, 8), (0x3000, 8)]));
        right.written(0x2000, 8, |_| true);
        let both = |mut known: Relied, other: &Relied| {
            known.merge(other);
            [(one, 0x1000), (two, 0x1000), (one, 0x2000), (one, 0x3000), (two, 0x3000)]
                .map(|(reader, at)| known.trust(reader, at, 8))
        };
        use Trust::{No, Unknown, Yes};
        assert_eq!(both(left.again(), &right), [Yes, Yes, No, Unknown, Yes]);
        assert_eq!(both(right, &left), [Yes, Yes, No, Unknown, Yes]);
    }

    #[test]
    fn searches_do_not_begin_again_late() {
        let mut relied = Relied::default();
        (0..EARLY).for_each(|_| assert!(relied.rely(Tid(1), &reads(&[]))));
        assert!(!relied.rely(Tid(1), &reads(&[(8, 8)])) && !relied.is_news());
        assert!(relied.rely(Tid(1), &reads(&[])), "nothing to rely on");
        assert!(relied.again().rely(Tid(1), &reads(&[(8, 8)])));
    }
}

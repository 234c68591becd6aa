//! Whether who goes from state to state comes back to one of them, in the room for a single one (Brent, BIT 1980).

use crate::Fingerprint;

/// The states are compared with one that is replaced after 1, 2, 4, 8 … further ones: whatever the length of a cycle is, one of
/// those is in it and is kept for all of it. Who counts the rounds never comes back, and all others would need more and more room.
#[derive(Clone, Copy, Debug)]
pub struct Cycle {
    kept: Option<Fingerprint>,
    since: u64,
    until: u64,
}

impl Default for Cycle {
    fn default() -> Cycle {
        Cycle { kept: None, since: 0, until: 1 }
    }
}

impl Cycle {
    /// The next state: whether the one that is kept has come again.
    pub fn closes(&mut self, state: Fingerprint) -> bool {
        if self.kept == Some(state) {
            return true;
        }
        self.since += 1;
        if self.since >= self.until {
            *self = Cycle { kept: Some(state), since: 0, until: 2 * self.until };
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// After how many states it is seen that, from the one of that number, every so many are the same.
    fn seen_after(tail: u64, length: u64) -> u64 {
        let mut cycle = Cycle::default();
        let state = |i: u64| if i < tail { i } else { tail + (i - tail) % length };
        (0..).find(|&i| cycle.closes(Fingerprint(u128::from(state(i))))).expect("every cycle is found") + 1
    }

    #[test]
    fn cycles_of_every_length_are_found_soon() {
        for (tail, length) in (0..50).flat_map(|tail| (1..50).map(move |length| (tail, length))) {
            let after = seen_after(tail, length);
            assert!(after > tail + length, "{tail} and {length}: {after}");
            assert!(after <= 3 * (tail + length).max(2), "{tail} and {length}: {after}");
        }
    }

    #[test]
    fn who_counts_never_comes_back() {
        let mut cycle = Cycle::default();
        assert!((0..10_000u128).all(|i| !cycle.closes(Fingerprint(i))));
    }
}

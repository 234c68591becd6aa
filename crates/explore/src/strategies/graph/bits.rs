//! What is left to do when memory runs out: every state is known by three bits of one large table (bitstate hashing, G.
//! Holzmann: "An analysis of bitstate hashing", Formal Methods in System Design 13, 1998), and nothing else is kept of it. Without the
//! futures of states there is no reduction: every step of every state is taken. A state whose bits were set by others is
//! taken for known, so that something may be missed; how much is estimated. The way back of a long path takes memory as well: where
//! that runs out, too, no path gets any longer.

use threadbare_core::{Fingerprint, Machine};

use super::ground::Ground;
use crate::label::Label;
use crate::search::{Coverage, Flow, Search};
use crate::strategies::tree::Goes;

const BITS_PER_STATE: u32 = 3;

pub struct Bits {
    words: Vec<u64>,
    set: u64,
    states: u64,
    /// How many states were taken for known ones, on average.
    missed: f64,
    /// No path gets longer than that, and whether one would have.
    longest: usize,
    was_cut: bool,
}

impl Bits {
    pub fn new(bytes: u64) -> Bits {
        Bits {
            words: vec![0; (bytes / 8).max(1) as usize],
            set: 0,
            states: 0,
            missed: 0.0,
            longest: usize::MAX,
            was_cut: false,
        }
    }

    pub fn states(&self) -> u64 {
        self.states
    }

    pub fn bytes(&self) -> u64 {
        8 * self.words.len() as u64
    }

    /// The part of the states that was met, as far as one can tell.
    pub fn coverage(&self) -> Coverage {
        match self.was_cut {
            true => Coverage::Paths(self.longest),
            false => Coverage::Part(self.states as f64 / (self.states as f64 + self.missed).max(1.0)),
        }
    }

    /// Whether a state is new. It may be and be taken for a known one.
    fn enter(&mut self, Fingerprint(key): Fingerprint) -> bool {
        let bits = 64 * self.words.len() as u64;
        let mistaken = (self.set as f64 / bits as f64).powi(BITS_PER_STATE as i32);
        let (start, step) = (key as u64, (key >> 64) as u64 | 1);
        let before = self.set;
        for i in 0..u64::from(BITS_PER_STATE) {
            let hash = start.wrapping_add(i.wrapping_mul(step));
            let bit = ((u128::from(hash) * u128::from(bits)) >> 64) as u64;
            let word = &mut self.words[(bit / 64) as usize];
            self.set += u64::from(*word >> (bit % 64) & 1 == 0);
            *word |= 1 << (bit % 64);
        }
        let is_new = self.set > before;
        if is_new {
            self.states += 1;
            self.missed += mistaken / (1.0 - mistaken);
        }
        is_new
    }
}

/// A state on the path of the search: where its looks start, which of them is next, and which step of that.
struct Open {
    looks: u32,
    look: u32,
    step: u32,
}

/// Explores everything, depth first.
pub fn explore<M: Machine>(ground: &mut Ground<M>, bits: &mut Bits, search: &mut impl Search<M>) -> Flow {
    let mut open: Vec<Open> = Vec::new();
    let mut flow = arrive(ground, bits, &mut open, search);
    while let (Flow::Continue, Some(last)) = (flow, open.last_mut()) {
        let Some(step) = next_step(ground, last) else {
            ground.seen.truncate(last.looks as usize);
            open.pop();
            // The first state is not left.
            ground.trail.back(usize::from(!open.is_empty()));
            continue;
        };
        ground.count();
        if !ground.goes_round(&step) {
            ground.trail.take(step);
            flow = arrive(ground, bits, &mut open, search);
        }
        if flow == Flow::Continue && ground.trail.walk.ticks.are_due() {
            search.stored(bits.states);
            if bits.longest == usize::MAX && search.has_little_memory() {
                bits.longest = open.len();
            }
            flow = search.tick();
        }
    }
    flow
}

fn next_step<M: Machine>(ground: &Ground<M>, last: &mut Open) -> Option<Label> {
    for &look in &ground.seen[(last.looks + last.look) as usize..] {
        if let Some(&step) = ground.looks.get(look).steps.get(last.step as usize) {
            last.step += 1;
            return Some(step);
        }
        last.look += 1;
        last.step = 0;
    }
    None
}

fn arrive<M: Machine>(
    ground: &mut Ground<M>,
    bits: &mut Bits,
    open: &mut Vec<Open>,
    search: &mut impl Search<M>,
) -> Flow {
    let state = ground.state();
    if !bits.enter(state) {
        return ground.leave_known(search);
    }
    let looks = ground.seen.len();
    let flow = ground.look_around(search);
    let is_longest = open.len() >= bits.longest;
    bits.was_cut |= is_longest && ground.seen.len() > looks;
    if is_longest || ground.is_at_bound() {
        ground.seen.truncate(looks);
    }
    open.push(Open { looks: looks as u32, look: 0, step: 0 });
    flow
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::super::ground::Common;
    use super::*;
    use crate::oracle;
    use crate::path::Path;
    use crate::search::End;
    use crate::strategies::Settings;
    use threadbare_core::Random;
    use threadbare_pl::{ModelMachine, generate_endless};

    #[derive(Default)]
    struct Ends {
        ends: HashSet<Fingerprint>,
        failed: bool,
    }

    impl Search<ModelMachine<'_>> for Ends {
        fn end(&mut self, machine: &mut ModelMachine<'_>, _: &Path, end: End) -> Flow {
            self.failed |= machine.state.failed;
            if end != End::Redundant {
                self.ends.extend(oracle::end_signature(machine));
            }
            Flow::Continue
        }
    }

    #[test]
    fn with_room_for_all_nothing_is_missed() {
        let mut programs = 0;
        for seed in 1.. {
            let program = generate_endless(seed);
            let mut failed = false;
            let look = |machine: &mut ModelMachine| failed |= machine.state.failed;
            let Some(truth) = oracle::graph(&mut ModelMachine::new(&program), 2_000, look) else { continue };
            let (mut machine, mut found, mut bits) = (ModelMachine::new(&program), Ends::default(), Bits::new(1 << 20));
            let common = Common::default();
            let mut ground = Ground::new(&mut machine, &Settings::default(), &common);
            assert_eq!(explore(&mut ground, &mut bits, &mut found), Flow::Continue);
            let states = bits.states() as usize;
            assert_eq!((found.ends, found.failed, states), (truth.ends, failed, truth.states), "seed {seed}");
            assert!(matches!(bits.coverage(), Coverage::Part(part) if part > 0.999));
            programs += 1;
            if programs == 200 {
                return;
            }
        }
    }

    #[test]
    fn what_bits_miss_is_about_what_they_say() {
        let mut random = Random::new(3);
        let mut bits = Bits::new(1 << 13);
        let states = 30_000;
        let key = |random: &mut Random| random.below(usize::MAX) as u128;
        for _ in 0..states {
            bits.enter(Fingerprint(key(&mut random) << 64 | key(&mut random)));
        }
        let met = bits.states() as f64 / f64::from(states);
        let Coverage::Part(part) = bits.coverage() else { unreachable!("no path was cut") };
        assert!(met < 0.9 && (met - part).abs() < 0.02, "{met} and {part}");
    }
}

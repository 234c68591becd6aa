use proptest::prelude::*;
use threadbare_core::Tid;

use super::access::{ATOMIC_READ, ATOMIC_WRITE, PLAIN_READ, PLAIN_WRITE, conflict, covers};
use super::clocks::{Clocks, Release};
use super::order::words_of;

const KINDS: [u8; 4] = [ATOMIC_READ, PLAIN_READ, ATOMIC_WRITE, PLAIN_WRITE];

#[test]
fn two_accesses_conflict_if_one_writes_and_one_is_plain() {
    let writes = |kind| matches!(kind, ATOMIC_WRITE | PLAIN_WRITE);
    let plain = |kind| matches!(kind, PLAIN_READ | PLAIN_WRITE);
    for (a, b) in KINDS.iter().flat_map(|&a| KINDS.map(|b| (a, b))) {
        assert_eq!(conflict(a, b), (writes(a) || writes(b)) && (plain(a) || plain(b)), "{a} {b}");
    }
}

#[test]
fn an_access_covers_what_conflicts_with_no_more() {
    for (a, b) in KINDS.iter().flat_map(|&a| KINDS.map(|b| (a, b))) {
        let expected = KINDS.iter().all(|&c| conflict(a, c) || !conflict(b, c));
        assert_eq!(covers(a, b), expected, "{a} {b}");
    }
}

#[test]
fn ranges_are_cut_into_words() {
    let words = |at, n| words_of(at, n).collect::<Vec<_>>();
    assert_eq!(words(16, 8), [(16, 0xff)]);
    assert_eq!(words(17, 2), [(16, 0b110)]);
    assert_eq!(words(22, 4), [(16, 0b1100_0000), (24, 0b11)]);
    assert_eq!(words(23, 17), [(16, 0x80), (24, 0xff), (32, 0xff)]);
    assert_eq!(words(16, 0), []);
}

/// Threads that see each other's clocks at random, and plain vectors that do the same.
#[derive(Default)]
struct Both {
    clocks: Clocks,
    threads: Vec<(Release, Vec<u32>)>,
    kept: Vec<(Release, Vec<u32>)>,
}

const THREADS: usize = 5;

fn joined(a: &[u32], b: &[u32]) -> Vec<u32> {
    a.iter().zip(b).map(|(x, y)| *x.max(y)).collect()
}

impl Both {
    fn new() -> Self {
        let start = |i: usize| {
            let mut vector = vec![0; THREADS];
            vector[i] = 1;
            (Release::start(Tid(i as u16)), vector)
        };
        Both { threads: (0..THREADS).map(start).collect(), ..Both::default() }
    }

    fn act(&mut self, what: u8, i: usize, k: usize) {
        let i = i % THREADS;
        match what {
            0 => {
                self.kept.push(self.threads[i].clone());
                let (release, vector) = &mut self.threads[i];
                *release = release.next().expect("time left");
                vector[i] += 1;
            }
            1 if !self.kept.is_empty() => {
                let (release, vector) = self.kept[k % self.kept.len()].clone();
                let thread = &mut self.threads[i];
                thread.0 = self.clocks.after(thread.0, release);
                thread.1 = joined(&thread.1, &vector);
            }
            2 if self.kept.len() > 1 => {
                let (a, b) = (self.kept[i % self.kept.len()].clone(), self.kept[k % self.kept.len()].clone());
                self.kept.push((self.clocks.both(a.0, b.0), joined(&a.1, &b.1)));
            }
            3 => {
                let mut new = self.clocks.successor();
                for (release, _) in self.threads.iter_mut().chain(&mut self.kept) {
                    *release = self.clocks.moved(*release, &mut new);
                }
                self.clocks = new.finish();
            }
            _ => {}
        }
    }

    fn check(&self) {
        let all: Vec<&(Release, Vec<u32>)> = self.threads.iter().chain(&self.kept).collect();
        for (release, vector) in &all {
            let entries: Vec<u32> = (0..THREADS as u16).map(|tid| self.clocks.get(*release, tid)).collect();
            assert_eq!(&entries, vector);
            for (other, numbers) in &all {
                let expected = numbers.iter().zip(vector).all(|(x, y)| x <= y);
                assert_eq!(self.clocks.includes(*release, *other), expected);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn clocks_are_vectors(acts in prop::collection::vec((0u8..4, any::<usize>(), any::<usize>()), 1..60)) {
        let mut both = Both::new();
        for (what, i, k) in acts {
            both.act(what, i, k);
        }
        both.check();
    }
}

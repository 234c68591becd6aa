//! When a search looks after its limits: seldom enough to cost nothing, and often enough that nobody waits for it. A transition takes
//! some hundred nanoseconds; with thousands of threads, or where a thread is tried out that counts for ever, it takes milliseconds.

use std::time::{Duration, Instant};

/// At first, and at most.
const FIRST: u32 = 64;
const MOST: u32 = 1024;

/// From one look to the next.
const LONG: Duration = Duration::from_millis(20);

pub struct Ticks {
    left: u32,
    every: u32,
    since: Instant,
}

impl Ticks {
    pub fn new() -> Ticks {
        Ticks { left: FIRST, every: FIRST, since: Instant::now() }
    }

    /// Asked after each transition.
    #[inline]
    pub fn are_due(&mut self) -> bool {
        self.left -= 1;
        self.left == 0 && self.begin_again()
    }

    #[cold]
    fn begin_again(&mut self) -> bool {
        let now = Instant::now();
        let took = now.duration_since(std::mem::replace(&mut self.since, now));
        self.every = if took > LONG { (self.every / 4).max(1) } else { (self.every * 2).min(MOST) };
        self.left = self.every;
        true
    }
}

//! What ends a search early: its time, its memory, Ctrl-C. What was found until then counts.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use threadbare_explore::Flow;

use crate::supervisor;

static INTERRUPTED: AtomicBool = AtomicBool::new(false);
/// When that was, in milliseconds.
static FIRST: AtomicU64 = AtomicU64::new(0);
/// Two signals within so many milliseconds are one wish: `timeout` sends its own to us, and then to all that we belong to.
const ONE_WISH: u64 = 100;

/// One worker of the search has ended it: the others need not finish what they are at.
static ENDED: AtomicBool = AtomicBool::new(false);

pub fn begin_search() {
    ENDED.store(false, Ordering::Relaxed);
}

pub fn end_search() {
    ENDED.store(true, Ordering::Relaxed);
}

/// From here on Ctrl-C, or SIGTERM, asks the search to stop, and a second one ends the process.
pub fn catch_interrupts() {
    if supervisor::is_worker() {
        return supervisor::listen(interrupt);
    }
    // A second handler cannot be set: then somebody else's is there already, and Ctrl-C ends the process as usual.
    let _ = ctrlc::set_handler(|| interrupt(libc::SIGINT));
}

/// Does nothing but what a handler of signals may do.
extern "C" fn interrupt(_: libc::c_int) {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: it is written to a place of ours.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut now) };
    let now = now.tv_sec as u64 * 1000 + now.tv_nsec as u64 / 1_000_000;
    match FIRST.compare_exchange(0, now, Ordering::SeqCst, Ordering::SeqCst) {
        Ok(_) => INTERRUPTED.store(true, Ordering::SeqCst),
        // SAFETY: whoever has asked twice does not want to wait.
        Err(first) if now > first + ONE_WISH => unsafe { libc::_exit(130) },
        Err(_) => {}
    }
}

pub fn is_interrupted() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}

/// The limits of the one search of the process: what runs inside it may ask for them, too.
static LIMITS: OnceLock<Limits> = OnceLock::new();

struct Limits {
    time: Option<Duration>,
    memory: Option<u64>,
    start: Instant,
}

impl Limits {
    fn time_is_up(&self, now: Instant) -> bool {
        self.time.is_some_and(|limit| now.duration_since(self.start) >= limit)
    }

    fn memory_is_full(&self) -> bool {
        self.memory.is_some_and(|limit| resident_bytes().is_some_and(|bytes| bytes > limit))
    }
}

/// Whether the search has to end: asked by a machine that has been busy with one step for a while.
pub fn are_reached() -> bool {
    let reached = |limits: &Limits| limits.time_is_up(Instant::now()) || limits.memory_is_full();
    let asked = INTERRUPTED.load(Ordering::Relaxed) || ENDED.load(Ordering::Relaxed);
    asked || LIMITS.get().is_some_and(reached)
}

pub struct Watch {
    limits: &'static Limits,
    /// When memory was last looked at.
    looked: Instant,
    /// Why the search was stopped.
    pub stopped: Option<String>,
    /// It need not stop where memory runs out: it can do with less.
    pub can_shrink: bool,
    /// So many bytes leave little up to the limit, after that.
    little_at: u64,
}

const BETWEEN_LOOKS: Duration = Duration::from_millis(50);

impl Watch {
    /// Time runs from here on.
    pub fn new(time: Option<Duration>, memory: Option<u64>) -> Watch {
        let start = Instant::now();
        let limits = LIMITS.get_or_init(|| Limits { time, memory, start });
        Watch { limits, looked: start, stopped: None, can_shrink: false, little_at: u64::MAX }
    }

    /// For another worker of the same search.
    pub fn another() -> Watch {
        Watch::new(None, None)
    }

    pub fn look(&mut self) -> Flow {
        if INTERRUPTED.load(Ordering::Relaxed) {
            return self.stop();
        }
        if self.limits.time.is_none() && self.limits.memory.is_none() {
            return Flow::Continue;
        }
        let now = Instant::now();
        if self.limits.time_is_up(now) {
            return self.stop();
        }
        if !self.can_shrink && self.is_time_to_look(now) && self.limits.memory_is_full() {
            return self.stop();
        }
        Flow::Continue
    }

    fn is_time_to_look(&mut self, now: Instant) -> bool {
        let is_time = self.limits.memory.is_some() && now.duration_since(self.looked) >= BETWEEN_LOOKS;
        self.looked = if is_time { now } else { self.looked };
        is_time
    }

    /// Whether memory has run out and the search has not shrunk yet: from here on it has.
    pub fn must_shrink(&mut self) -> bool {
        let must = self.can_shrink && self.is_time_to_look(Instant::now()) && self.limits.memory_is_full();
        self.can_shrink &= !must;
        must
    }

    /// Bytes for a table: half of what is left up to the limit. The rest is for the way back of a long path.
    pub fn room(&mut self) -> u64 {
        // Whoever has noticed that memory runs out: it has shrunk.
        self.can_shrink = false;
        // What the search before has used is free, and is to be seen to be.
        // SAFETY: it may be called at any time.
        unsafe { libc::malloc_trim(0) };
        let limit = self.limits.memory.unwrap_or(0);
        let left = limit.saturating_sub(resident_bytes().unwrap_or(0));
        self.little_at = limit - left / 4;
        (left / 2).max(1 << 20)
    }

    /// Whether no more than a quarter is left of that. A list that grows is there twice for a while.
    pub fn has_little_memory(&self) -> bool {
        resident_bytes().is_some_and(|bytes| bytes > self.little_at)
    }

    /// A limit was reached, perhaps in the middle of a step: the search ends.
    pub fn stop(&mut self) -> Flow {
        let Limits { time, memory, .. } = self.limits;
        // Whoever ended the search knows why.
        if ENDED.load(Ordering::Relaxed) {
            return Flow::Stop;
        }
        self.stopped = Some(if INTERRUPTED.load(Ordering::Relaxed) {
            "interrupted".into()
        } else if let Some(limit) = time.filter(|_| self.limits.time_is_up(Instant::now())) {
            format!("the time limit of {} s", limit.as_secs_f64())
        } else {
            format!("the memory limit of {} MiB", memory.unwrap_or_default() >> 20)
        });
        Flow::Stop
    }
}

pub fn resident_bytes() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = text.split_whitespace().nth(1)?.parse().ok()?;
    Some(pages * 4096)
}

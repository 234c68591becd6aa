//! What ends a search early: its time, its memory, Ctrl-C. What was found until then counts.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use threadbare_explore::Flow;

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// From here on Ctrl-C asks the search to stop, and a second one ends the process.
pub fn catch_interrupts() {
    // A second handler cannot be set: then somebody else's is there already, and Ctrl-C ends the process as usual.
    let _ = ctrlc::set_handler(|| {
        if INTERRUPTED.swap(true, Ordering::SeqCst) {
            std::process::exit(130);
        }
    });
}

pub struct Watch {
    time_limit: Option<Duration>,
    memory_limit: Option<u64>,
    start: Instant,
    /// When memory was last looked at.
    looked: Instant,
    /// Why the search was stopped.
    pub stopped: Option<String>,
}

const BETWEEN_LOOKS: Duration = Duration::from_millis(50);

impl Watch {
    pub fn new(time_limit: Option<Duration>, memory_limit: Option<u64>) -> Watch {
        let now = Instant::now();
        Watch { time_limit, memory_limit, start: now, looked: now, stopped: None }
    }

    pub fn look(&mut self) -> Flow {
        if INTERRUPTED.load(Ordering::Relaxed) {
            self.stopped = Some("interrupted".into());
            return Flow::Stop;
        }
        if self.time_limit.is_none() && self.memory_limit.is_none() {
            return Flow::Continue;
        }
        let now = Instant::now();
        if let Some(limit) = self.time_limit.filter(|limit| now.duration_since(self.start) >= *limit) {
            self.stopped = Some(format!("the time limit of {} s", limit.as_secs_f64()));
            return Flow::Stop;
        }
        if let Some(limit) = self.memory_limit
            && now.duration_since(self.looked) >= BETWEEN_LOOKS
        {
            self.looked = now;
            if resident_bytes().is_some_and(|bytes| bytes > limit) {
                self.stopped = Some(format!("the memory limit of {} MiB", limit >> 20));
                return Flow::Stop;
            }
        }
        Flow::Continue
    }
}

fn resident_bytes() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = text.split_whitespace().nth(1)?.parse().ok()?;
    Some(pages * 4096)
}

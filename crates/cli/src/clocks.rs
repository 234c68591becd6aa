//! What a search costs: time and memory of this process, without the compilers that it started.

use std::time::{Duration, Instant};

pub struct Meter {
    start: Instant,
    cpu: Duration,
}

impl Meter {
    pub fn start() -> Self {
        // From here on the peak is the search's own; where this is not allowed, it is that of the whole process.
        let _ = std::fs::write("/proc/self/clear_refs", "5");
        Meter { start: Instant::now(), cpu: cpu_time() }
    }

    pub fn seconds(&self) -> f64 {
        self.start.elapsed().as_secs_f64()
    }

    pub fn cpu_seconds(&self) -> f64 {
        (cpu_time() - self.cpu).as_secs_f64()
    }

    pub fn peak_rss_bytes(&self) -> u64 {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kilobytes = line.and_then(|rest| rest.trim().strip_suffix("kB")?.trim().parse::<u64>().ok());
        kilobytes.unwrap_or(0) * 1024
    }
}

/// Not the clock of the process, which goes by ticks of milliseconds while a timer runs that counts the same time.
fn cpu_time() -> Duration {
    // SAFETY: a structure of numbers, filled in by the call.
    let used = unsafe {
        let mut used: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_SELF, &mut used);
        used
    };
    let duration = |time: libc::timeval| Duration::new(time.tv_sec as u64, time.tv_usec as u32 * 1000);
    duration(used.ru_utime) + duration(used.ru_stime)
}

/// The processor time of this thread.
pub fn thread_time() -> Duration {
    time_of(libc::CLOCK_THREAD_CPUTIME_ID)
}

fn time_of(clock: libc::clockid_t) -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: a valid pointer to a timespec.
    unsafe { libc::clock_gettime(clock, &mut time) };
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

//! One line that says how far a search is, for a terminal. Whoever searches fills a `ProgressSnapshot` now and then; the
//! line is drawn a few times a second at most.
//!
//! How much is left is an estimate: of a tree whose branches appear while it is searched, the part done is the sum over
//! finished leaves of the product of 1/(children known so far) on their way (Knuth, 1975). Children that appear later
//! make it smaller, by many orders of magnitude where they appear near the root, and nothing tells whether they will: it is
//! an upper bound of the part done, and shown as one.

use std::time::Duration;

use threadbare_core::words::{count, grouped};

use crate::human::percent;
use crate::style::Style;
use crate::text::{bytes, fit, seconds};

/// Where a search stands.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct ProgressSnapshot {
    pub executions: u64,
    pub blocked: u64,
    /// Where they are stored.
    pub states: Option<u64>,
    pub bugs: u64,
    /// Steps of the current path.
    pub depth: usize,
    pub elapsed: Duration,
    pub rss_bytes: u64,
    /// Σ over finished leaves of Π 1/(children known so far), from 0 to 1, where the strategy can tell.
    pub done: Option<f64>,
}

impl ProgressSnapshot {
    /// With what another worker of the same search has done.
    pub fn with(self, other: &ProgressSnapshot) -> ProgressSnapshot {
        let done = [self.done, other.done].into_iter().flatten().reduce(f64::max);
        ProgressSnapshot {
            executions: self.executions + other.executions,
            blocked: self.blocked + other.blocked,
            done,
            ..self
        }
    }

    /// The part done, at most: the sum itself, where it has had time to settle.
    pub fn explored(&self) -> Option<f64> {
        self.done.filter(|&done| done > 0.0 && self.elapsed >= SETTLED)
    }
}

const PAUSE: Duration = Duration::from_millis(150);
/// Before that an estimate is a guess.
const SETTLED: Duration = Duration::from_secs(2);

#[derive(Default)]
pub struct Progress {
    drawn: Option<Duration>,
}

impl Progress {
    /// The line to draw, where it is time for one: without a line break, from the first column on.
    pub fn line(&mut self, now: &ProgressSnapshot, style: &Style) -> Option<String> {
        if self.drawn.is_some_and(|drawn| now.elapsed < drawn + PAUSE) {
            return None;
        }
        self.drawn = Some(now.elapsed);
        let line = self.text(now);
        Some(format!("\r\x1b[K{}", fit(&style.plain(&line), style.width.saturating_sub(1), style.glyphs().cut)))
    }

    /// What takes the line away again.
    pub fn clear(&self) -> &'static str {
        if self.drawn.is_some() { "\r\x1b[K" } else { "" }
    }

    fn text(&self, now: &ProgressSnapshot) -> String {
        // What a search goes through one by one.
        let (number, what) = now.states.map_or((now.executions, "execution"), |states| (states, "state"));
        let mut parts = vec![count(number as usize, what)];
        let time = now.elapsed.as_secs_f64();
        if time > 0.5 {
            parts.push(format!("{}/s", grouped((number as f64 / time).round() as u64)));
        }
        if now.bugs > 0 {
            parts.push(count(now.bugs as usize, "bug"));
        }
        if now.depth > 0 {
            parts.push(format!("depth {}", now.depth));
        }
        if now.rss_bytes > 0 {
            parts.push(bytes(now.rss_bytes));
        }
        parts.push(elapsed(time));
        if let Some(done) = now.explored() {
            parts.push(format!("{} done, {} left", percent(done), left(time, done)));
        }
        parts.join(" · ")
    }
}

/// Whole seconds: the line changes several times in each.
fn elapsed(time: f64) -> String {
    if time < 60.0 { format!("{} s", time as u64) } else { seconds(time.floor()) }
}

/// Time left at least, of a search that has done at most this part in that time.
fn left(time: f64, done: f64) -> String {
    let left = time * (1.0 - done) / done.max(1e-9);
    match left {
        t if t < 60.0 => format!("{}+ s", t.round()),
        t if t < 3600.0 => format!("{}+ min", (t / 60.0).round()),
        t if t < 48.0 * 3600.0 => format!("{}+ h", (t / 3600.0).round()),
        t if t < 365.0 * 86400.0 => format!("{}+ days", (t / 86400.0).round()),
        _ => "years".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: f64, done: Option<f64>) -> ProgressSnapshot {
        ProgressSnapshot {
            executions: (seconds * 12_000.0) as u64,
            depth: 31,
            elapsed: Duration::from_secs_f64(seconds),
            done,
            ..ProgressSnapshot::default()
        }
    }

    #[test]
    fn a_line_now_and_then() {
        let mut progress = Progress::default();
        let style = Style { width: 120, ..Style::default() };
        assert_eq!(progress.clear(), "");
        let first = progress.line(&at(0.1, None), &style);
        assert_eq!(first.as_deref(), Some("\r\x1b[K1200 executions · depth 31 · 0 s"));
        assert_eq!(progress.line(&at(0.2, None), &style), None);
        assert_eq!(progress.clear(), "\r\x1b[K");
    }

    #[test]
    fn an_even_search_has_an_even_estimate() {
        let mut progress = Progress::default();
        let style = Style { width: 120, ..Style::default() };
        let mut line = String::new();
        for i in 0..=100 {
            let time = f64::from(i) * 0.2;
            line = progress.line(&at(time, Some(time / 80.0)), &style).unwrap_or(line);
        }
        assert_eq!(line, "\r\x1b[K240,000 executions · 12,000/s · depth 31 · 20 s · at most 25 % done, 1+ min left");
    }

    #[test]
    fn where_states_are_stored_they_are_counted() {
        let now = ProgressSnapshot { states: Some(90_000), ..at(2.0, None) };
        let line = Progress::default().line(&now, &Style { width: 120, ..Style::default() });
        assert_eq!(line.as_deref(), Some("\r\x1b[K90,000 states · 45,000/s · depth 31 · 2 s"));
    }

    #[test]
    fn what_is_not_known_is_not_said() {
        let mut progress = Progress::default();
        let style = Style { width: 120, unicode: false, ..Style::default() };
        let early = progress.line(&at(1.0, Some(0.2)), &style).expect("time for a line");
        assert!(early.ends_with("depth 31 - 1 s"), "{early}");
        let little = progress.line(&at(100.0, Some(0.000_2)), &style).expect("time for a line");
        assert!(little.ends_with("1 min 40 s - less than 1 % done, 6+ days left"), "{little}");
        let narrow = Style { width: 40, ..style };
        let line = progress.line(&at(102.0, Some(0.2)), &narrow).expect("time for a line");
        assert!(line.len() <= 40 + 4, "{line}");
    }
}

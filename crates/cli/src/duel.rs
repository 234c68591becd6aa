//! `auto`: which engine suits a program shows only while they run. Optimal reduction begins. If by its own estimate it is going
//! to take long, or it meets a bound, `graph` begins beside it, and from then on both get about the same time, until one of
//! them has the answer. So `auto` never takes much more than twice as long as the better of the two, and where optimal
//! reduction is soon done nothing else ever begins. Nobody knows how far `graph` is; where the estimate says that optimal
//! reduction is nearly through, `graph` waits for it, and where it says that there is next to no hope for that, and less and less,
//! `graph` gets more of the time. Otherwise `graph` says who gets more: what makes it the better one is that different orders
//! come to the same state, and it sees how often they do.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use threadbare_explore::Flow;
use threadbare_report::ProgressSnapshot;

use crate::clocks::thread_time;
use crate::limits;

#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Side {
    /// Optimal reduction, which begins.
    #[default]
    First,
    /// `graph`.
    Second,
}

impl Side {
    fn other(self) -> Side {
        match self {
            Side::First => Side::Second,
            Side::Second => Side::First,
        }
    }
}

/// After so long, a search that is going to take longer than that, as far as one can tell, is not left alone any more.
const LOOK: (Duration, Duration) = (Duration::from_millis(30), Duration::from_millis(200));

/// The first is nearly through if what is left of it takes no longer than this part of what the second has had so far. Nor does the
/// second wait for longer than that: the estimate may be wrong, and say so for ever.
const NEARLY: f64 = 0.5;

/// For each second of the first, the second gets so many, if nothing says who of them is the better one. A little less than the same:
/// what both lose by taking turns is lost on top of that.
const SHARE: f64 = 0.95;

/// If the second comes to states that it knows less often than so many times for each new one, it gets so many seconds, and so many
/// where the first gets on; the same if it does so at least as often as that. Different orders that come to the same state are what
/// makes it the better one. It need have met so many.
const SELDOM: (f64, [f64; 2]) = (0.5, [0.8, 0.7]);
const OFTEN: (f64, [f64; 2]) = (0.75, [1.2, 1.0]);
const KNOWS: u64 = 1000;

/// The first gets on if after so long it takes itself to be at least that far, and to need no more than so many times as long as it
/// did at first.
const GETS_ON: (Duration, f64, f64) = (Duration::from_millis(60), 0.05, 1.3);

/// If after so long the first has never taken itself to be farther than that, and takes itself to need so many times as long as it did
/// after half of that time, the second gets so many seconds for each of the first. Not many more: it may be wrong.
const HOPELESS: (Duration, f64, f64, f64) = (Duration::from_millis(60), 0.02, 1.2, 1.4);

/// How far the first may be ahead of the second: at least that, and a part of what it has had. Both lose what they have in the caches
/// when they take turns; but where the second is the better one, all of it is lost.
const TURN: (Duration, u32) = (Duration::from_millis(10), 64);

const BETWEEN_LOOKS: Duration = Duration::from_millis(50);

/// Ends of executions from one look at the clock to the next.
const ASKED: u32 = 16;

/// If the first is through without an answer, the second has so many times as long, and at least so long: its states may have no
/// end.
const PATIENCE: (u32, Duration) = (10, Duration::from_secs(3));

/// So much memory, if nothing else is said, and the second gives up: the first does with little.
const MEMORY: u64 = 4 << 30;

#[derive(Default)]
struct State {
    /// Processor time.
    used: [Duration; 2],
    /// Whether the second has been called, and who is not through.
    called: bool,
    active: [bool; 2],
    /// Whose turn it is, if they take turns. Never both: two threads of one core are in each other's way.
    turn: Side,
    /// How many seconds are left of the first, as far as it can tell, and how much of it was done at best.
    left: Option<f64>,
    best: f64,
    /// How long all of it would take, as it was told first, and last.
    estimates: [f64; 2],
    /// How many states the second has met, and how often it came to one of them again.
    states: u64,
    merged: u64,
    /// Who has the answer.
    winner: Option<Side>,
}

pub struct Duel {
    state: Mutex<State>,
    news: Condvar,
    /// Both are to share one processor.
    in_turns: bool,
    memory: u64,
    /// How long it may take was said.
    has_limit: bool,
}

impl State {
    /// The time that the second gets for that of the first.
    fn share(&self) -> f64 {
        let used = self.used[Side::First as usize];
        let [before, now] = self.estimates;
        let (after, done, growth, share) = HOPELESS;
        if used >= after && self.best < done && now > 0.0 && now >= growth * before {
            return share;
        }
        let (after, least, growth) = GETS_ON;
        let gets_on = used >= after && now > 0.0 && used.as_secs_f64() >= least * now && now <= growth * before;
        let merges = self.merged as f64 / self.states.max(1) as f64;
        match merges {
            _ if self.states < KNOWS => SHARE,
            _ if merges < SELDOM.0 => SELDOM.1[usize::from(gets_on)],
            _ if merges >= OFTEN.0 => OFTEN.1[usize::from(gets_on)],
            _ => SHARE,
        }
    }

    /// Whether one of them is so far ahead that it is the other one's turn.
    fn is_ahead(&self, side: Side) -> bool {
        let [first, second] = self.used.map(|used| used.as_secs_f64());
        let (least, part) = TURN;
        let second = second / self.share();
        match side {
            Side::First => first > second + least.as_secs_f64().max(first / f64::from(part)),
            Side::Second => second > first,
        }
    }

    /// It may be the other one's turn now.
    fn take_turns(&mut self, side: Side) {
        let over = match side {
            Side::First => !self.first_is_nearly_through() && self.is_ahead(side),
            Side::Second => self.first_is_nearly_through() || self.is_ahead(side),
        };
        if self.turn == side && over && self.active[side.other() as usize] {
            self.turn = side.other();
        }
    }

    fn may_go_on(&self, side: Side) -> bool {
        self.turn == side || !self.active[side.other() as usize]
    }

    fn first_is_nearly_through(&self) -> bool {
        let [first, second] = self.used.map(|used| used.as_secs_f64());
        let has_waited = first - second / self.share();
        let left = self.left.unwrap_or(f64::INFINITY);
        self.active[Side::First as usize] && left.max(has_waited) < NEARLY * second
    }
}

impl Duel {
    pub fn new(in_turns: bool, memory_limit: Option<u64>, has_limit: bool) -> Duel {
        let state = State { active: [true, false], ..State::default() };
        let memory = memory_limit.map_or(MEMORY, |limit| limit / 2);
        Duel { state: Mutex::new(state), news: Condvar::new(), in_turns, memory, has_limit }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The second waits until it is called, and it is its turn: whether there is anything left to do.
    pub fn is_called(&self) -> bool {
        let mut state = self.lock();
        while if state.called { self.in_turns && !state.may_go_on(Side::Second) } else { state.active[0] } {
            state = self.news.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.called && state.winner.is_none()
    }

    /// The first is going to take long, or is not going to have an answer.
    pub fn call(&self) {
        let mut state = self.lock();
        if !state.called {
            state.called = true;
            state.active[Side::Second as usize] = true;
            self.news.notify_all();
        }
    }

    /// One of them is through, with the answer or without. If the first has none, the second is asked in any case.
    pub fn leave(&self, side: Side, has_answer: bool) {
        if side == Side::First && !has_answer {
            self.call();
        }
        let mut state = self.lock();
        state.active[side as usize] = false;
        if has_answer && state.winner.is_none() {
            state.winner = Some(side);
            // The other may be in the middle of a long step.
            if state.called {
                limits::end_search();
            }
        }
        self.news.notify_all();
    }

    /// Whether the second has had its chance, after the first.
    pub fn out_of_patience(&self) -> bool {
        let state = self.lock();
        let [first, second] = state.used;
        let (times, least) = PATIENCE;
        !self.has_limit && !state.active[Side::First as usize] && second > (first * times).max(least)
    }

    pub fn winner(&self) -> Option<Side> {
        self.lock().winner
    }

    /// Whether one of them, which stands there, is to go on: now, when it is its turn, or not at all.
    fn tick(&self, side: Side, now: &ProgressSnapshot) -> Flow {
        let (used, done) = (thread_time(), now.done);
        let (after, soon) = LOOK;
        let takes_long = used >= after && used.as_secs_f64() > soon.as_secs_f64() * done.unwrap_or(1.0);
        if side == Side::First && takes_long {
            self.call();
        }
        let mut state = self.lock();
        state.used[side as usize] = used;
        if side == Side::Second {
            (state.states, state.merged) = (now.states.unwrap_or(0), now.blocked);
        } else {
            state.left = done.filter(|done| *done > 0.0).map(|done| used.as_secs_f64() * (1.0 - done) / done);
            // It knows little at first.
            let knows = used >= HOPELESS.0 / 2;
            if let Some(done) = done.filter(|done| knows && *done > 0.0) {
                let estimate = used.as_secs_f64() / done;
                let before = if state.best == 0.0 { estimate } else { state.estimates[0] };
                (state.best, state.estimates) = (state.best.max(done), [before, estimate]);
            }
        }
        state.take_turns(side);
        self.news.notify_all();
        loop {
            if state.winner.is_some_and(|winner| winner != side) {
                return Flow::Stop;
            }
            if !self.in_turns || state.may_go_on(side) || limits::are_reached() {
                return Flow::Continue;
            }
            state = self.news.wait_timeout(state, BETWEEN_LOOKS).unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

/// A side of it, as a search has it.
pub struct Stand {
    duel: Arc<Duel>,
    side: Side,
    /// When it was last asked, and how often since then.
    asked: Instant,
    times: u32,
    looked: Instant,
}

impl Stand {
    pub fn new(duel: &Arc<Duel>, side: Side) -> Stand {
        let now = Instant::now();
        Stand { duel: duel.clone(), side, asked: now, times: 0, looked: now }
    }

    /// The same for a search that begins again.
    pub fn again(&self) -> Stand {
        Stand::new(&self.duel, self.side)
    }

    /// A bound was met: there is not going to be a proof.
    pub fn meet_bound(&self) {
        self.duel.call();
    }

    /// Costs next to nothing: asked once for each execution.
    #[inline]
    pub fn tick(&mut self, now: &ProgressSnapshot) -> Flow {
        self.times += 1;
        if self.times.is_multiple_of(ASKED) { self.look(now) } else { Flow::Continue }
    }

    pub fn look(&mut self, now: &ProgressSnapshot) -> Flow {
        let time = Instant::now();
        if time.duration_since(self.asked) < TURN.0 / 2 {
            return Flow::Continue;
        }
        self.asked = time;
        if self.side == Side::Second && time.duration_since(self.looked) >= BETWEEN_LOOKS {
            self.looked = time;
            if limits::resident_bytes().is_some_and(|bytes| bytes > self.duel.memory) {
                return Flow::Stop;
            }
        }
        if self.side == Side::Second && self.duel.out_of_patience() {
            return Flow::Stop;
        }
        self.duel.tick(self.side, now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_does_not_wait_for_ever_for_a_first_that_is_always_nearly_through() {
        let turn = |first: u64, second: u64, left: f64| {
            let used = [Duration::from_millis(first), Duration::from_millis(second)];
            let mut state = State { used, left: Some(left), active: [true; 2], ..State::default() };
            state.take_turns(Side::First);
            state.turn
        };
        assert_eq!(turn(1200, 1000, 0.4), Side::First);
        assert_eq!(turn(1500, 1000, 0.1), Side::First);
        assert_eq!(turn(1600, 1000, 0.1), Side::Second);
        // That is too much.
        assert_eq!(turn(1200, 1000, 0.6), Side::Second);
        assert_eq!(turn(1000, 1000, 0.6), Side::First);
    }

    #[test]
    fn who_gets_more_of_the_time_follows_from_what_both_have_seen() {
        let share = |used: u64, best: f64, estimates: [f64; 2], states: u64, merged: u64| {
            let used = [Duration::from_millis(used), Duration::ZERO];
            State { used, best, estimates, states, merged, ..State::default() }.share()
        };
        // Nobody knows anything yet.
        assert_eq!(share(40, 0.0, [0.0; 2], 0, 0), SHARE);
        assert_eq!(share(200, 0.0, [0.0; 2], 0, 0), SHARE);
        assert_eq!(share(200, 0.3, [0.2, 0.9], 999, 5000), SHARE);
        // Orders merge seldom, sometimes and often; in between, the estimate counts for nothing.
        let [seldom, often] = [SELDOM.0, OFTEN.0].map(|merges| (merges * 10_000.0) as u64);
        for (merged, [grows, stays]) in
            [(seldom - 1, SELDOM.1), (seldom, [SHARE; 2]), (often - 1, [SHARE; 2]), (often, OFTEN.1)]
        {
            assert_eq!(share(200, 0.3, [0.2, 0.9], 10_000, merged), grows, "{merged}");
            assert_eq!(share(200, 0.3, [0.7, 0.8], 10_000, merged), stays, "{merged}");
            // It is too early to tell.
            assert_eq!(share(59, 0.3, [0.7, 0.8], 10_000, merged), grows, "{merged}");
        }
        // There is next to no hope, whatever the second has seen.
        assert_eq!(share(60, 0.01, [5.0, 6.1], 10_000, 0), HOPELESS.3);
        assert_eq!(share(60, 0.01, [5.0, 5.9], 10_000, 0), SELDOM.1[0]);
    }
}

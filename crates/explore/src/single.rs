//! One execution under a deterministic scheduler: what `threadbare run` does.
//!
//! A thread runs for a number of visible operations, then another gets its turn; the seed decides for how many and who.
//! Time passes only when nobody can do anything else, or once in a long while so that a thread that spins for ever does
//! not stop the clock. Then it passes up to the first moment at which a sleep or a timed wait is over: those that are
//! over at the same time end together, and none before another that is over earlier.

use std::sync::atomic::{AtomicBool, Ordering};

use threadbare_core::{Choice, Choices, Cycle, Due, Machine, Operation, Pending, Random, Step, Tid};

use crate::search::Stuck;

/// How the execution ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Finish {
    /// The machine says how.
    Ended,
    /// Every thread has ended.
    Complete,
    /// Nobody can go on, or those who can go round loops for ever. The latter have done so since as many operations.
    Stuck(Stuck, u64),
    /// A failed `assume` stopped every thread that could still go on.
    Cut,
    /// As many operations as allowed, and who has done how many of the last ones, most first.
    Limit(Vec<(Tid, u64)>),
    /// Somebody asked for the end, while this thread was running.
    Interrupted(Tid),
}

/// What an execution is given besides its machine.
pub struct Course<'a> {
    pub seed: u64,
    /// Visible operations of all threads together.
    pub operations: u64,
    /// Set by somebody who wants the end.
    pub interrupted: &'a AtomicBool,
}

/// How long somebody who only waits for time may be kept waiting by threads that can run.
const SLEEP_AFTER: u64 = 2_000;
const TIME_OUT_AFTER: u64 = 50_000;

/// Operations in a turn under seed 0, at most. Turns of one length would fall into step with the loops of the program.
const TURN: usize = 20;

/// The last operations before the limit: who does them is who spins.
const LOOKED_AT: u64 = 10_000;

/// Executes the program. `told` hears of every operation before it is done.
pub fn single<M: Machine>(machine: &mut M, course: &Course, mut told: impl FnMut(Tid, Choice)) -> (Finish, u64) {
    let seed = course.seed;
    let mut random = Random::new(seed);
    let mut current = Tid::MAIN;
    let mut done = 0u64;
    let mut lately = Lately::default();
    let mut rounds = Rounds::default();
    let mut quantum = 0u32;
    // When each thread last began a turn.
    let mut turns: Vec<u64> = Vec::new();
    let mut busy = 0u64;
    let mut waits = Waits::default();
    loop {
        if machine.ending().is_some() {
            return (Finish::Ended, done);
        }
        if course.interrupted.load(Ordering::Relaxed) {
            return (Finish::Interrupted(current), done);
        }
        if done >= course.operations {
            return (Finish::Limit(lately.most_first()), done);
        }
        // The usual case first: the running thread goes on.
        let (choice, pending) = if quantum > 0
            && machine.is_live(current)
            && let pending = machine.pending(current)
            && let Some(choice) = eager_choice(&pending, &mut random)
        {
            quantum = if pending.operation == Operation::Yield { 0 } else { quantum - 1 };
            busy += 1;
            (choice, pending)
        } else {
            let mut ready: Vec<(Choice, Pending)> = Vec::new();
            let mut waiting: Vec<(u64, Choice, Pending)> = Vec::new();
            let now = machine.now();
            for p in machine.all_pending() {
                if let Some(choice) = eager_choice(&p, &mut random) {
                    ready.push((choice, p));
                    continue;
                }
                let late = p.choices.enabled().next();
                if let Some(choice) = late {
                    match waits.over(machine, p.tid) {
                        over if over <= now => ready.push((choice, p)),
                        over => waiting.push((over, choice, p)),
                    }
                }
            }
            // Whoever sleeps, looks, finds nothing new and sleeps again does so until somebody else wakes.
            if waiting.iter().any(|(.., p)| !rounds.is_closed(p.tid)) {
                waiting.retain(|(.., p)| !rounds.is_closed(p.tid));
            }
            let next = waiting.iter().map(|&(over, ..)| over).min();
            waiting.retain(|&(over, ..)| Some(over) == next);
            let patience = if waiting.iter().any(|(.., p)| is_sleep(p)) { SLEEP_AFTER } else { TIME_OUT_AFTER };
            let mut list = match next {
                Some(over) if ready.is_empty() || busy > patience => {
                    busy = 0;
                    machine.pass_time(over);
                    waiting.into_iter().map(|(_, choice, p)| (choice, p)).collect()
                }
                _ => {
                    busy += 1;
                    ready
                }
            };
            if list.is_empty() {
                return (nobody(machine), done);
            }
            // Seed 0 takes turns: whose last one is longest ago is next. Others draw.
            let drawn = if seed == 0 {
                let longest_ago = |&i: &usize| turns.get(list[i].1.tid.index()).copied().unwrap_or(0);
                (0..list.len()).min_by_key(longest_ago).expect("not empty")
            } else {
                random.below(list.len())
            };
            let next = list.swap_remove(drawn);
            current = next.1.tid;
            waits.forget(current);
            if turns.len() <= current.index() {
                turns.resize(current.index() + 1, 0);
            }
            turns[current.index()] = done + 1;
            quantum = random.below(if seed == 0 { TURN } else { 12 }) as u32;
            next
        };
        done += 1;
        if done + LOOKED_AT > course.operations {
            lately.count(current);
        }
        told(current, choice);
        let step = machine.step(current, choice);
        if let Some(stuck) = rounds.after(machine, &pending, step) {
            return (Finish::Stuck(stuck, rounds.silent), done);
        }
    }
}

/// Nobody can go on.
fn nobody<M: Machine>(machine: &mut M) -> Finish {
    let waiting = machine.all_pending().len();
    if machine.is_cut() {
        Finish::Cut
    } else if waiting == 0 {
        Finish::Complete
    } else {
        Finish::Stuck(Stuck { spinning: Vec::new(), waiting }, 0)
    }
}

fn is_sleep(pending: &Pending) -> bool {
    matches!(pending.operation, Operation::Sleep | Operation::SleepUntil)
}

/// When the sleeps of threads are over that began at some time.
#[derive(Default)]
struct Waits(Vec<Option<u64>>);

impl Waits {
    /// When the wait of a thread is over. Never, if its machine knows nothing of time.
    fn over<M: Machine>(&mut self, machine: &M, who: Tid) -> u64 {
        if self.0.len() <= who.index() {
            self.0.resize(who.index() + 1, None);
        }
        match machine.due(who) {
            Some(Due::At(time)) => time,
            Some(Due::After(duration)) => {
                *self.0[who.index()].get_or_insert_with(|| machine.now().saturating_add(duration))
            }
            None => u64::MAX,
        }
    }

    /// The thread goes on.
    fn forget(&mut self, who: Tid) {
        if let Some(over) = self.0.get_mut(who.index()) {
            *over = None;
        }
    }
}

/// A choice that needs no time to pass.
fn eager_choice(pending: &Pending, random: &mut Random) -> Option<Choice> {
    if is_sleep(pending) {
        return None;
    }
    match &pending.choices {
        Choices::Range(n) => Some(Choice(random.below(*n as usize) as u32)),
        Choices::Listed(list) => {
            let timed = matches!(
                pending.operation,
                Operation::MutexTimedLock
                    | Operation::CondLeaveTimed
                    | Operation::SemTimedWait
                    | Operation::RwTimedReadLock
                    | Operation::RwTimedWriteLock
                    | Operation::ThreadTimedJoin
            );
            let enabled: Vec<Choice> =
                list.iter().filter(|c| c.enabled && !(timed && c.choice == Choice(1))).map(|c| c.choice).collect();
            if enabled.is_empty() { None } else { Some(enabled[random.below(enabled.len())]) }
        }
    }
}

/// How many operations each thread has done lately.
#[derive(Default)]
struct Lately(Vec<(Tid, u64)>);

impl Lately {
    fn count(&mut self, tid: Tid) {
        match self.0.iter_mut().find(|(known, _)| *known == tid) {
            Some((_, count)) => *count += 1,
            None => self.0.push((tid, 1)),
        }
    }

    fn most_first(mut self) -> Vec<(Tid, u64)> {
        self.0.sort_by_key(|&(tid, count)| (std::cmp::Reverse(count), tid));
        self.0
    }
}

/// Steps without an effect before somebody asks whether there will ever be another.
const SILENCE: u64 = 1_000;

/// Who goes round loops for ever. Steps without an effect leave everything as it is but their own threads. A thread that
/// comes back to an earlier local state by such steps alone, without a choice, does so again and again as long as nobody
/// has an effect; and where this holds for every thread that can go on, nobody ever has.
#[derive(Default)]
struct Rounds {
    /// Steps without an effect up to now.
    silent: u64,
    threads: Vec<Round>,
}

struct Round {
    tid: Tid,
    states: Cycle,
    closed: bool,
}

impl Rounds {
    /// Whether a thread does nothing but go round, as long as nobody has an effect.
    fn is_closed(&self, tid: Tid) -> bool {
        self.threads.iter().any(|round| round.tid == tid && round.closed)
    }

    /// After a step. The answer is certain, and the end.
    #[inline]
    fn after<M: Machine>(&mut self, machine: &mut M, pending: &Pending, step: Step) -> Option<Stuck> {
        if step != Step::Silent || pending.choices.enabled().nth(1).is_some() {
            self.silent = 0;
            self.threads.clear();
            return None;
        }
        self.silent += 1;
        if self.silent < SILENCE { None } else { self.follow(machine, pending.tid) }
    }

    fn follow<M: Machine>(&mut self, machine: &mut M, tid: Tid) -> Option<Stuck> {
        let state = machine.local_fingerprint(tid)?;
        let known = self.threads.iter().position(|round| round.tid == tid).unwrap_or_else(|| {
            self.threads.push(Round { tid, states: Cycle::default(), closed: false });
            self.threads.len() - 1
        });
        let round = &mut self.threads[known];
        if round.closed {
            return None;
        }
        round.closed = round.states.closes(state);
        if !round.closed {
            return None;
        }
        let pending = machine.all_pending();
        let (free, waiting): (Vec<&Pending>, Vec<&Pending>) = pending.iter().partition(|p| p.choices.any_enabled());
        let stuck = free.iter().all(|pending| self.is_closed(pending.tid));
        stuck.then(|| Stuck { spinning: free.iter().map(|pending| pending.tid).collect(), waiting: waiting.len() })
    }
}

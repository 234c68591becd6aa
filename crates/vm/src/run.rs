//! One execution under a deterministic scheduler: what `threadbare run` does.
//!
//! A thread runs for a number of visible operations, then another gets its turn; the seed decides for how many and who.
//! Time passes only when nobody can do anything else: sleepers wake, and timed waits run out, when all others are
//! stuck, or once in a long while so that a thread that spins for ever does not stop the clock.

use std::sync::atomic::{AtomicBool, Ordering};

use threadbare_core::{Choice, Ending, Machine, Operation, Pending, Random, Tid};

use crate::fault::{Fault, FaultKind};
use crate::machine::VmMachine;

/// How the execution ended.
#[derive(Debug)]
pub enum Outcome {
    Exit(i32),
    Fault(Box<Fault>),
    /// A failed `assume` stopped every thread that could still go on.
    Cut,
    /// Somebody asked for the end: where the threads stood then.
    Interrupted(Box<Fault>),
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

    /// The limit is reached: who is to blame, and where does it stand?
    fn limit(mut self, machine: &VmMachine, limit: u64) -> Box<Fault> {
        self.0.sort_by_key(|&(tid, count)| (std::cmp::Reverse(count), tid));
        let shares: Vec<String> =
            self.0.iter().take(3).map(|&(tid, count)| format!("{} did {count}", machine.thread_name(tid))).collect();
        let last: u64 = self.0.iter().map(|(_, count)| count).sum();
        let message = format!(
            "{limit} operations that other threads can see, and no end. Of the last {last}, {}: does somebody wait in a loop? \
             (raise the limit with --operation-limit)",
            shares.join(", ")
        );
        machine.stopped(FaultKind::Limit, message, self.0[0].0)
    }
}

impl VmMachine {
    /// A fault of nobody: the execution stops while `tid` stands where it stands.
    fn stopped(&self, kind: FaultKind, message: String, tid: Tid) -> Box<Fault> {
        let stack = if self.is_live(tid) { self.thread(tid).stack() } else { Vec::new() };
        Box::new(Fault {
            kind,
            message,
            tid,
            stack,
            object: None,
            waiters: Vec::new(),
            address: None,
            other: None,
            signal: None,
        })
    }
}

fn stopped_here(machine: &VmMachine, tid: Tid) -> Box<Fault> {
    let message = format!("{} was running, and stands here", machine.thread_name(tid));
    machine.stopped(FaultKind::Stopped, message, tid)
}

pub fn run(machine: &mut VmMachine, course: &Course) -> Outcome {
    let seed = course.seed;
    let mut random = Random::new(seed);
    let mut current = Tid::MAIN;
    let mut done = 0u64;
    let mut lately = Lately::default();
    let mut quantum = 0u32;
    // When each thread last began a turn.
    let mut turns: Vec<u64> = Vec::new();
    let mut busy = 0u64;
    loop {
        if let Some(ending) = machine.ending() {
            return match ending {
                Ending::Exit(status) => Outcome::Exit(*status),
                Ending::Error(fault) if fault.kind == FaultKind::Stopped => {
                    Outcome::Interrupted(stopped_here(machine, fault.tid))
                }
                Ending::Error(fault) => Outcome::Fault(fault.clone()),
            };
        }
        if course.interrupted.load(Ordering::Relaxed) {
            return Outcome::Interrupted(stopped_here(machine, current));
        }
        if done >= course.operations {
            return Outcome::Fault(lately.limit(machine, course.operations));
        }
        done += 1;
        let closing = done + LOOKED_AT > course.operations;
        // The usual case first: the running thread goes on.
        if quantum > 0
            && machine.is_live(current)
            && let pending = machine.pending_of(current)
            && let Some(choice) = eager_choice(&pending, &mut random)
        {
            quantum = if pending.operation == Operation::Yield { 0 } else { quantum - 1 };
            busy += 1;
            if closing {
                lately.count(current);
            }
            machine.step(current, choice);
            continue;
        }
        let pending = machine.all_pending();
        let mut ready: Vec<(Tid, Choice)> = Vec::new();
        let mut sleeping: Vec<(Tid, Choice)> = Vec::new();
        let mut timing: Vec<(Tid, Choice)> = Vec::new();
        for p in &pending {
            match eager_choice(p, &mut random) {
                Some(choice) => ready.push((p.tid, choice)),
                None => match p.choices.enabled().next() {
                    Some(choice) if is_sleep(p) => sleeping.push((p.tid, choice)),
                    Some(choice) => timing.push((p.tid, choice)),
                    None => {}
                },
            }
        }
        let list = if !sleeping.is_empty() && (ready.is_empty() || busy > SLEEP_AFTER) {
            &sleeping
        } else if !timing.is_empty() && (ready.is_empty() || busy > TIME_OUT_AFTER) {
            &timing
        } else {
            &ready
        };
        if list.is_empty() {
            let cut = machine.any_cut();
            return if cut { Outcome::Cut } else { Outcome::Fault(machine.deadlock()) };
        }
        busy = if std::ptr::eq(list, &ready) { busy + 1 } else { 0 };
        // Seed 0 takes turns: whose last one is longest ago is next. Others draw.
        let (tid, choice) = if seed == 0 {
            let longest_ago = |(tid, _): &&(Tid, Choice)| turns.get(tid.index()).copied().unwrap_or(0);
            *list.iter().min_by_key(longest_ago).expect("not empty")
        } else {
            list[random.below(list.len())]
        };
        current = tid;
        if turns.len() <= tid.index() {
            turns.resize(tid.index() + 1, 0);
        }
        turns[tid.index()] = done;
        quantum = random.below(if seed == 0 { TURN } else { 12 }) as u32;
        if closing {
            lately.count(tid);
        }
        machine.step(tid, choice);
    }
}

fn is_sleep(pending: &Pending) -> bool {
    matches!(pending.operation, Operation::Sleep | Operation::SleepUntil)
}

/// A choice that needs no time to pass.
fn eager_choice(pending: &Pending, random: &mut Random) -> Option<Choice> {
    if is_sleep(pending) {
        return None;
    }
    match &pending.choices {
        threadbare_core::Choices::Range(n) => Some(Choice(random.below(*n as usize) as u32)),
        threadbare_core::Choices::Listed(list) => {
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

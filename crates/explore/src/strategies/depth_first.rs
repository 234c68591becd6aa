//! The search that all exhaustive strategies are: depth first over the steps of a program. A strategy is a rule that says,
//! at each state that the search comes to, what to explore from it.

use std::collections::VecDeque;

use rustc_hash::FxHashSet;
use threadbare_core::{Ending, Fingerprint, Machine, Tid};

use super::Settings;
use super::walk::{Here, Loops, Walk};
use crate::label::Label;
use crate::search::{End, Flow, Search, Totals};

/// A power of two.
const TRANSITIONS_PER_TICK: u64 = 1024;

/// A state of the path.
pub struct Frame<X> {
    /// What is still to be explored from it. A rule may add to it later.
    pub todo: VecDeque<Label>,
    explored: usize,
    /// See `Here::running`.
    pub running: Option<Tid>,
    pub own: X,
}

impl<X> Frame<X> {
    pub fn new(todo: impl IntoIterator<Item = Label>, own: X) -> Self {
        Frame { todo: todo.into_iter().collect(), explored: 0, running: None, own }
    }
}

pub enum Arrival<X> {
    /// Explore what the frame says. If that is nothing where something could be, the path is redundant.
    Go(Frame<X>),
    /// The state was explored before.
    Known,
}

pub trait Rule<M: Machine> {
    /// What it keeps for each state of the path.
    type Own;

    const LOOPS: Loops;

    /// It uses that arrivals at a barrier commute. Whether they do is told by the whole past, so that a search which goes
    /// on from stored states cannot use it, and a search that takes every step has no use for it.
    const ARRIVALS_COMMUTE: bool;

    /// The search has come to a state by the last step of the path, from that of the last frame; or it is at the start.
    fn arrive(&mut self, walk: &mut Walk<M>, frames: &mut [Frame<Self::Own>], here: &Here) -> Arrival<Self::Own>;

    /// Nothing is left to explore from a state. The rule may add something.
    fn leave(&mut self, _frame: &mut Frame<Self::Own>) {}
}

/// Explores what the rule says. Starts again if arrivals at a barrier, taken to commute until then, turn out not to.
pub fn depth_first<M: Machine, R: Rule<M>>(
    machine: &mut M,
    settings: &Settings,
    search: &mut impl Search<M>,
    rule: impl Fn() -> R,
) -> Totals {
    if !R::ARRIVALS_COMMUTE {
        machine.order_arrivals();
    }
    loop {
        let mut walk = Walk::new(machine, R::LOOPS, settings);
        let flow = explore(&mut walk, &mut rule(), search);
        walk.start_again();
        if !walk.overused || flow == Flow::Stop {
            walk.totals.complete = flow == Flow::Continue;
            return walk.totals;
        }
        machine.order_arrivals();
    }
}

fn explore<M: Machine, R: Rule<M>>(walk: &mut Walk<M>, rule: &mut R, search: &mut impl Search<M>) -> Flow {
    let mut frames: Vec<Frame<R::Own>> = Vec::new();
    let mut spinning = FxHashSet::default();
    let mut flow = arrive(walk, rule, search, &mut frames, &mut spinning);
    while flow == Flow::Continue && !walk.overused {
        let Some(top) = frames.last_mut() else { break };
        if top.todo.is_empty() {
            rule.leave(top);
        }
        match top.todo.pop_front() {
            Some(label) if !walk.affords(top.running, &label) => {}
            Some(label) => {
                top.explored += 1;
                walk.take(label, top.running);
                flow = arrive(walk, rule, search, &mut frames, &mut spinning);
                // Executions may be long.
                if flow == Flow::Continue && walk.totals.transitions & (TRANSITIONS_PER_TICK - 1) == 0 {
                    search.progress(done(&frames));
                    flow = search.tick();
                }
            }
            None => {
                frames.pop();
                if !frames.is_empty() {
                    walk.back();
                }
            }
        }
    }
    flow
}

/// The path has come to a state: a frame for it, or an end, from which the search goes back.
fn arrive<M: Machine, R: Rule<M>>(
    walk: &mut Walk<M>,
    rule: &mut R,
    search: &mut impl Search<M>,
    frames: &mut Vec<Frame<R::Own>>,
    spinning: &mut FxHashSet<Fingerprint>,
) -> Flow {
    let here = walk.here();
    let end = match rule.arrive(walk, frames, &here) {
        // The step that failed may have changed nothing.
        Arrival::Known if matches!(walk.machine.ending(), Some(Ending::Error(_))) => walk.classify(&here),
        Arrival::Known => End::Redundant,
        Arrival::Go(_) if here.enabled.is_empty() => walk.classify(&here),
        Arrival::Go(mut frame) => {
            frame.running = here.running;
            // The states of a loop are explored like others, but that threads go round it for ever is one end.
            let ends = if walk.loops == Loops::GoRound { walk.spinning_end(&here) } else { None };
            if let Some((end, state)) = ends
                && spinning.insert(state)
                && walk.report(search, end) == Flow::Stop
            {
                return Flow::Stop;
            }
            if frame.todo.is_empty() {
                End::Redundant
            } else if walk.is_at_bound() {
                End::Bound
            } else {
                frames.push(frame);
                return Flow::Continue;
            }
        }
    };
    let flow = walk.report(search, end);
    if flow == Flow::Continue && !frames.is_empty() {
        walk.back();
    }
    flow
}

/// How much of the tree of executions is done, as far as its branches are known: the finished children of each state of
/// the path, weighed by how many there are.
fn done<X>(frames: &[Frame<X>]) -> f64 {
    let (mut done, mut weight) = (0.0, 1.0);
    for frame in frames {
        let finished = frame.explored.saturating_sub(1) as f64;
        let known = (frame.explored.max(1) + frame.todo.len()) as f64;
        done += weight * finished / known;
        weight /= known;
    }
    done
}

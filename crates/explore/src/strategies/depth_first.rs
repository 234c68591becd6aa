//! The search that all exhaustive strategies are: depth first over the steps of a program. A strategy is a rule that says,
//! at each state that the search comes to, what to explore from it.
//!
//! Several workers share the branches of the first states of their paths (see `branches`): whoever is asked for work gives
//! the next branch away that is left, as near to the start as there is one. A task is the way to it, branch by branch. The other
//! worker goes there by the rule, as if it had explored the way itself. Nothing is ever closed: whoever adds to a state
//! comes back to it, and takes what nobody has taken by then.
//!
//! What is explored is the same for any number of workers, where a rule says what to explore from a state by the way to it
//! alone, and adds to states on a path by that path alone: the least set of paths that holds all that is added. With sleep
//! sets the order of the branches has a say, too; it is one in which a single worker could have taken them, which is
//! enough where any order will do.

use rustc_hash::FxHashSet;
use threadbare_core::{Ending, Fingerprint, Machine};

use super::Settings;
pub use super::branches::Frame;
use super::branches::Turn;
use super::tree::Goes;
use super::walk::{Here, Loops, Walk};
use crate::crew::{self, Arrivals, Hand, Shared, Workers, task_after_task};
use crate::label::Label;
use crate::search::{End, Flow, Search, Totals};

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

    /// The order in which branches are found decides what is explored of executions that a bound cuts off.
    fn goes_by_order(&self) -> bool {
        false
    }
}

/// The way to a branch that somebody has taken for another, and that branch.
type Task = Vec<Turn>;

/// Explores what the rule says. Starts again if arrivals at a barrier, taken to commute until then, turn out not to.
pub fn depth_first<M: Machine, S: Search<M>, R: Rule<M>>(
    workers: &impl Workers<M, S>,
    machine: &mut M,
    settings: &Settings,
    search: &mut S,
    rule: impl Fn() -> R + Sync,
) -> Shared<M, S> {
    crew::explore(workers, machine, search, |machine: &mut M, search: &mut S, hand: Option<&Hand<Task>>| {
        if !R::ARRIVALS_COMMUTE {
            machine.order_arrivals();
        }
        let walk = Walk::new(machine, R::LOOPS, settings);
        Worker { walk, rule: rule(), frames: Vec::new(), spinning: FxHashSet::default(), hand }.work(search)
    })
}

struct Worker<'m, M: Machine, R: Rule<M>> {
    walk: Walk<'m, M>,
    rule: R,
    frames: Vec<Frame<R::Own>>,
    /// States in which all that can move go round for ever.
    spinning: FxHashSet<Fingerprint>,
    hand: Option<&'m Hand<'m, Task>>,
}

impl<M: Machine, R: Rule<M>> Worker<'_, M, R> {
    fn work(mut self, search: &mut impl Search<M>) -> (Totals, Arrivals) {
        let mut arrivals = Arrivals::Commute;
        let flow = task_after_task(self.hand, search, |search, task| {
            let (way, done) = (task.as_ref().map_or(0, Vec::len), self.walk.totals.transitions);
            let mut flow = match task {
                Some(task) => self.adopt(task, search),
                None => self.arrive(search),
            };
            flow = self.go_on(search, flow);
            self.frames.clear();
            self.walk.start_again();
            if let Some(hand) = self.hand {
                hand.weigh(way as u64, self.walk.totals.transitions - done);
            }
            if self.walk.overused && flow == Flow::Continue {
                arrivals = Arrivals::Ordered;
                flow = Flow::Stop;
            }
            flow
        });
        self.walk.totals.complete = flow == Flow::Continue;
        (self.walk.totals, arrivals)
    }

    fn go_on(&mut self, search: &mut impl Search<M>, mut flow: Flow) -> Flow {
        while flow == Flow::Continue && !self.walk.overused {
            let Some(top) = self.frames.last_mut() else { break };
            if !top.is_open() {
                self.rule.leave(top);
            }
            match top.take_next() {
                Some(label) => flow = self.explore(search, label),
                None => {
                    self.frames.pop();
                    self.back();
                }
            }
        }
        flow
    }

    /// A branch of the last state.
    fn explore(&mut self, search: &mut impl Search<M>, label: Label) -> Flow {
        let top = self.frames.last_mut().expect("a branch is one of a state");
        if !self.walk.affords(top.running, &label) {
            top.note_done();
            return Flow::Continue;
        }
        self.walk.take(label, top.running);
        let mut flow = self.arrive(search);
        // Executions may be long.
        if flow == Flow::Continue && self.walk.ticks.are_due() {
            search.progress(done(&self.frames));
            if let Some(states) = self.walk.totals.states {
                search.stored(states);
            }
            flow = search.tick();
            if flow == Flow::Continue {
                flow = self.look_after_others();
            }
        }
        flow
    }

    /// From a state without a frame, to the one before it.
    fn back(&mut self) {
        if let Some(top) = self.frames.last_mut() {
            top.note_done();
            self.walk.back();
        }
    }

    /// The path has come to a state: a frame for it, or an end, from which the search goes back.
    fn arrive(&mut self, search: &mut impl Search<M>) -> Flow {
        let walk = &mut self.walk;
        let here = walk.here();
        let end = match self.rule.arrive(walk, &mut self.frames, &here) {
            // The step that failed may have changed nothing.
            Arrival::Known if matches!(walk.machine.ending(), Some(Ending::Error(_))) => walk.classify(&here),
            Arrival::Known => End::Redundant,
            Arrival::Go(_) if here.enabled.is_empty() => walk.classify(&here),
            Arrival::Go(frame) => {
                // The states of a loop are explored like others, but that threads go round it for ever is one end.
                let ends = if walk.loops == Loops::GoRound { walk.spinning_end(here.threads()) } else { None };
                if let Some((end, state)) = ends
                    && self.spinning.insert(state)
                    && walk.report(search, end) == Flow::Stop
                {
                    return Flow::Stop;
                }
                if !frame.is_open() {
                    End::Redundant
                } else if walk.is_at_bound() {
                    End::Bound
                } else {
                    self.frames.push(frame);
                    return Flow::Continue;
                }
            }
        };
        if end == End::Bound
            && self.rule.goes_by_order()
            && let Some(hand) = self.hand
            && hand.stay_alone() == Flow::Stop
        {
            return Flow::Stop;
        }
        let flow = walk.report(search, end);
        if flow == Flow::Stop {
            return flow;
        }
        self.back();
        self.look_after_others()
    }

    /// Whether somebody wants work, or has ended the search.
    #[inline]
    fn look_after_others(&mut self) -> Flow {
        let Some(hand) = self.hand else { return Flow::Continue };
        let flow = hand.tick();
        if flow == Flow::Continue && hand.is_wanted() {
            self.share(hand);
        }
        flow
    }

    /// Gives a branch away: of the first state of the path that has one.
    #[cold]
    fn share(&mut self, hand: &Hand<Task>) {
        let open = (0..self.frames.len()).filter(|&at| self.frames[at].is_open());
        let Some(at) = hand.choose(open) else { return };
        // Somebody else may have been quicker.
        let Some(branch) = self.frames[at].give_next() else { return };
        hand.give(self.frames[..at].iter_mut().map(Frame::turn).chain([branch]).collect());
    }

    /// Begins with a task: the walk is at the start of the program.
    fn adopt(&mut self, task: Task, search: &mut impl Search<M>) -> Flow {
        let transitions = self.walk.totals.transitions;
        for turn in task {
            if let Some(top) = self.frames.last() {
                self.walk.take(top.current(), top.running);
            }
            if self.walk.has_ended() {
                return self.walk.stopped(search);
            }
            let here = self.walk.here();
            let Arrival::Go(mut frame) = self.rule.arrive(&mut self.walk, &mut self.frames, &here) else {
                unreachable!("a search that stores states is not shared")
            };
            frame.follow(turn);
            self.frames.push(frame);
        }
        // What is done again does not count.
        self.walk.totals.transitions = transitions;
        let label = self.frames.last().expect("a way leads somewhere").current();
        self.explore(search, label)
    }
}

/// How much of the tree of executions is done, as far as its branches are known: the finished children of each state of
/// the path, weighed by how many there are.
fn done<X>(frames: &[Frame<X>]) -> f64 {
    let (mut done, mut weight) = (0.0, 1.0);
    for frame in frames {
        let (finished, known) = frame.progress();
        done += weight * finished as f64 / known as f64;
        weight /= known as f64;
    }
    done
}

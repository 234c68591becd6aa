//! Threads that change places. A machine may take all states for one that differ only in which of some threads is where. Then an
//! edge leads to a state that was met with others in those places: what may come after that state, may come after the edge
//! with these threads *turned* into those.
//!
//! Take the states as they were met, each with everybody who could be in its places, and every edge as often. That is a graph
//! that the search without symmetry might have explored: where an edge of the stored graph leads, with its turn, is where the
//! step leads, and futures and threads to be explored have flowed along each of them. So nothing is lost. On a cycle threads
//! may change places from round to round, and who is left out of it for ever is not told by the stored graph: programs
//! that run for ever are explored without.
//!
//! A state is found by a step, not by a turn, so that the way to it can be executed as it is.

use rustc_hash::FxHashMap;
use threadbare_core::{Access, Choice, Machine, Operation, Tid};

use super::sets::{OperationId, Operations};
use super::stored::StateId;
use crate::label::{Label, Labels};

/// The event of an edge is the number of a turned operation.
const TURNED: u32 = 1 << 31;

/// A permutation of threads: who becomes whom. Those that are beyond it stay.
type Turn = Box<[Tid]>;
type TurnId = u32;

/// Not asked for yet.
const UNKNOWN: OperationId = OperationId::MAX;

pub struct Turns {
    /// An access as others make it.
    turn_access: fn(&Access, &[Tid]) -> Access,
    turns: Vec<Turn>,
    numbers: FxHashMap<Turn, TurnId>,
    /// Who was in which place when each state was found.
    cast: Vec<TurnId>,
    /// Events of edges that end with a turn.
    events: Vec<(OperationId, TurnId)>,
    event_numbers: FxHashMap<(OperationId, TurnId), u32>,
    /// For each turn, what operations become by it.
    operations: Vec<Vec<OperationId>>,
}

fn turned(turn: &[Tid], tid: Tid) -> Tid {
    turn.get(tid.index()).copied().unwrap_or(tid)
}

fn turn_access<M: Machine>(access: &Access, turn: &[Tid]) -> Access {
    M::in_other_places(access, |tid| turned(turn, tid))
}

impl Turns {
    pub fn of<M: Machine>(machine: &M) -> Option<Turns> {
        machine.changes_places().then(|| Turns {
            turn_access: turn_access::<M>,
            turns: Vec::new(),
            numbers: FxHashMap::default(),
            cast: Vec::new(),
            events: Vec::new(),
            event_numbers: FxHashMap::default(),
            operations: Vec::new(),
        })
    }

    fn number(&mut self, turn: &[Tid]) -> TurnId {
        if let Some(&known) = self.numbers.get(turn) {
            return known;
        }
        let number = self.turns.len() as TurnId;
        self.turns.push(turn.into());
        self.numbers.insert(turn.into(), number);
        self.operations.push(Vec::new());
        number
    }

    /// A state was found with these in its places.
    pub fn found(&mut self, state: StateId, cast: &[Tid]) {
        let number = self.number(cast);
        let at = state as usize;
        if self.cast.len() <= at {
            self.cast.resize(at + 1, 0);
        }
        self.cast[at] = number;
    }

    /// The event of an edge that leads to a state that was met before, with these in its places now.
    pub fn event(&mut self, event: OperationId, state: StateId, cast: &[Tid]) -> u32 {
        let before = &self.turns[self.cast[state as usize] as usize];
        if **before == *cast {
            return event;
        }
        let mut turn: Vec<Tid> = (0..cast.len().max(before.len())).map(|i| Tid(i as u16)).collect();
        for (was, is) in before.iter().zip(cast) {
            turn[was.index()] = *is;
        }
        if turn.iter().enumerate().all(|(i, tid)| tid.index() == i) {
            return event;
        }
        let turn = self.number(&turn);
        let next = self.events.len() as u32;
        let number = *self.event_numbers.entry((event, turn)).or_insert(next);
        if number == next {
            self.events.push((event, turn));
        }
        number | TURNED
    }

    /// The operation of an event, and the turn, if there is one.
    pub fn split(&self, event: u32) -> (OperationId, Option<TurnId>) {
        match event & TURNED {
            0 => (event, None),
            _ => {
                let (event, turn) = self.events[(event & !TURNED) as usize];
                (event, Some(turn))
            }
        }
    }

    /// A set of operations as the others do them.
    pub fn turn(&mut self, turn: TurnId, set: &[u64], operations: &mut Operations, labels: &mut Labels) -> Vec<u64> {
        let mut result: Vec<u64> = vec![0; operations.width()];
        for (word, &bits) in set.iter().enumerate() {
            let mut left = bits;
            while left != 0 {
                let operation = 64 * word as u32 + left.trailing_zeros();
                left &= left - 1;
                let other = self.turn_operation(turn, operation, operations, labels);
                result.resize(operations.width(), 0);
                super::sets::set(&mut result, other);
            }
        }
        result
    }

    fn turn_operation(
        &mut self,
        turn: TurnId,
        operation: OperationId,
        operations: &mut Operations,
        labels: &mut Labels,
    ) -> OperationId {
        let known = &mut self.operations[turn as usize];
        if known.len() <= operation as usize {
            known.resize(operation as usize + 1, UNKNOWN);
        }
        if known[operation as usize] == UNKNOWN {
            let label = self.turn_label(turn, operations.label(operation), labels);
            self.operations[turn as usize][operation as usize] = operations.number(labels, label);
        }
        self.operations[turn as usize][operation as usize]
    }

    fn turn_label(&self, turn: TurnId, label: Label, labels: &mut Labels) -> Label {
        let turn = &self.turns[turn as usize];
        let accesses: Vec<Access> = labels.accesses(&label).map(|access| (self.turn_access)(access, turn)).collect();
        // A signal chooses whom it wakes.
        let choice = match label.operation {
            Operation::CondSignal => Choice(turned(turn, Tid(label.choice.0 as u16)).0.into()),
            _ => label.choice,
        };
        labels.label(turned(turn, label.tid), label.operation, choice, &accesses)
    }
}

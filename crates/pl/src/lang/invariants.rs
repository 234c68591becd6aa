//! Invariants: functions of the program that are to hold in every state (`--invariant`).
//!
//! A write to a shared variable that an invariant may read touches a `Space::Property` object besides, so that all such writes
//! conflict, and every state between them comes up in some execution: x := 1 ‖ y := 1 with the invariant
//! not (!x == 1 && !y == 0) needs both orders. After a step that changed one of them the function is called by a thread that
//! is not there, and everything is as it was before.

use threadbare_core::{Access, AccessSet, Accesses, FaultKind, Mode, Place, Role, Space, Tid};

use super::bytecode::{Op, TbProgram, Value};
use super::fault::{Position, TbFault};
use super::machine::{TbMachine, cells};
use super::reach::Reach;
use super::thread::{Rounds, Stop, Thread};
use super::undo::Undo;

#[derive(Clone, Debug)]
pub struct Invariant {
    pub name: String,
    /// Calls it, and stands at `Op::End` in front of the `Return` of what it gave.
    pub caller: u16,
    /// The function itself.
    pub function: u16,
    pub role: Role,
}

fn property(number: u16) -> Access {
    Access::object(Space::Property, Mode::Write, number.into())
}

/// Finds out which invariants may read each shared variable.
pub fn find_watched(program: &mut TbProgram) {
    if program.invariants.is_empty() {
        return;
    }
    program.watched = vec![Vec::new(); program.shared.len()];
    for (number, invariant) in program.invariants.iter().enumerate() {
        let reach = program.functions[invariant.caller as usize].reach[0];
        let looks = Reach::access_set(std::iter::once(&program.reachable[reach as usize]), 0);
        for (at, watched) in program.watched.iter_mut().enumerate() {
            if looks.conflicts_with(&cells(Mode::Write, at as u32, 1)) {
                watched.push(number as u16);
            }
        }
    }
}

impl TbProgram {
    /// The invariants that may read a shared variable.
    fn watchers(&self, at: u32) -> &[u16] {
        self.watched.get(at as usize).map_or(&[], Vec::as_slice)
    }

    /// What a write to a variable touches: the invariants, too, that it may break.
    pub(super) fn write_to(&self, at: u32) -> Accesses {
        let own = cells(Mode::Write, at, 1);
        std::iter::once(own).chain(self.watchers(at).iter().map(|&number| property(number))).collect()
    }

    /// The same for what a thread may still touch.
    pub(super) fn with_invariants(&self, mut set: AccessSet) -> AccessSet {
        let mut broken: Vec<u16> = Vec::new();
        for (at, watched) in self.watched.iter().enumerate().filter(|(_, watched)| !watched.is_empty()) {
            if set.conflicts_with(&cells(Mode::Read, at as u32, 1)) {
                broken.extend(watched);
            }
        }
        broken.sort_unstable();
        broken.dedup();
        for number in broken {
            set = set.with(property(number));
        }
        set
    }

    /// Where an invariant is written.
    pub fn place_of_invariant(&self, name: &str) -> Option<Place> {
        let invariant = self.invariants.iter().find(|invariant| invariant.name == name)?;
        Some(self.place(Position { function: invariant.function, pc: 0 }))
    }
}

/// Why an invariant has no value.
type NoAnswer = (FaultKind, String);

impl TbMachine {
    /// Whether all hold before anybody moves.
    pub(super) fn check_at_start(&mut self) {
        for invariant in &self.program().clone().invariants {
            let Some((kind, message)) = self.complaint(invariant) else { continue };
            let message = match kind {
                FaultKind::Invariant => format!("{message} when the program starts"),
                _ => message,
            };
            let stack = vec![Position { function: invariant.function, pc: 0 }];
            let tid = Tid(1);
            self.note_fault(TbFault { kind, message, tid, stack, waiters: Vec::new(), locals: Vec::new() });
        }
    }

    /// A thread has changed a variable by the operation at `stack`: those that may read it.
    pub(super) fn check_watchers(&mut self, tid: Tid, at: u32, stack: &[Position]) {
        let program = self.program().clone();
        for &number in program.watchers(at) {
            if let Some((kind, message)) = self.complaint(&program.invariants[number as usize]) {
                let (stack, locals) = (stack.to_vec(), self.locals(tid));
                let goes_on = self.note_fault(TbFault { kind, message, tid, stack, waiters: Vec::new(), locals });
                if !goes_on {
                    return;
                }
            }
        }
    }

    /// Whether a proposition holds in this state; what is wrong with it, if it cannot be told.
    pub fn holds(&self, proposition: usize) -> Result<bool, Box<TbFault>> {
        let mut propositions = self.program().invariants.iter().filter(|it| it.role == Role::Proposition);
        let it = propositions.nth(proposition).expect("one of those that the program was loaded with");
        self.evaluate(it.caller).map_err(|(kind, message)| {
            let message = format!("{message}, when the proposition `{}` is evaluated", it.name);
            let stack = vec![Position { function: it.function, pc: 0 }];
            Box::new(TbFault { kind, message, tid: Tid(1), stack, waiters: Vec::new(), locals: Vec::new() })
        })
    }

    fn complaint(&self, invariant: &Invariant) -> Option<NoAnswer> {
        let name = &invariant.name;
        if invariant.role == Role::Proposition {
            return None;
        }
        match self.evaluate(invariant.caller) {
            Ok(true) => None,
            Ok(false) => Some((FaultKind::Invariant, format!("invariant `{name}` does not hold"))),
            Err((FaultKind::Unsupported, what)) => {
                Some((FaultKind::Unsupported, format!("the invariant `{name}` may only look: {what}")))
            }
            Err((kind, message)) => Some((kind, format!("{message}, when the invariant `{name}` is evaluated"))),
        }
    }

    fn evaluate(&self, caller: u16) -> Result<bool, NoAnswer> {
        let (program, limits) = (self.program(), self.limits());
        let mut thread = Thread::new(program, Some(caller));
        let (mut rounds, mut log) = (Rounds::new(limits), Undo::default());
        let only_looks = |what: &str| Err((FaultKind::Unsupported, what.to_string()));
        loop {
            match thread.run(program, limits, &mut rounds, &mut log, 0) {
                Stop::Fault(kind, message) => return Err((kind, message)),
                Stop::Cut => return only_looks("it assumes something"),
                Stop::Ended => unreachable!("its caller stops before the end"),
                Stop::Visible => {}
            }
            match thread.op(program) {
                Op::Read { d, place } => {
                    let Value::Shared(at) = thread.get(program, place) else { unreachable!("others are not visible") };
                    thread.finish(Some((d, self.shared()[at as usize])));
                }
                Op::End => {
                    thread.finish(None);
                    let Op::Return { s } = thread.op(program) else { unreachable!("the caller returns") };
                    return Ok(thread.get(program, s).is_true());
                }
                Op::Write { .. } | Op::CompareAndSwap { .. } => return only_looks("it changes a shared variable"),
                Op::Choose { .. } => return only_looks("it chooses"),
                _ => return only_looks("it takes or gives back a mutex"),
            }
        }
    }
}

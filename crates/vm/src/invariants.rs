//! Invariants: functions of the program that are to hold in every state.
//!
//! `observe` finds what they read, and makes writes to it visible. Every such write touches a `Space::Property` object besides
//! its memory, so that all of them conflict and every state between them comes up in some execution: x = 1 ‖ y = 1 with
//! the invariant !(x && !y) needs both orders. After a step that changed bytes that an invariant reads, its function is
//! called on a stack of its own, and everything is as it was before.

use std::ops::Range;

use smallvec::SmallVec;
use threadbare_core::{Access, AccessSet, Accesses, Choice, Ending, Machine, Mode, Operation, Role, Space, Step, Tid};

use crate::bytecode::{Op, Program, VisibleDetail};
use crate::fault::{CodePos, Fault, FaultKind};
use crate::interp::{Cpu, Stop};
use crate::known::Recorder;
use crate::machine::{LOG_NOTED, VmMachine};
use crate::memory::{Addr, Changed, LogPosition, ObjectKind};
use crate::names::SourcePos;
use crate::thread::{Frame, Thread};

pub struct Invariant {
    pub name: Box<str>,
    pub function: u32,
    /// Where it is written, as in `Function::locations`.
    pub place: u32,
    pub sight: Sight,
    pub role: Role,
}

/// The bytes that an invariant may read.
pub enum Sight {
    Everything,
    Ranges(Vec<Range<Addr>>),
}

impl Sight {
    pub fn sees(&self, bytes: &Range<Addr>) -> bool {
        match self {
            Sight::Everything => true,
            Sight::Ranges(ranges) => ranges.iter().any(|range| range.start < bytes.end && bytes.start < range.end),
        }
    }
}

/// The largest object of synchronisation.
const SYNC_BYTES: u64 = 56;

/// The bytes that an access changes: of memory, or of the object of synchronisation that lies there.
fn written_by(access: &Access) -> Option<Range<Addr>> {
    use Space::*;
    match access.space {
        Memory if access.mode == Mode::Read => None,
        Memory => Some(access.address..access.address + u64::from(access.length)),
        Mutex | Cond | Semaphore | RwLock | Once => Some(access.address..access.address + SYNC_BYTES),
        // The generation stands in the upper bits.
        Barrier => {
            let address = access.address & ((1 << 48) - 1);
            Some(address..address + SYNC_BYTES)
        }
        Wake | Hidden | Property | Unseen | Thread | Process => None,
    }
}

fn property(number: usize) -> Access {
    Access::object(Space::Property, Mode::Write, number as u64)
}

/// The bytes that accesses change.
pub fn written(list: &Accesses) -> Vec<Range<Addr>> {
    list.iter().filter_map(written_by).collect()
}

/// Adds the invariants with these sights that the writes among the accesses may break.
pub fn note_seen<'s>(sights: impl Iterator<Item = &'s Sight>, list: &mut Accesses) {
    for (number, sight) in sights.enumerate() {
        // Who follows pointers does not look into locks.
        let looks = |access: &&Access| access.space == Space::Memory || matches!(sight, Sight::Ranges(_));
        let mut written = list.iter().filter(looks).filter_map(written_by);
        if written.any(|bytes| sight.sees(&bytes)) {
            list.push(property(number));
        }
    }
}

impl Program {
    /// Where an invariant is written.
    pub fn place_of_invariant(&self, name: &str) -> Option<SourcePos> {
        let invariant = self.invariants.iter().find(|invariant| &*invariant.name == name)?;
        Some(self.source_of(CodePos { function: invariant.function, pc: 0 }).swap_remove(0))
    }

    /// Adds the invariants that the writes among these accesses may break.
    pub(crate) fn note_observed(&self, list: &mut Accesses) {
        note_seen(self.invariants.iter().map(|invariant| &invariant.sight), list);
    }

    /// The same for what a thread may still touch.
    pub(crate) fn with_invariants(&self, mut set: AccessSet) -> AccessSet {
        for (number, invariant) in self.invariants.iter().enumerate() {
            let looks = |bytes: &Range<Addr>| {
                let length = u32::try_from(bytes.end - bytes.start).expect("objects are smaller than 4 GiB");
                Access::memory(Mode::Read, bytes.start, length)
            };
            let breaks = match &invariant.sight {
                Sight::Everything => true,
                Sight::Ranges(ranges) => ranges.iter().any(|bytes| set.conflicts_with(&looks(bytes))),
            };
            if breaks {
                set = set.with(property(number));
            }
        }
        set
    }
}

/// What is known of a step before it is taken.
#[derive(Default)]
pub struct Watch {
    /// What its operation writes.
    writes: Vec<Range<Addr>>,
    /// Some invariant may look at that.
    changes: bool,
    /// Where it is.
    stack: Vec<CodePos>,
    /// A whole block, in which nobody looks.
    block: bool,
    /// The first step: whatever holds in the end has to hold in the beginning.
    first: bool,
}

impl VmMachine {
    /// Before a step; `None` if there is nothing to watch.
    #[inline]
    pub(crate) fn watch(&mut self, who: Tid, choice: Choice) -> Option<Watch> {
        let watches = !self.program.invariants.is_empty() && self.block_accesses.is_none();
        watches.then(|| self.watch_now(who, choice))
    }

    fn watch_now(&mut self, who: Tid, choice: Choice) -> Watch {
        let site = self.site(who).map(|(site, _)| site.operation);
        let accesses = self.accesses_of(who, choice);
        let writes = written(&accesses);
        let changes = accesses.iter().any(|access| access.space == Space::Property);
        self.known.hold(&self.program, &mut self.threads[who.index()]);
        let stack = self.threads[who.index()].stack();
        self.memory.make_ready_to_tell();
        let first = site.is_none() && who == Tid::MAIN;
        Watch { writes, changes, stack, block: site == Some(Operation::AtomicBegin), first }
    }

    /// After a step that went well: evaluates the invariants that look at something it has changed.
    pub(crate) fn check_invariants(&mut self, who: Tid, log: LogPosition, watch: &Watch) -> Step {
        let program = self.program.clone();
        // First for all of them: an evaluation makes a mark, and what the step has made counts as new only before it.
        let mut due: SmallVec<[&Invariant; 4]> = SmallVec::new();
        for invariant in &program.invariants {
            match self.seen_changes(log, watch, &invariant.sight) {
                Ok(changes) if (changes || watch.first) && invariant.role == Role::Invariant => due.push(invariant),
                Ok(_) => {}
                Err(bytes) => return self.refuse_write(who, invariant, bytes, watch),
            }
        }
        for invariant in due {
            let fault = match self.evaluate(who, invariant) {
                Ok(0) => self.broken(who, invariant, watch),
                Ok(_) => continue,
                Err(fault) => fault,
            };
            let goes_on = self.go_on && fault.kind == FaultKind::Invariant;
            if !goes_on {
                return self.end(Ending::Error(fault));
            }
            // It stays broken for a while.
            if !self.noted.iter().any(|noted| noted.kind == fault.kind && noted.message == fault.message) {
                self.memory.log_outside(LOG_NOTED, 0, &[]);
                self.noted.push(*fault);
            }
        }
        Step::Done
    }

    fn broken(&self, who: Tid, invariant: &Invariant, watch: &Watch) -> Box<Fault> {
        let message = match watch.first {
            true => format!("invariant `{}` does not hold when the program starts", invariant.name),
            false => format!("invariant `{}` does not hold", invariant.name),
        };
        let stack = match watch.stack.as_slice() {
            stack if !watch.first && !stack.is_empty() => stack.to_vec(),
            _ => vec![CodePos { function: invariant.function, pc: 0 }],
        };
        Box::new(Fault {
            kind: FaultKind::Invariant,
            message,
            tid: who,
            stack,
            object: None,
            waiters: Vec::new(),
            other: None,
            address: None,
            signal: None,
        })
    }

    /// Whether the step has changed bytes that the invariant looks at. An error are such bytes that its operation did not
    /// write, or that changed a second time: local code writes there, which no other thread can come between.
    fn seen_changes(&self, log: LogPosition, watch: &Watch, sight: &Sight) -> Result<bool, Range<Addr>> {
        let mut changed: Vec<Range<Addr>> = Vec::new();
        let mut unseen = None;
        let known = self.memory.writes_since(log, |bytes| {
            // What is new, and what only its own thread can reach, nobody looks at yet.
            if !sight.sees(&bytes) || (matches!(sight, Sight::Everything) && self.is_out_of_sight(&bytes)) {
                return;
            }
            let own = watch
                .writes
                .iter()
                .any(|range| range.start <= bytes.start && bytes.end <= range.end.next_multiple_of(8));
            if !own || (!watch.block && changed.contains(&bytes)) {
                unseen.get_or_insert(bytes);
            } else {
                changed.push(bytes);
            }
        });
        match unseen {
            _ if !known => Err(0..0),
            Some(bytes) => Err(bytes),
            // The end of an object is no change of its bytes.
            None => Ok(!changed.is_empty() || (matches!(sight, Sight::Everything) && watch.changes)),
        }
    }

    /// Memory to which no pointer of the program leads: what this step has made, variables whose address stays in their
    /// thread, and what belongs to the library.
    fn is_out_of_sight(&self, bytes: &Range<Addr>) -> bool {
        let Some((start, object)) = self.memory.object_at(bytes.start) else { return true };
        let by_library = || CodePos::unpack(object.allocated_at).is_some_and(|at| self.program.is_library(at.function));
        self.memory.is_young(&object)
            || match object.kind {
                ObjectKind::Stack => self.is_own(object.owner, start) || by_library(),
                ObjectKind::ThreadLocal => self.is_own(object.owner, start),
                ObjectKind::Global => {
                    self.program.globals.iter().any(|global| global.address == start && global.library)
                }
                _ => false,
            }
    }

    fn refuse_write(&mut self, who: Tid, invariant: &Invariant, bytes: Range<Addr>, watch: &Watch) -> Step {
        let what = match bytes.start {
            0 => "more is written in one step than can be looked at".to_string(),
            address => format!("after this, {} is written by a library function", self.name_of(address)),
        };
        let message = format!(
            "{what}, and the {} `{}` may look at it: what library functions write is not interleaved",
            invariant.role.name(),
            invariant.name
        );
        let mut fault = self.cpu(who).fault(FaultKind::Unsupported, message);
        if !watch.stack.is_empty() {
            fault.stack.clone_from(&watch.stack);
        }
        self.end(Ending::Error(fault))
    }

    /// Whether a proposition holds where the machine is, which stays there.
    pub fn holds(&mut self, proposition: usize) -> Result<bool, Box<Fault>> {
        let program = self.program.clone();
        let mut propositions = program.invariants.iter().filter(|it| it.role == Role::Proposition);
        let it = propositions.nth(proposition).expect("one of those that the program was loaded with");
        self.evaluate(Tid::MAIN, it).map(|value| value != 0)
    }

    /// Calls the function on a stack of its own: what it gives.
    fn evaluate(&mut self, who: Tid, it: &Invariant) -> Result<u64, Box<Fault>> {
        let words = format!("the {} `{}`", it.role.name(), it.name);
        self.call(who, it.function).map_err(|mut fault| {
            match fault.kind {
                FaultKind::Unsupported => fault.message = format!("{words} may only look: {}", fault.message),
                _ => fault.message = format!("{}, when {words} is evaluated", fault.message),
            }
            fault
        })
    }

    /// The same without words for what is wrong.
    pub(crate) fn call(&mut self, who: Tid, function: u32) -> Result<u64, Box<Fault>> {
        let mark = self.mark();
        self.memory.races.pause();
        let log = self.memory.log_position();
        let mut thread = Thread::new(who, false);
        thread.control.started = true;
        thread.thread_locals = self.threads[who.index()].thread_locals.clone();
        let (rest, program) = (self.program.rest, self.program.clone());
        let code = &program.functions[function as usize];
        thread.reserve(0, 1 + code.slots as usize);
        let frame = |function, base| Frame { function, pc: 0, base, ret: 0, extra: 0, first_alloca: 0, call_site: 0 };
        thread.frames.push(frame(rest, 0));
        thread.frames.push(frame(function, 1));
        // The log need not know its frames.
        thread.saved_for = self.mark_number;
        thread.saved_depth = 0;
        let mut recorder = Recorder::default();
        let mut cpu = Cpu {
            program: &program,
            memory: &mut self.memory,
            thread: &mut thread,
            system: &mut self.system,
            limits: &self.limits,
            mark_number: self.mark_number,
            fuel: self.limits.local_steps,
            recorder: &mut recorder,
            reserve: 0,
            stop: None,
        };
        let mut stop = cpu.run();
        let result = loop {
            stop = match stop {
                Stop::Visible if cpu.thread.frames.len() == 1 => break Ok(cpu.thread.slots[0] & 0xffff_ffff),
                Stop::Visible => match cpu.look() {
                    Ok(stop) => stop,
                    Err(fault) => break Err(fault),
                },
                Stop::Cut => break Err(cpu.only_looks("it assumes something")),
                Stop::Fault(fault) => break Err(fault),
            };
        };
        let result = match result {
            Ok(_) if cpu.thread.undefined[0] & 1 != 0 => Err(cpu.uninitialised("what it gives depends on it")),
            Ok(_) if !self.has_only_looked(log) => {
                let mut fault = Cpu { thread: &mut thread, ..self.cpu(who) }.only_looks("it changes memory");
                fault.stack = vec![CodePos { function, pc: 0 }];
                Err(fault)
            }
            result => result,
        };
        self.rewind(mark);
        result
    }

    fn has_only_looked(&self, log: LogPosition) -> bool {
        self.memory.changes_since(log, |change| match change {
            Changed::Word(address) => {
                self.memory.object_at(address).is_none_or(|(_, object)| object.kind == ObjectKind::Stack)
            }
            Changed::Objects(kind) => kind == ObjectKind::Stack,
            Changed::Outside(..) => false,
        })
    }
}

impl Cpu<'_> {
    /// A visible operation inside an invariant: a load is looked at as it is.
    fn look(&mut self) -> Result<Stop, Box<Fault>> {
        let frame = *self.thread.top();
        let Op::Visible { site, .. } = self.program.functions[frame.function as usize].code[frame.pc as usize] else {
            unreachable!("the thread stands at a visible operation")
        };
        let site = &self.program.visibles[site as usize];
        if site.operation != Operation::Load {
            let what = format!("it does something that other threads can see ({})", site.operation.name());
            return Err(self.only_looks(&what));
        }
        if let Some(stop) = self.quick_step() {
            return Ok(stop);
        }
        let VisibleDetail::Access { bytes, offset, .. } = site.detail else {
            return Err(self.only_looks("an access of this kind"));
        };
        let address = self.thread.slot(site.args[0]).wrapping_add(offset as i64 as u64);
        match self.memory.load_n(address, bytes.min(8).into()) {
            Err(bad) => Err(self.bad_access(bad)),
            Ok((_, 0)) => Err(self.only_looks("it reads more than eight bytes at once")),
            Ok(_) => Err(self.uninitialised_at(address, "what it gives depends on it")),
        }
    }

    fn only_looks(&self, what: &str) -> Box<Fault> {
        self.fault(FaultKind::Unsupported, what.to_string())
    }
}

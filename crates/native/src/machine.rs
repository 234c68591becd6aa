//! The seam: one execution of the program as strategies see it.

use std::cell::{RefCell, RefMut};
use std::sync::Arc;

use threadbare_core::{
    Access, Accesses, Along, Choice, Ending, Fingerprint, Machine, Mark, Operation, Outcomes, Pending, Reads, Step,
    ThreadNames, Tid, Trial,
};
use threadbare_vm::Teller;

use crate::fault::Fault;
use crate::run::{Run, Setup, Status};
use crate::told::Look;
use crate::{OUTPUT, Program, lock};

pub struct NativeMachine {
    program: Arc<Program>,
    /// Whoever looks brings the program to where the machine is: that is no change that anybody could notice.
    run: RefCell<Run>,
    names: ThreadNames,
    ending: Option<Ending<Box<Fault>>>,
    along: Vec<Along>,
}

impl NativeMachine {
    pub(crate) fn new(program: Arc<Program>, setup: Setup, merges: bool) -> NativeMachine {
        let mut run = Run::new(program.clone(), setup);
        run.merges = merges;
        let (run, names) = (RefCell::new(run), ThreadNames::default());
        let mut machine = NativeMachine { program, run, names, ending: None, along: Vec::new() };
        machine.settled();
        machine.follow();
        machine
    }

    fn settled(&self) -> RefMut<'_, Run> {
        let mut run = self.run.borrow_mut();
        run.settle();
        run
    }

    /// What is given out by reference is kept outside.
    fn follow(&mut self) {
        let run = self.run.get_mut();
        if run.names.len() != self.names.len() {
            self.names = run.names.clone();
        }
        self.along.clone_from(&run.along);
        if run.ending.is_some() || self.ending.is_some() {
            self.ending.clone_from(&run.ending);
        }
    }

    pub fn program(&self) -> &Arc<Program> {
        &self.program
    }

    pub fn names(&self) -> &ThreadNames {
        &self.names
    }

    pub fn stop_when(&mut self, stop: fn() -> bool) {
        self.run.get_mut().stop_when = Some(stop);
    }

    /// For tests: a copy of the program is kept after every step that is taken again, whether it pays or not.
    pub fn keep_copies(&mut self) {
        self.run.get_mut().checkpoints.keep_always();
    }

    /// The same: what is in the memory that steps change.
    pub fn memory(&self) -> Vec<(u64, Fingerprint)> {
        self.settled().memory()
    }

    /// A place was met where threads may wait, and executions until then did not know.
    pub fn must_begin_again(&self) -> bool {
        self.run.borrow().learned
    }

    /// Each thread goes on alone, and back: a round of the loop that it may be in makes that known.
    pub fn learn_loops(&mut self) {
        (0..self.thread_count()).for_each(|i| self.run.get_mut().go_on_alone(Tid(i as u16), |_| {}));
    }

    /// A thread has looked at the clock after all the days that could pass for it.
    pub fn has_looked_in_vain(&self) -> bool {
        self.run.borrow().looked_in_vain
    }

    /// A pointer was compared whose memory could have been given out again.
    pub fn has_met_stale_pointers(&self) -> bool {
        self.run.borrow().stale_pointers
    }

    pub fn has_been_created(&self, tid: Tid) -> bool {
        self.settled().threads.get(tid.index()).is_some_and(|thread| thread.exists)
    }

    pub fn is_stopped(&self, tid: Tid) -> bool {
        self.settled().threads[tid.index()].status == Status::Cut
    }

    /// By its own error.
    pub fn has_failed(&self, tid: Tid) -> bool {
        self.settled().threads[tid.index()].status == Status::Failed
    }

    /// The errors of the execution that did not end it.
    pub fn noted(&self) -> Vec<Box<Fault>> {
        self.settled().noted.iter().cloned().map(Box::new).collect()
    }

    pub fn has_ended(&self, tid: Tid) -> bool {
        !self.settled().is_live(tid)
    }

    /// The function that a thread was started with.
    pub fn start_function(&self, tid: Tid) -> String {
        if tid == Tid::MAIN {
            return "main".into();
        }
        let run = self.settled();
        // The C library hands on what it was given in a block of its own: the function is the first word.
        let block = run.threads[tid.index()].fiber.parameters[0];
        run.number(block, 8).and_then(|function| self.program.function_at(function)).unwrap_or_default()
    }

    /// Addresses in the program's own code, innermost first.
    pub fn stack(&self, tid: Tid) -> Vec<u64> {
        self.settled().own_stack(tid)
    }

    /// Variables of the function that a thread is in, with their values.
    pub fn locals(&self, tid: Tid) -> Vec<(String, String)> {
        self.settled().locals(tid)
    }

    pub fn waits_for(&self, tid: Tid) -> String {
        self.settled().waits_for(tid)
    }

    /// What an access of `who` touches, as the source calls it, and what that holds.
    pub fn object_name(&self, teller: &mut Teller, who: Tid, access: &Access) -> String {
        teller.name(&*self.settled(), who, access)
    }

    pub fn whole_name(&self, teller: &mut Teller, who: Tid, address: u64) -> String {
        teller.whole_name(&*self.settled(), who, address)
    }

    pub fn object_value(&self, teller: &mut Teller, who: Tid, access: &Access) -> Option<String> {
        teller.value(&*self.settled(), who, access)
    }

    /// See `Teller::value_with` and `Teller::parts`.
    pub fn held_value(&self, teller: &mut Teller, who: Tid, access: &Access, bits: u64) -> Option<String> {
        teller.value_with(&*self.settled(), who, access, (bits, 0))
    }

    pub fn parts(&self, teller: &mut Teller, who: Tid, access: &Access) -> Vec<Access> {
        teller.parts(&*self.settled(), who, access)
    }

    /// Whether there can be plain accesses to shared memory behind the next step of a thread: not as long as there is one thread.
    pub fn may_look(&self, who: Tid) -> bool {
        let run = self.settled();
        run.races.active || run.threads[who.index()].fiber.operation() == Operation::ThreadCreate
    }

    /// Takes a step, and tells these.
    pub fn step_and_look(&mut self, who: Tid, choice: Choice) -> Vec<Look> {
        self.run.get_mut().told = self.may_look(who).then(Vec::new);
        self.step(who, choice);
        self.run.get_mut().told.take().unwrap_or_default()
    }

    /// Whether it is noted that a thread accessed a byte from there.
    pub fn remembers_access(&self, who: Tid, address: u64, pc: u64) -> bool {
        self.settled().races.remembers(who, address, pc)
    }

    pub fn deadlock(&self) -> Box<Fault> {
        self.settled().deadlock()
    }

    pub fn partial_deadlock(&self, who: &[Tid]) -> Box<Fault> {
        self.settled().partial_deadlock(who)
    }

    pub fn livelock(&self, spinning: &[Tid]) -> Box<Fault> {
        self.settled().livelock(spinning)
    }

    pub fn printed(&self) -> u64 {
        drop(self.settled());
        lock(&OUTPUT).len() as u64
    }

    pub fn output_since(&self, printed: u64) -> String {
        drop(self.settled());
        let output = lock(&OUTPUT);
        String::from_utf8_lossy(output.get(printed as usize..).unwrap_or_default()).into_owned()
    }
}

impl Machine for NativeMachine {
    type Error = Box<Fault>;
    /// The schedule that leads there.
    type Saved = Vec<(Tid, Choice)>;

    fn thread_count(&self) -> usize {
        self.names.len()
    }

    fn is_live(&self, who: Tid) -> bool {
        self.ending.is_none() && self.settled().is_live(who)
    }

    fn pending(&mut self, who: Tid) -> Pending {
        self.settled().pending_of(who)
    }

    fn simple(&self, who: Tid) -> Option<(Operation, Access)> {
        self.settled().simple(who)
    }

    fn surely_waits(&self, who: Tid) -> bool {
        self.settled().surely_waits(who)
    }

    fn accesses(&mut self, who: Tid, choice: Choice) -> Accesses {
        self.settled().accesses_of(who, choice)
    }

    fn value(&self, object: &Access) -> u128 {
        self.settled().value_of(object)
    }

    fn outcome_with(&mut self, who: Tid, value: u128) -> Outcomes {
        self.settled().outcomes(who, value)
    }

    fn step(&mut self, who: Tid, choice: Choice) -> Step {
        let step = self.run.get_mut().step(who, choice);
        self.run.get_mut().learn_what_is_relied_on();
        self.follow();
        if step == Step::Silent && self.run.get_mut().is_in_doubt(who) {
            self.run.get_mut().learn_loop_of(who);
        }
        match step {
            // Nobody asks where threads do not wait.
            Step::Silent if !self.may_wait(who) => Step::Done,
            step => step,
        }
    }

    fn try_step(&mut self, who: Tid, choice: Choice) -> Trial {
        let (operation, changes) = {
            let run = self.settled();
            (run.threads[who.index()].fiber.operation(), run.surely_changes(who))
        };
        let by_value = !matches!(operation, Operation::Store | Operation::Unseen);
        // To take a step back is dear.
        if changes {
            return Trial { local: None, lasting: true, by_value };
        }
        let mark = self.mark();
        self.run.get_mut().tried = Some(Reads::new());
        let waits = self.step(who, choice) == Step::Silent && self.is_live(who) && self.may_wait(who);
        let local = if waits { self.local_fingerprint(who) } else { None };
        let run = self.run.get_mut();
        let reads = run.tried.take().expect("just given");
        let lasting = !run.looked && if waits { run.rely_on(who, &reads) } else { reads.is_empty() };
        self.rewind(mark);
        Trial { local, lasting, by_value }
    }

    fn along(&self) -> &[Along] {
        &self.along
    }

    fn order_arrivals(&mut self) {
        self.run.get_mut().ordered_barriers = true;
    }

    fn may_wait(&self, who: Tid) -> bool {
        let run = self.settled();
        run.is_live(who) && run.is_waiting_place(run.threads[who.index()].fiber.pc)
    }

    fn has_met_waiting_loops(&self) -> bool {
        !self.run.borrow().comebacks.waiting.is_empty()
    }

    fn is_cut(&self) -> bool {
        self.settled().threads.iter().any(|thread| thread.exists && thread.status == Status::Cut)
    }

    fn ending(&self) -> Option<&Ending<Box<Fault>>> {
        self.ending.as_ref()
    }

    fn mark(&mut self) -> Mark {
        Mark(self.run.get_mut().path.len() as u32)
    }

    fn rewind(&mut self, to: Mark) {
        self.run.get_mut().rewind(to.0 as usize);
        self.follow();
    }

    fn save(&self) -> Vec<(Tid, Choice)> {
        self.run.borrow().path.iter().map(|taken| (taken.tid, taken.choice)).collect()
    }

    fn restore(&mut self, saved: &Vec<(Tid, Choice)>) {
        let path = &self.run.get_mut().path;
        let common = path.iter().zip(saved).take_while(|(taken, saved)| (taken.tid, taken.choice) == **saved).count();
        self.rewind(Mark(common as u32));
        for &(tid, choice) in &saved[common..] {
            self.step(tid, choice);
        }
    }

    fn fingerprint(&mut self) -> Option<Fingerprint> {
        Some(self.settled().fingerprint())
    }

    fn local_fingerprint(&mut self, who: Tid) -> Option<Fingerprint> {
        let run = self.settled();
        run.threads.get(who.index()).is_some_and(|thread| thread.exists).then(|| run.local_fingerprint(who))
    }
}

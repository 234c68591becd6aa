//! How a process and its threads begin.

use threadbare_core::{Ending, Tid};

use super::{LOG_CREATED, Setup, VmMachine};
use crate::bytecode::GlobalVar;
use crate::diagnose::{ARGUMENTS, ENVIRONMENT, VECTOR};
use crate::fault::{Fault, FaultKind};
use crate::interp::alloc_message;
use crate::known::UNKNOWN;
use crate::memory::{Addr, AllocError, LARGEST, MAX_THREADS, Memory, ObjectKind};
use crate::thread::{Control, Frame, Thread};

impl VmMachine {
    /// Sets up globals, arguments and the main thread, which is about to run `__tb_start(argc, argv, envp)`.
    pub(super) fn load(&mut self, setup: &Setup) {
        let program = self.program.clone();
        if let Some(message) = too_much_static(&program.globals, setup.limits.memory) {
            self.ending = Some(Ending::Error(Box::new(plain_fault(FaultKind::Limit, message))));
            return;
        }
        let mut next = 0;
        for global in &program.globals {
            let index = ((global.address - Memory::global_address(0)) >> crate::memory::OFFSET_BITS) as u32;
            next = next.max(Memory::next_global(index, global.size));
            if let Err(error) = self.memory.define_global(index, global.size, false, ObjectKind::Global) {
                let message = alloc_message(error, global.size, setup.limits.memory);
                self.ending = Some(Ending::Error(Box::new(plain_fault(FaultKind::Limit, message))));
                return;
            }
            self.fill_variable(global.address, global);
            if global.constant {
                self.memory.make_constant(global.address);
            }
        }
        let mut define = |memory: &mut Memory, bytes: &[u8], detail: u32| -> Addr {
            let address = memory
                .define_global(next, bytes.len() as u64, false, ObjectKind::Global)
                .expect("room for the arguments");
            memory.set_detail(address, detail);
            next = Memory::next_global(next, bytes.len() as u64);
            memory.write_bytes(address, bytes).expect("a fresh object");
            address
        };
        let mut vector = |memory: &mut Memory, strings: &[String], list: u32| -> Addr {
            let mut pointers = Vec::new();
            for (i, string) in strings.iter().enumerate() {
                let mut bytes = string.clone().into_bytes();
                bytes.push(0);
                pointers.extend(define(memory, &bytes, list << 24 | i as u32).to_le_bytes());
            }
            pointers.extend([0; 8]);
            define(memory, &pointers, list << 24 | VECTOR)
        };
        let argv = vector(&mut self.memory, &setup.arguments, ARGUMENTS);
        let envp = vector(&mut self.memory, &setup.environment, ENVIRONMENT);
        self.threads.push(Thread::new(Tid::MAIN, false));
        self.exists.push(true);
        self.live = 1;
        if let Err(message) = self.start_thread(Tid::MAIN, program.entry, &[setup.arguments.len() as u64, argv, envp]) {
            self.ending = Some(Ending::Error(Box::new(plain_fault(FaultKind::Limit, message))));
        }
    }

    fn fill_variable(&mut self, address: Addr, variable: &GlobalVar) {
        self.memory.define(address, variable.size);
        self.memory.write_bytes(address, &variable.bytes).expect("a fresh object");
        for &(from, to) in &variable.undefined {
            for at in from..to {
                self.memory.store_undefined::<1>(address + at, 0, 0xff).expect("a fresh object");
            }
        }
    }

    /// Puts the first frame onto a thread and makes its copies of the thread-local variables. If there is no room for them, says
    /// so.
    fn start_thread(&mut self, tid: Tid, function: u32, args: &[u64]) -> Result<(), String> {
        let program = self.program.clone();
        let mut locals = Vec::with_capacity(program.thread_locals.len());
        for (index, variable) in program.thread_locals.iter().enumerate() {
            let shared = !self.own_locals.get(index).copied().unwrap_or(false);
            let address = self
                .memory
                .allocate(tid, ObjectKind::ThreadLocal, variable.size, index as u32, 0, shared)
                .map_err(|error| alloc_message(error, variable.size, self.limits.memory))?;
            self.fill_variable(address, variable);
            locals.push(address);
        }
        let callee = &program.functions[function as usize];
        let thread = &mut self.threads[tid.index()];
        thread.thread_locals = locals;
        thread.frames.clear();
        thread.allocas.clear();
        thread.frames_changed(0);
        thread.saved_for = 0;
        (thread.at, thread.held) = (UNKNOWN, UNKNOWN);
        thread.reserve(0, callee.slots as usize);
        thread.slots[..callee.slots as usize].fill(0);
        thread.undefined.fill(0);
        thread.undefined_slots = 0;
        thread.slots[..args.len()].copy_from_slice(args);
        thread.frames.push(Frame { function, pc: 0, base: 0, ret: 0, extra: 0, first_alloca: 0, call_site: 0 });
        Ok(())
    }

    /// A place for every thread that has a number. Machines that number threads alike may have met more of them.
    pub(crate) fn name_threads(&mut self) {
        while self.threads.len() < self.names.len() {
            self.threads.push(Thread::new(Tid(self.threads.len() as u16), false));
            self.exists.push(false);
        }
    }

    /// Creates the next child of `parent`, or says why there cannot be more threads.
    pub(crate) fn create_thread(
        &mut self,
        parent: Tid,
        function: u32,
        args: &[u64],
        detached: bool,
    ) -> Result<Tid, String> {
        let most = if self.memory.has_marks() { MAX_THREADS } else { usize::from(u16::MAX) };
        let mut control = self.threads[parent.index()].control;
        let k = control.children;
        let child = self.names.child(parent, k).filter(|tid| tid.index() < most && k < u16::MAX);
        let tid = child.ok_or_else(|| format!("more than {most} threads, those that have ended included"))?;
        control.children = k + 1;
        self.set_control(parent, control);
        self.name_threads();
        self.exists[tid.index()] = true;
        self.hashes.changed(tid.index());
        self.live += 1;
        self.threads[tid.index()].control = Control::new(detached);
        self.memory.log_outside(LOG_CREATED, u64::from(tid.0), &[]);
        self.start_thread(tid, function, args)?;
        self.unsettled.push(tid);
        Ok(tid)
    }
}

/// Says so if the variables of static storage alone take more memory than the program may have.
fn too_much_static(globals: &[GlobalVar], limit: u64) -> Option<String> {
    let total = globals.iter().fold(0u64, |total, global| total.saturating_add(global.size));
    let largest = globals.iter().max_by_key(|global| global.size)?;
    let fits = largest.size < LARGEST && total <= limit;
    (!fits)
        .then(|| format!("global `{}`: {}", largest.name, alloc_message(AllocError::MemoryLimit, largest.size, limit)))
}

/// A fault before any thread runs.
fn plain_fault(kind: FaultKind, message: String) -> Fault {
    Fault {
        kind,
        message,
        tid: Tid::MAIN,
        stack: Vec::new(),
        object: None,
        waiters: Vec::new(),
        other: None,
        address: None,
        signal: None,
    }
}

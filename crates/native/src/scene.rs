//! An execution as a scene: what a teller of stories asks (vm/src/tell.rs).

use threadbare_core::{Access, ThreadNames, Tid};
use threadbare_ir::Module;
use threadbare_vm::{Scene, Thing, Type};

use crate::image;
use crate::run::{Run, Status};
use crate::table::tid_of;

/// A start routine with a longer name is left out.
const SHORT: usize = 24;

/// What runtime/heap.c fills new blocks with.
const NEVER_SET: u64 = 0xa5a5_a5a5_a5a5_a5a5;

impl Scene for Run {
    fn debug(&self) -> &[Module] {
        &self.program.source().modules
    }

    fn thread_names(&self) -> &ThreadNames {
        &self.names
    }

    fn thread_label(&self, tid: Tid) -> String {
        if tid == Tid::MAIN {
            return "the main thread".into();
        }
        let name = self.names.name(tid);
        let outermost = if self.is_live(tid) { self.own_stack(tid).pop() } else { None };
        let routine = outermost.and_then(|pc| self.program.function_at(pc - 1));
        match routine.filter(|routine| routine.len() <= SHORT) {
            Some(routine) => format!("thread {name} (`{routine}`)"),
            None => format!("thread {name}"),
        }
    }

    fn thread_of(&self, handle: u64) -> Option<Tid> {
        tid_of(handle).filter(|tid| tid.index() < self.names.len())
    }

    fn thread_standing(&self, tid: Tid) -> Option<String> {
        let thread = self.threads.get(tid.index()).filter(|thread| thread.exists)?;
        let status = match thread.status {
            Status::Ready => "running",
            Status::Ended => "ended",
            Status::Cut | Status::Failed => "stopped",
        };
        let more = match (thread.joined, thread.detached, thread.cancel_pending) {
            (true, _, _) => ", joined",
            (_, true, _) => ", detached",
            (_, _, true) => ", to be cancelled",
            _ => "",
        };
        Some(format!("{status}{more}"))
    }

    fn live_threads(&self) -> Vec<Tid> {
        (0..self.threads.len()).map(|i| Tid(i as u16)).filter(|&tid| self.is_live(tid)).collect()
    }

    fn thing_at(&self, address: u64) -> Option<Thing<'_>> {
        self.thing_around(address)
    }

    fn function_at(&self, address: u64) -> Option<&str> {
        let symbol = self.program.image.symbol(address)?;
        (symbol.is_function && symbol.address == address).then_some(&*symbol.name)
    }

    fn load(&self, address: u64, bytes: u32) -> Option<(u64, u64)> {
        let number = self.number(address, bytes as usize)?;
        // What `malloc` fills its blocks with: a byte of that could be anything, a word is hardly anything else.
        let never_set =
            bytes >= 4 && number == NEVER_SET >> (64 - 8 * bytes) && image::thread_of_heap(address).is_some();
        Some((number, if never_set { u64::MAX } else { 0 }))
    }

    fn value_of(&self, access: &Access) -> u128 {
        Run::value_of(self, access)
    }

    fn library_variable(&self, name: &str) -> Option<u64> {
        self.program.image.named(name)
    }

    fn in_words(&self, address: u64) -> String {
        self.name_of(address)
    }

    /// Variables in registers are not known; the one that got what `malloc` gave says the same.
    fn pointers_of(&self, who: Tid, address: u64) -> Vec<Type> {
        let made_at = self.thing_around(address).map_or(0, |object| object.made_at);
        let function = self.program.image.symbol(made_at.saturating_sub(1)).map_or("", |symbol| &symbol.name);
        let place = self.program.places(made_at).pop();
        let takers = place.map_or(Vec::new(), |at| self.program.source().takers(function, (at.line, at.column)));
        takers.into_iter().chain(self.local_pointers(who, address)).collect()
    }

    fn static_pointers(&self, address: u64) -> Vec<Type> {
        let holds = |&at: &u64| self.number(at, 8) == Some(address);
        let globals = self.program.globals.iter().filter(|global| global.size == 8 && holds(&global.address));
        globals.filter_map(|global| self.program.source().variable(&global.name)?.ty).collect()
    }
}

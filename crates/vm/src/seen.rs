//! The virtual machine as a scene.

use threadbare_core::{Access, ThreadNames, Tid};
use threadbare_ir::Module;

use crate::bytecode::{GlobalVar, Program};
use crate::distinct::Distinct;
use crate::fault::CodePos;
use crate::machine::VmMachine;
use crate::memory::{Life, ObjectKind, code_target};
use crate::scene::{Declared, Scene, Thing, Type, What};
use crate::thread::Status;

/// Frames of a thread whose variables are looked at.
const FRAMES: usize = 8;

fn declared(variable: &GlobalVar) -> Declared<'_> {
    Declared { name: &variable.name, ty: variable.ty }
}

/// The type of a local variable, by its name in the function that made it.
pub(crate) fn local_type(program: &Program, object: crate::memory::Object) -> Option<Type> {
    let name = program.allocas.get(object.detail as usize)?.name.as_deref()?;
    let function = &program.functions[CodePos::unpack(object.allocated_at)?.function as usize];
    function.variables.iter().find(|variable| &*variable.name == name)?.ty
}

impl Scene for VmMachine {
    fn debug(&self) -> &[Module] {
        &self.program.debug
    }

    fn thread_names(&self) -> &ThreadNames {
        &self.names
    }

    fn thread_label(&self, tid: Tid) -> String {
        self.thread_name(tid)
    }

    fn thread_of(&self, handle: u64) -> Option<Tid> {
        crate::visible::tid_of(handle).filter(|tid| tid.index() < self.names.len())
    }

    fn thread_standing(&self, tid: Tid) -> Option<String> {
        self.exists.get(tid.index()).filter(|exists| **exists)?;
        let control = &self.threads[tid.index()].control;
        let status = match control.status {
            Status::Ready => "running",
            Status::Ended => "ended",
            Status::Cut | Status::Failed => "stopped",
        };
        let more = match (control.joined, control.detached, control.cancel_pending) {
            (true, _, _) => ", joined",
            (_, true, _) => ", detached",
            (_, _, true) => ", to be cancelled",
            _ => "",
        };
        Some(format!("{status}{more}"))
    }

    fn live_threads(&self) -> Vec<Tid> {
        VmMachine::live_threads(self).collect()
    }

    fn thing_at(&self, address: u64) -> Option<Thing<'_>> {
        let program = &*self.program;
        let (start, object) = self.memory.object_at(address)?;
        let what = match object.kind {
            ObjectKind::Heap => What::Heap,
            ObjectKind::ThreadLocal => {
                What::ThreadLocal(program.thread_locals.get(object.detail as usize).map(declared))
            }
            _ => match program.global_at(address) {
                Some((global, _)) => What::Static(declared(global)),
                None => {
                    let name = program.allocas.get(object.detail as usize).and_then(|site| site.name.as_deref());
                    What::Local(name.map(|name| Declared { name, ty: local_type(program, object) }))
                }
            },
        };
        let (size, live, owner) = (object.size, object.life == Life::Live, object.owner);
        Some(Thing { start, size, live, made_at: object.allocated_at, owner, what })
    }

    fn function_at(&self, address: u64) -> Option<&str> {
        match code_target(address)? {
            (function, 0) => self.program.functions.get(function as usize).map(|function| &*function.name),
            _ => None,
        }
    }

    fn load(&self, address: u64, bytes: u32) -> Option<(u64, u64)> {
        self.memory.load_n(address, bytes).ok()
    }

    fn value_of(&self, access: &Access) -> u128 {
        VmMachine::value_of(self, access)
    }

    fn library_variable(&self, name: &str) -> Option<u64> {
        self.program.global(name)
    }

    fn in_words(&self, address: u64) -> String {
        self.name_of(address)
    }

    fn pointers_of(&self, who: Tid, address: u64) -> Vec<Type> {
        let stack = self.thread(who).stack().into_iter().take(FRAMES);
        stack.flat_map(|at| self.pointers_to(who, at, address)).collect()
    }

    fn static_pointers(&self, address: u64) -> Vec<Type> {
        let globals = self.program.globals.iter().filter(|global| global.size == 8 && !global.library);
        let holds = |global: &&GlobalVar| self.load(global.address, 8) == Some((address, 0));
        globals.filter(holds).filter_map(|global| global.ty).collect()
    }

    fn distinct_name(&self, distinct: &mut Distinct, object: &Thing<'_>, address: u64, path: &str) -> Option<String> {
        let program = &*self.program;
        Some(match object.what {
            What::Heap => return None,
            What::Static(_) => {
                let (variable, _) = program.global_at(address)?;
                format!("{}{path}", distinct.variable(program, variable))
            }
            What::ThreadLocal(_) => {
                let (_, held) = self.memory.object_at(address)?;
                let variable = program.thread_locals.get(held.detail as usize)?;
                format!("{}{path} of {}", distinct.variable(program, variable), self.names.name(object.owner))
            }
            What::Local(Some(_)) => {
                let (_, held) = self.memory.object_at(address)?;
                let owner = (object.owner != Tid::MAIN).then(|| self.names.name(object.owner));
                distinct.local(program, program.allocas.get(held.detail as usize)?, owner, object.start, path)
            }
            What::Local(None) => distinct.numbered(self.name_of(address), address),
        })
    }

    fn heap_number(&self, start: u64) -> u64 {
        self.memory.heap_number(start) as u64
    }
}

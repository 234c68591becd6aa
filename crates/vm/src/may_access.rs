//! What a thread may still touch, from the code alone: `Machine::may_access`.
//!
//! `points` says for every operation which objects it may touch. Here the operations that are reachable from the frames
//! of a thread are put together: in each frame those reachable from its position, with everything that the functions
//! called there do, by a fixpoint over the call graph. What a function touches through a parameter is told of the
//! objects that its callers pass; along the stack of a thread those are known call by call. A call through a pointer
//! may be one of every function whose address appears somewhere and whose parameters fit.
//!
//! Sound: it is a superset of what the thread touches until it ends, as long as another thread lives. Two things are
//! left out. Objects that only the thread itself can reach: its own variables, if `points` finds that nobody else gets
//! their addresses. And what the last thread of all does after its end, exit handlers and the end of the process: by
//! then there is nobody to conflict with. What `points` does not cover is not covered here. Imprecise where the stack
//! does not tell yet: a thread before its first operations may be any thread function.
//!
//! The analysis of a program is made once and shared; every machine keeps the sets of the stacks that it has met.

use std::ops::Range;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use threadbare_core::{Access, AccessSet, Mode, Operation, Space, Tid};

use crate::bytecode::{Atomicity, CallSite, Op, Program, VisibleDetail};
use crate::machine::VmMachine;
use crate::memory::{Addr, ObjectKind};
use crate::points::{ANYTHING, Action, Body, CLOCK, ITSELF, Points, Root, Roots, cell_of, param_of};
use crate::thread::Frame;
use crate::visible::handle_of;

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Fact {
    Touch(Place, Space, Mode),
    CreateThread,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Place {
    Anything,
    /// The thread itself, in spaces of threads.
    Itself,
    Clock,
    Global(u32),
}

/// Facts and their numbers. Those that are `known` come first.
#[derive(Default)]
struct Facts {
    known: Option<Arc<Facts>>,
    list: Vec<Fact>,
    numbers: FxHashMap<Fact, u32>,
}

impl Facts {
    fn number(&mut self, fact: Fact) -> u32 {
        let known = self.known.as_ref();
        if let Some(&number) = known.and_then(|known| known.numbers.get(&fact)) {
            return number;
        }
        let first = known.map_or(0, |known| known.list.len());
        *self.numbers.entry(fact).or_insert_with(|| {
            self.list.push(fact);
            (first + self.list.len() - 1) as u32
        })
    }

    fn get(&self, number: u32) -> Fact {
        let known = self.known.as_ref().map_or(&[][..], |known| &known.list);
        *known.get(number as usize).unwrap_or_else(|| &self.list[number as usize - known.len()])
    }
}

/// What a piece of code does: facts, as a set of bits, and what it touches through parameters.
#[derive(Clone, Default, PartialEq)]
struct Summary {
    facts: Vec<u64>,
    through: Vec<(u8, Space, Mode)>,
}

impl Summary {
    fn add(&mut self, fact: u32) {
        let word = fact as usize / 64;
        if self.facts.len() <= word {
            self.facts.resize(word + 1, 0);
        }
        self.facts[word] |= 1 << (fact % 64);
    }

    fn add_facts(&mut self, other: &[u64]) {
        if self.facts.len() < other.len() {
            self.facts.resize(other.len(), 0);
        }
        self.facts.iter_mut().zip(other).for_each(|(word, more)| *word |= more);
    }

    fn add_through(&mut self, param: usize, space: Space, mode: Mode) {
        let entry = (param as u8, space, mode);
        if !self.through.contains(&entry) {
            self.through.push(entry);
        }
    }

    fn facts(&self) -> impl Iterator<Item = u32> + '_ {
        let bits = |word: u64| (0..64).filter(move |bit| word >> bit & 1 == 1);
        self.facts.iter().enumerate().flat_map(move |(i, &word)| bits(word).map(move |bit| i as u32 * 64 + bit))
    }
}

/// Which objects have a name of their own.
struct Objects {
    /// Whether each global, thread-local variable and stack object is touched only by code that names it.
    sealed: Vec<bool>,
    globals: usize,
}

impl Objects {
    /// Adds that something at `roots` is touched.
    fn touch(&self, roots: &[Root], space: Space, mode: Mode, facts: &mut Facts, summary: &mut Summary) {
        for &root in roots {
            let place = match (root, cell_of(root)) {
                (ANYTHING, _) => Place::Anything,
                (ITSELF, _) => Place::Itself,
                (CLOCK, _) => Place::Clock,
                (_, Some(cell)) if cell < self.globals => Place::Global(cell as u32),
                // A variable that only its own thread knows.
                (_, Some(cell)) if self.sealed[cell] => continue,
                (_, Some(_)) => Place::Anything,
                (_, None) => {
                    if let Some(param) = param_of(root) {
                        summary.add_through(param, space, mode);
                    }
                    continue;
                }
            };
            summary.add(facts.number(Fact::Touch(place, space, mode)));
        }
    }

    /// Adds what a callee does whose parameters are `args`.
    fn call(&self, callee: &Summary, args: &[Roots], facts: &mut Facts, summary: &mut Summary) {
        summary.add_facts(&callee.facts);
        for &(param, space, mode) in &callee.through {
            let roots = args.get(param as usize).map_or(&[ANYTHING][..], |roots| roots);
            self.touch(roots, space, mode, facts, summary);
        }
    }
}

/// What is known of a program.
pub struct MayAccess {
    bodies: Vec<Body>,
    objects: Objects,
    facts: Arc<Facts>,
    /// Of functions, then of calls through pointers of each kind.
    summaries: Vec<Summary>,
    /// Which kind each call site is.
    kinds: FxHashMap<u32, usize>,
    sealed: Arc<[Range<u64>]>,
    atomics: Atomics,
}

/// For each visible operation.
#[derive(Clone, Default)]
pub(crate) struct Atomics {
    /// It is an atomic access of what nobody accesses otherwise.
    pub pure: Vec<bool>,
    /// And nobody stores to it, but by a read-modify-write: whoever reads it takes over what was handed on by all who have changed it.
    pub grows: Vec<bool>,
}

/// An object ends whose address others may have.
const RELEASE: Fact = Fact::Touch(Place::Anything, Space::Memory, Mode::Write);

impl MayAccess {
    fn new(program: &Program) -> Self {
        let mut points = Points::new(program);
        let functions = program.functions.len();
        let bodies: Vec<Body> = (0..functions as u32).map(|f| points.body(f)).collect();
        let sealed = points.sealed();
        let ranges = program.globals.iter().zip(&sealed).filter(|(_, sealed)| **sealed);
        let ranges = ranges.map(|(global, _)| global.address..global.address + global.size.max(1));
        let mut analysis = MayAccess {
            atomics: atomics(program, &bodies, &sealed),
            bodies,
            sealed: ranges.collect(),
            objects: Objects { sealed, globals: program.globals.len() },
            facts: Arc::default(),
            summaries: vec![Summary::default(); functions],
            kinds: FxHashMap::default(),
        };
        let targets = analysis.pointer_calls(program, &points.taken);
        analysis.solve(program, &targets);
        analysis
    }

    /// Sorts calls through pointers into kinds, and gives each the functions that it may call.
    fn pointer_calls(&mut self, program: &Program, taken: &[bool]) -> Vec<Vec<u32>> {
        let mut known: Vec<&CallSite> = Vec::new();
        let mut targets = Vec::new();
        for (_, action) in self.bodies.iter().flat_map(|body| &body.actions) {
            let Action::CallPointer { site: index } = *action else { continue };
            let site = &program.calls[index as usize];
            let alike = |k: &&CallSite| k.classes == site.classes && k.result_classes == site.result_classes;
            let kind = known.iter().position(alike).unwrap_or_else(|| {
                known.push(site);
                let fits = |f: &u32| {
                    let callee = &program.functions[*f as usize];
                    taken[*f as usize]
                        && callee.params.len() <= site.classes.len()
                        && callee.params.iter().zip(&site.classes).all(|(a, b)| a == b)
                        && (site.result_classes.is_empty() || site.result_classes == callee.results)
                };
                targets.push((0..program.functions.len() as u32).filter(fits).collect());
                known.len() - 1
            });
            self.kinds.insert(index, program.functions.len() + kind);
        }
        self.summaries.resize(program.functions.len() + targets.len(), Summary::default());
        targets
    }

    /// The summaries: a fixpoint over the call graph.
    fn solve(&mut self, program: &Program, targets: &[Vec<u32>]) {
        let functions = program.functions.len();
        let mut facts = Facts::default();
        // What each does by itself, and whom it calls with what.
        let mut own = vec![Summary::default(); self.summaries.len()];
        let mut calls: Vec<Vec<(usize, &[Roots])>> = vec![Vec::new(); self.summaries.len()];
        for f in 0..functions {
            let body = &self.bodies[f];
            let reached = reachable(program, f, body, &[0]);
            if body.releases {
                own[f].add(facts.number(RELEASE));
            }
            for (pc, action) in &body.actions {
                if !reached[*pc as usize] {
                    continue;
                }
                match action {
                    Action::Touch { roots, space, mode } => {
                        self.objects.touch(roots, *space, *mode, &mut facts, &mut own[f]);
                    }
                    Action::CreateThread => own[f].add(facts.number(Fact::CreateThread)),
                    Action::Call { callee, args } => calls[f].push((*callee as usize, args)),
                    Action::CallPointer { site } => calls[f].push((self.kinds[site], &[])),
                }
            }
            calls[f].sort_unstable();
            calls[f].dedup();
        }
        for (kind, targets) in targets.iter().enumerate() {
            calls[functions + kind] = targets.iter().map(|&f| (f as usize, &[][..])).collect();
        }
        let mut callers: Vec<Vec<usize>> = vec![Vec::new(); self.summaries.len()];
        for (caller, calls) in calls.iter().enumerate() {
            for &(callee, _) in calls {
                if callers[callee].last() != Some(&caller) {
                    callers[callee].push(caller);
                }
            }
        }
        let mut queued = vec![true; self.summaries.len()];
        let mut queue: std::collections::VecDeque<usize> = (0..self.summaries.len()).rev().collect();
        while let Some(node) = queue.pop_front() {
            queued[node] = false;
            let mut summary = own[node].clone();
            for &(callee, args) in &calls[node] {
                self.objects.call(&self.summaries[callee], args, &mut facts, &mut summary);
            }
            summary.through.sort_unstable_by_key(|&(param, space, mode)| (param, space, mode as u8));
            if summary != self.summaries[node] {
                self.summaries[node] = summary;
                for &caller in &callers[node] {
                    if !std::mem::replace(&mut queued[caller], true) {
                        queue.push_back(caller);
                    }
                }
            }
        }
        self.facts = Arc::new(facts);
    }

    /// What a frame may still do from `pc` on.
    fn rest(&self, program: &Program, (f, pc): (u32, u32), facts: &mut Facts) -> Summary {
        let (function, body) = (&program.functions[f as usize], &self.bodies[f as usize]);
        // A jump may lead back to any setjmp.
        let from: &[u32] = if function.returns_twice { &[0, pc] } else { &[pc] };
        let reached = reachable(program, f as usize, body, from);
        let mut summary = Summary::default();
        if body.releases {
            summary.add(facts.number(RELEASE));
        }
        for (_, action) in body.actions.iter().filter(|(pc, _)| reached[*pc as usize]) {
            match action {
                Action::Touch { roots, space, mode } => self.objects.touch(roots, *space, *mode, facts, &mut summary),
                Action::CreateThread => summary.add(facts.number(Fact::CreateThread)),
                Action::Call { callee, args } => {
                    self.objects.call(&self.summaries[*callee as usize], args, facts, &mut summary);
                }
                Action::CallPointer { site } => {
                    self.objects.call(&self.summaries[self.kinds[site]], &[], facts, &mut summary);
                }
            }
        }
        summary
    }

    /// What a frame that waits for a call of `callee` has passed, if it has called it by name.
    fn arguments(&self, frame: &Frame, callee: u32) -> Option<&[Roots]> {
        let actions = &self.bodies[frame.function as usize].actions;
        let first = actions.partition_point(|(pc, _)| *pc + 1 < frame.pc);
        let mut at_call = actions[first..].iter().take_while(|(pc, _)| *pc + 1 == frame.pc);
        at_call.find_map(|(_, action)| match action {
            Action::Call { callee: f, args } if *f == callee => Some(args.as_slice()),
            _ => None,
        })
    }

    fn set(&self, program: &Program, all: &Summary, facts: &Facts, tid: Tid) -> AccessSet {
        let (mut named, mut reached, mut creates) = (Vec::new(), Vec::new(), false);
        for fact in all.facts().map(|number| facts.get(number)) {
            match fact {
                Fact::CreateThread => creates = true,
                Fact::Touch(Place::Anything, space, mode) => reached.push((space, mode)),
                Fact::Touch(Place::Clock, space, mode) => named.push(Access::object(space, mode, 0)),
                Fact::Touch(Place::Itself, Space::Thread, mode) => {
                    named.push(Access::object(Space::Thread, mode, handle_of(tid)));
                }
                Fact::Touch(Place::Itself, space, mode) => named.push(Access::object(space, mode, tid.0.into())),
                Fact::Touch(Place::Global(global), space, mode) => {
                    let variable = &program.globals[global as usize];
                    let length = u32::try_from(variable.size.max(1)).expect("objects are smaller than 4 GiB");
                    named.push(Access { space, mode, length, address: variable.address });
                }
            }
        }
        AccessSet::new(named, reached, self.sealed.clone(), creates)
    }
}

/// Which operations of a function control may come to.
fn reachable(program: &Program, f: usize, body: &Body, from: &[u32]) -> Vec<bool> {
    let function = &program.functions[f];
    let mut reached = vec![false; function.code.len()];
    let mut work = from.to_vec();
    while let Some(pc) = work.pop() {
        if !std::mem::replace(&mut reached[pc as usize], true) {
            work.extend(body.successors(program, function, pc));
        }
    }
    reached
}

/// The stacks that a machine has met: a tree of frames, each with all that it and those below it may still do.
#[derive(Default)]
pub struct Stacks {
    nodes: Vec<Node>,
    /// By the node below, function and position.
    numbers: FxHashMap<(Option<u32>, u32, u32), u32>,
    rests: FxHashMap<(u32, u32), Summary>,
    sets: FxHashMap<(u32, Tid), AccessSet>,
    facts: Facts,
}

struct Node {
    frame: Frame,
    /// What the frame's parameters are made of; those that are missing are anything.
    params: Vec<Roots>,
    all: Summary,
}

/// A recursive program may have more stacks than are worth keeping.
const MOST_NODES: usize = 1 << 16;

impl Stacks {
    fn set(&mut self, program: &Program, tid: Tid, frames: &[Frame]) -> AccessSet {
        let analysis = program.may_access.get_or_init(|| MayAccess::new(program));
        if self.nodes.len() > MOST_NODES {
            *self = Stacks::default();
        }
        self.facts.known.get_or_insert_with(|| analysis.facts.clone());
        let mut below = None;
        for frame in frames {
            let key = (below, frame.function, frame.pc);
            below = Some(self.numbers.get(&key).copied().unwrap_or_else(|| {
                let node = self.node(program, analysis, below, *frame);
                self.nodes.push(node);
                let number = self.nodes.len() as u32 - 1;
                self.numbers.insert(key, number);
                number
            }));
        }
        let Some(top) = below else { return AccessSet::empty() };
        let (all, facts) = (&self.nodes[top as usize].all, &self.facts);
        self.sets.entry((top, tid)).or_insert_with(|| analysis.set(program, all, facts, tid)).clone()
    }

    fn node(&mut self, program: &Program, analysis: &MayAccess, below: Option<u32>, frame: Frame) -> Node {
        let facts = &mut self.facts;
        let mut params = Vec::new();
        let mut all = Summary::default();
        if let Some(below) = below {
            let caller = &self.nodes[below as usize];
            all.add_facts(&caller.all.facts);
            if let Some(args) = analysis.arguments(&caller.frame, frame.function) {
                params = args.iter().map(|arg| resolve(arg, &caller.params)).collect();
            }
            // The copies of structures that it was passed end with it.
            let call = program.functions[caller.frame.function as usize].code[caller.frame.pc as usize - 1];
            if matches!(call, Op::CallSite { site, .. } if !program.calls[site as usize].byval.is_empty()) {
                all.add(facts.number(RELEASE));
            }
        }
        let position = (frame.function, frame.pc);
        let rest = self.rests.entry(position).or_insert_with(|| analysis.rest(program, position, facts));
        analysis.objects.call(rest, &params, facts, &mut all);
        Node { frame, params, all }
    }
}

/// Roots of an argument, without parameters of the caller.
fn resolve(arg: &Roots, params: &[Roots]) -> Roots {
    let mut roots = Roots::new();
    for &root in arg {
        match param_of(root) {
            Some(param) => roots.extend_from_slice(params.get(param).map_or(&[ANYTHING], |roots| roots)),
            None => roots.push(root),
        }
    }
    roots
}

/// The visible operations that access a global variable atomically of which every access in the program is atomic, or
/// volatile, and names the variable: none of them can be part of a race. A variable whose address is passed on is
/// taken to be accessed in other ways.
fn atomics(program: &Program, bodies: &[Body], sealed: &[bool]) -> Atomics {
    let mut otherwise: Vec<bool> = sealed.iter().enumerate().map(|(i, s)| !s || i >= program.globals.len()).collect();
    let mut atomics: FxHashMap<u32, Vec<Root>> = FxHashMap::default();
    let mut touch_otherwise = |roots: &[Root]| {
        roots.iter().filter_map(|&root| cell_of(root)).for_each(|cell| otherwise[cell] = true);
    };
    for (function, body) in program.functions.iter().zip(bodies) {
        for (pc, action) in &body.actions {
            match action {
                Action::Touch { roots, space, .. } => match function.code[*pc as usize] {
                    Op::Visible { site, .. } if *space == Space::Memory && is_atomic(program, site) => {
                        atomics.entry(site).or_default().extend_from_slice(roots);
                    }
                    _ => touch_otherwise(roots),
                },
                Action::Call { args, .. } => args.iter().for_each(|roots| touch_otherwise(roots)),
                // What they are given has leaked.
                Action::CallPointer { .. } | Action::CreateThread => {}
            }
        }
    }
    let mut stored = otherwise.clone();
    let stores = atomics.iter().filter(|(site, _)| program.visibles[**site as usize].operation == Operation::Store);
    stores.flat_map(|(_, roots)| roots).filter_map(|&root| cell_of(root)).for_each(|cell| stored[cell] = true);
    let no_root_is = |which: &[bool], site: u32| {
        let named = |root: &Root| cell_of(*root).is_some_and(|cell| !which[cell]);
        atomics.get(&site).is_some_and(|roots| roots.iter().all(named))
    };
    let of_all = |which: &[bool]| (0..program.visibles.len() as u32).map(|site| no_root_is(which, site)).collect();
    Atomics { pure: of_all(&otherwise), grows: of_all(&stored) }
}

fn is_atomic(program: &Program, site: u32) -> bool {
    use VisibleDetail::{Access, Cas, Rmw};
    match program.visibles[site as usize].detail {
        Access { ordering, .. } => ordering != Atomicity::Plain,
        detail => matches!(detail, Rmw { .. } | Cas { .. }),
    }
}

impl VmMachine {
    pub(crate) fn atomics(&self) -> Atomics {
        self.program.may_access.get_or_init(|| MayAccess::new(&self.program)).atomics.clone()
    }

    pub(crate) fn access_set(&self, tid: Tid) -> AccessSet {
        if self.is_live(tid) {
            let set = self.stacks.borrow_mut().set(&self.program, tid, &self.thread(tid).frames);
            self.program.with_invariants(set)
        } else {
            AccessSet::empty()
        }
    }

    /// Which thread-local variables can be reached by their own thread alone.
    pub fn own_thread_locals(&self) -> Vec<bool> {
        let analysis = self.program.may_access.get_or_init(|| MayAccess::new(&self.program));
        let first = analysis.objects.globals;
        analysis.objects.sealed[first..first + self.program.thread_locals.len()].to_vec()
    }

    /// Whether the object at `address` is a variable of `tid` that no other thread can reach, so that it is in no set.
    pub fn is_own(&self, tid: Tid, address: Addr) -> bool {
        let analysis = self.program.may_access.get_or_init(|| MayAccess::new(&self.program));
        let first = match self.memory.object_at(address) {
            Some((_, object)) if object.owner != tid => return false,
            Some((_, object)) if object.kind == ObjectKind::ThreadLocal => {
                analysis.objects.globals + object.detail as usize
            }
            Some((_, object)) if object.kind == ObjectKind::Stack => {
                analysis.objects.globals + self.program.thread_locals.len() + object.detail as usize
            }
            _ => return false,
        };
        analysis.objects.sealed.get(first).copied().unwrap_or(false)
    }
}

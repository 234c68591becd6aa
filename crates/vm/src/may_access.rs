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

use std::cell::RefCell;
use std::ops::Range;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use threadbare_core::{Access, AccessSet, Mode, Space, Tid};

use crate::bytecode::{ArgClass, Op, Program};
use crate::machine::VmMachine;
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

/// Every fact has a number.
#[derive(Default)]
struct Facts {
    list: Vec<Fact>,
    numbers: FxHashMap<Fact, u32>,
}

impl Facts {
    fn number(&mut self, fact: Fact) -> u32 {
        *self.numbers.entry(fact).or_insert_with(|| {
            self.list.push(fact);
            self.list.len() as u32 - 1
        })
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

    fn facts(&self) -> impl Iterator<Item = usize> + '_ {
        self.facts.iter().enumerate().flat_map(|(i, &word)| (0..64).filter(move |bit| word >> bit & 1 == 1).map(move |bit| i * 64 + bit))
    }
}

/// Functions that a call through a pointer may mean.
#[derive(PartialEq, Eq, Hash)]
struct Signature {
    classes: Vec<Class>,
    results: Vec<Class>,
}

/// `ArgClass` for comparison.
type Class = (u8, u32, u32);

fn class(class: &ArgClass) -> Class {
    match *class {
        ArgClass::Word => (0, 0, 0),
        ArgClass::Wide => (1, 0, 0),
        ArgClass::F32 => (2, 0, 0),
        ArgClass::F64 => (3, 0, 0),
        ArgClass::F80 => (4, 0, 0),
        ArgClass::Packed { count, bits } => (5, count.into(), bits.into()),
        ArgClass::ByVal { size, align } => (6, size, align),
    }
}

/// What is known of a program.
pub struct MayAccess {
    bodies: Vec<Body>,
    facts: Facts,
    /// Of functions, then of calls through pointers by signature.
    summaries: Vec<Summary>,
    pointer_calls: FxHashMap<u32, u32>,
    /// Whether each global, thread-local variable and stack object is reached by name only.
    sealed_cells: Vec<bool>,
    globals: u32,
    sealed: Arc<[Range<u64>]>,
    /// An object ends whose address others may have.
    release: u32,
}

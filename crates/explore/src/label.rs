//! An operation as the reduction sees it: who, which choice, and what it touches.

use rustc_hash::FxHashMap;
use threadbare_core::{Access, Choice, Mode, Operation, Space, Tid};

/// Small and copied freely: sleep sets, wakeup trees and paths are made of it. Most operations touch one object; what a
/// few touch besides is kept once in `Labels`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Label {
    first: Access,
    pub choice: Choice,
    more: u32,
    pub tid: Tid,
    pub operation: Operation,
}

/// Overlaps nothing.
const NOTHING: Access = Access { space: Space::Hidden, mode: Mode::Read, length: 0, address: u64::MAX };

impl Label {
    pub fn with(self, choice: Choice) -> Label {
        Label { choice, ..self }
    }

    /// An operation that touches one object and leaves no choice.
    #[inline]
    pub fn simple(tid: Tid, operation: Operation, access: Access) -> Label {
        Label { first: access, choice: Choice::default(), more: 0, tid, operation }
    }

    #[inline]
    pub fn first(&self) -> &Access {
        &self.first
    }
}

/// Makes labels, and tells which are dependent.
#[derive(Default)]
pub struct Labels {
    more: Vec<Box<[Access]>>,
    index: FxHashMap<Box<[Access]>, u32>,
}

impl Labels {
    pub fn label(&mut self, tid: Tid, operation: Operation, choice: Choice, accesses: &[Access]) -> Label {
        let (first, more) = match accesses {
            [] => (NOTHING, 0),
            [one] => (*one, 0),
            [first, rest @ ..] => (*first, self.intern(rest)),
        };
        Label { first, choice, more, tid, operation }
    }

    fn intern(&mut self, rest: &[Access]) -> u32 {
        if let Some(&known) = self.index.get(rest) {
            return known;
        }
        self.more.push(rest.into());
        let number = self.more.len() as u32;
        self.index.insert(rest.into(), number);
        number
    }

    /// A label that others made, as one of these.
    pub fn translate(&mut self, from: &Labels, label: &Label) -> Label {
        match label.more {
            0 => *label,
            _ => Label { more: self.intern(from.rest(label)), ..*label },
        }
    }

    fn rest(&self, label: &Label) -> &[Access] {
        match label.more {
            0 => &[],
            n => &self.more[n as usize - 1],
        }
    }

    /// How many objects it touches.
    #[inline]
    pub fn count(&self, label: &Label) -> usize {
        usize::from(label.first.length > 0) + if label.more == 0 { 0 } else { self.rest(label).len() }
    }

    #[inline]
    pub fn nth(&self, label: &Label, i: usize) -> Access {
        if i == 0 { label.first } else { self.rest(label)[i - 1] }
    }

    #[inline]
    pub fn accesses<'a>(&'a self, label: &'a Label) -> impl Iterator<Item = &'a Access> {
        let touches = label.first.length > 0;
        touches.then_some(&label.first).into_iter().chain(self.rest(label))
    }

    /// Whether it touches such an object besides its first one.
    #[inline]
    pub fn touches(&self, label: &Label, space: Space) -> bool {
        label.more != 0 && self.rest(label).iter().any(|access| access.space == space)
    }

    #[inline]
    pub fn conflict(&self, a: &Label, b: &Label) -> bool {
        a.first.conflicts(&b.first) || ((a.more | b.more) != 0 && self.conflict_in_the_rest(a, b))
    }

    #[cold]
    fn conflict_in_the_rest(&self, a: &Label, b: &Label) -> bool {
        self.accesses(a).any(|x| self.accesses(b).any(|y| x.conflicts(y)))
    }

    /// Whether the order of the two matters: they are of one thread, or touch one object in conflicting modes.
    #[inline]
    pub fn dependent(&self, a: &Label, b: &Label) -> bool {
        a.tid == b.tid || self.conflict(a, b)
    }

    /// Whether `x` is a weak initial of the sequence: it could be done first, now or after all of it.
    #[inline]
    pub fn weak_initial(&self, x: &Label, v: &[Label]) -> bool {
        for y in v {
            if y.tid == x.tid {
                return y.choice == x.choice;
            }
            if self.conflict(x, y) {
                return false;
            }
        }
        true
    }
}

//! The way of the search through the graph: steps, and marks to go back to. The events of a `Path`, with their clocks, are
//! made only when the search is told of an end: they take longer than the steps.

use threadbare_core::{Machine, Mark};

use crate::label::Label;
use crate::search::{End, Flow, Search};
use crate::strategies::tree::Goes;
use crate::strategies::walk::Walk;

pub struct Trail<'m, M: Machine> {
    /// Its machine is at the end of the trail, its path has come as far as it was last needed, or went back with the trail.
    pub walk: Walk<'m, M>,
    steps: Vec<Label>,
    /// The state before each step, and the last one.
    marks: Vec<Mark>,
}

impl<'m, M: Machine> Trail<'m, M> {
    /// From the start of the program.
    pub fn new(walk: Walk<'m, M>) -> Self {
        let marks = walk.marks().to_vec();
        Trail { walk, steps: Vec::new(), marks }
    }

    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Takes a step that is enabled.
    pub fn take(&mut self, step: Label) {
        self.begin(step);
        self.end_step();
    }

    /// The same without the mark at its end.
    #[inline]
    pub fn begin(&mut self, step: Label) {
        self.walk.machine.step(step.tid, step.choice);
        self.steps.push(step);
    }

    #[inline]
    pub fn end_step(&mut self) {
        self.marks.push(self.walk.machine.mark());
    }

    /// A path that ends where somebody else has been.
    pub fn redundant(&mut self, search: &mut impl Search<M>) -> Flow {
        if search.redundant(self.walk.machine, 1) {
            return self.report(search, End::Redundant);
        }
        self.walk.totals.blocked += 1;
        Flow::Continue
    }

    /// Tells the search of an end, and counts it.
    pub fn report(&mut self, search: &mut impl Search<M>, end: End) -> Flow {
        let arrives = self.catch_up();
        self.walk.report(search, if arrives { end } else { End::Error })
    }

    /// The machine was stopped on the way: so is the search.
    #[cold]
    pub fn stopped(&mut self, search: &mut impl Search<M>) -> Flow {
        // It is stopped again where it was, or before.
        let _ = self.catch_up();
        self.walk.stopped(search)
    }

    /// Makes the path that the trail has gone. Whether it has come to its end (`Goes::ahead`).
    #[must_use]
    pub fn catch_up(&mut self) -> bool {
        let made = self.walk.path.len();
        if made == self.steps.len() {
            return true;
        }
        self.walk.machine.rewind(self.marks[made]);
        let arrives = self.walk.ahead(self.steps[made..].iter().copied());
        self.steps.truncate(self.walk.path.len());
        self.marks.truncate(made + 1);
        self.marks.extend_from_slice(&self.walk.marks()[made + 1..]);
        arrives
    }
}

impl<M: Machine> Goes for Trail<'_, M> {
    fn back(&mut self, steps: usize) {
        if steps == 0 {
            return;
        }
        let length = self.steps.len() - steps;
        self.steps.truncate(length);
        self.marks.truncate(length + 1);
        while self.walk.path.len() > length {
            self.walk.forget_last();
        }
        self.walk.machine.rewind(self.marks[length]);
    }

    fn step(&mut self, step: Label) {
        self.take(step);
    }

    fn has_ended(&self) -> bool {
        self.walk.has_ended()
    }
}

//! Call stacks as numbers, so that an access can remember how it came about.

use std::sync::atomic::{AtomicU64, Ordering};

use rustc_hash::FxHashMap;
use threadbare_core::Tid;

use crate::fault::CodePos;
use crate::thread::Frame;

/// A frame and what is below it.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Node {
    below: u32,
    /// Where the frame below goes on when this one returns.
    back: u32,
    function: u32,
}

/// After so many different stacks only the innermost frame of a new one is kept.
const MOST: usize = 1 << 22;

#[derive(Clone, Default)]
pub struct Stacks {
    /// Those with the same origin number the same stacks alike.
    origin: u64,
    nodes: Vec<Node>,
    numbers: FxHashMap<Node, u32>,
    /// For each thread, the numbers of its lowest frames as they were when somebody asked.
    known: Vec<Vec<u32>>,
    running: usize,
    /// What is known of the running thread has been compared with its frames in this step.
    compared: bool,
}

static ORIGINS: AtomicU64 = AtomicU64::new(1);

impl Stacks {
    pub fn new() -> Stacks {
        Stacks { origin: ORIGINS.fetch_add(1, Ordering::Relaxed), ..Stacks::default() }
    }

    /// Takes over the numbers of others, unless it has them and more. Whether its own are void now.
    pub fn become_like(&mut self, other: &Stacks) -> bool {
        if self.origin == other.origin && self.nodes.len() >= other.nodes.len() {
            return false;
        }
        // The two may number new stacks in different ways from now on.
        *self = Stacks { origin: Stacks::new().origin, ..other.clone() };
        true
    }

    pub fn enter(&mut self, tid: Tid) {
        self.running = tid.index();
        self.compared = false;
        if self.known.len() <= self.running {
            self.known.resize(self.running + 1, Vec::new());
        }
    }

    /// Frames of the running thread have gone by other ways than `returned`.
    pub fn unsure(&mut self) {
        self.compared = false;
    }

    /// The running thread has `depth` frames left.
    #[inline]
    pub fn returned(&mut self, depth: usize) {
        self.known[self.running].truncate(depth);
    }

    /// The number of the running thread's stack, without the position in its top frame.
    #[inline]
    pub fn number(&mut self, frames: &[Frame]) -> u32 {
        let known = &self.known[self.running];
        if !self.compared || known.len() != frames.len() {
            self.learn(frames);
        }
        *self.known[self.running].last().expect("a running thread has a frame")
    }

    #[inline(never)]
    fn learn(&mut self, frames: &[Frame]) {
        let Stacks { nodes, numbers, known, running, .. } = self;
        let known = &mut known[*running];
        let node_of = |depth: usize, known: &[u32]| match depth {
            0 => Node { below: u32::MAX, back: 0, function: frames[0].function },
            _ => Node { below: known[depth - 1], back: frames[depth - 1].pc, function: frames[depth].function },
        };
        if !self.compared {
            let same = |&depth: &usize| depth < frames.len() && nodes[known[depth] as usize] == node_of(depth, known);
            let n = (0..known.len()).take_while(same).count();
            known.truncate(n);
            self.compared = true;
        }
        known.truncate(frames.len());
        while known.len() < frames.len() {
            let mut node = node_of(known.len(), known);
            if nodes.len() >= MOST {
                node = Node { below: u32::MAX, back: 0, ..node };
            }
            let number = *numbers.entry(node).or_insert_with(|| {
                nodes.push(node);
                nodes.len() as u32 - 1
            });
            known.push(number);
        }
    }

    /// The positions, innermost first.
    pub fn positions(&self, stack: u32, pc: u32) -> Vec<CodePos> {
        let mut list = Vec::new();
        let mut at = CodePos { function: 0, pc };
        let mut next = stack;
        while let Some(node) = self.nodes.get(next as usize) {
            list.push(CodePos { function: node.function, ..at });
            at.pc = node.back.saturating_sub(1);
            next = node.below;
        }
        list
    }
}

//! Which slots of a frame still matter at the points where it may rest: at a visible operation, and while it has called
//! another function. Backward data flow over the bytecode. Only these slots are saved, restored and hashed: a dead
//! temporary left in the state would multiply the number of states without meaning anything.
//!
//! A value that goes only into values that nobody needs is not needed, either (strong liveness: Giegerich, Möncke and
//! Wilhelm, 1981). So a counter that a loop counts up and nobody reads is no part of the state, and does not keep the loop
//! from coming back to where it was.

use crate::bytecode::{Function, Op, Program, Slot, SwitchKind, Target, VisibleDetail, operation_groups};

/// The slots that are live at the start of each basic block.
pub struct Flow {
    starts: Vec<u32>,
    live_in: Vec<Vec<u64>>,
    length: usize,
    words: usize,
    strong: bool,
}

impl Flow {
    /// What some operation reads later.
    pub fn of(program: &Program, function: &Function) -> Flow {
        Flow::new(program, function, false)
    }

    /// What makes a difference later.
    pub fn strong(program: &Program, function: &Function) -> Flow {
        Flow::new(program, function, true)
    }

    fn new(program: &Program, function: &Function, strong: bool) -> Flow {
        let starts = block_starts(program, function);
        let words = (function.slots as usize).div_ceil(64);
        let live_in = vec![vec![0u64; words]; starts.len()];
        let mut flow = Flow { live_in, starts, length: function.code.len(), words, strong };
        let mut predecessors = vec![Vec::new(); flow.blocks()];
        for block in 0..flow.blocks() {
            for target in successors(program, function, flow.range(block).end as u32 - 1) {
                predecessors[flow.block_of(target)].push(block);
            }
        }
        let mut work: Vec<usize> = (0..flow.blocks()).collect();
        let mut queued = vec![true; flow.blocks()];
        while let Some(block) = work.pop() {
            queued[block] = false;
            let live = flow.walk(program, function, block, &mut |_, _, _| {});
            if live != flow.live_in[block] {
                flow.live_in[block] = live;
                for &before in &predecessors[block] {
                    if !std::mem::replace(&mut queued[before], true) {
                        work.push(before);
                    }
                }
            }
        }
        flow
    }

    pub fn blocks(&self) -> usize {
        self.starts.len()
    }

    /// How many words a set of slots takes.
    pub fn words(&self) -> usize {
        self.words
    }

    pub fn live_at_start(&self) -> &[u64] {
        &self.live_in[0]
    }

    fn block_of(&self, pc: u32) -> usize {
        self.starts.partition_point(|&start| start <= pc) - 1
    }

    fn range(&self, block: usize) -> std::ops::Range<usize> {
        let end = self.starts.get(block + 1).map_or(self.length, |&next| next as usize);
        self.starts[block] as usize..end
    }

    /// Goes through a block from its end, with what is live after each operation; gives what is live at its start.
    pub fn walk(
        &self,
        program: &Program,
        function: &Function,
        block: usize,
        visit: &mut dyn FnMut(usize, &Op, &[u64]),
    ) -> Vec<u64> {
        let mut live = vec![0u64; self.words];
        let range = self.range(block);
        for target in successors(program, function, range.end as u32 - 1) {
            for (word, other) in live.iter_mut().zip(&self.live_in[self.block_of(target)]) {
                *word |= other;
            }
        }
        for pc in range.rev() {
            let op = &function.code[pc];
            visit(pc, op, &live);
            if !(self.strong && is_in_vain(op, &live)) {
                transfer(program, op, &mut live);
            }
        }
        live
    }
}

/// Visible operations, by their sites, whose results are needed, and those whose results are not.
#[derive(Default)]
pub struct Results {
    pub needed: Vec<u32>,
    pub in_vain: Vec<u32>,
}

/// Fills the tables of live slots of `function`.
pub fn compute(program: &Program, function: &mut Function, results: &mut Results) {
    let flow = if function.returns_twice { Flow::of(program, function) } else { Flow::strong(program, function) };
    let mut in_vain: Vec<Slot> = Vec::new();
    let mut lists = Lists { ranges: Vec::new(), slots: Vec::new() };
    let mut resting = vec![0; function.code.len()];
    let mut calling = vec![0; function.code.len()];
    for block in 0..flow.blocks() {
        flow.walk(program, function, block, &mut |pc, op, live| {
            if flow.strong && is_in_vain(op, live) {
                in_vain.extend(only_result(op));
            }
            if matches!(op, Op::Call { .. } | Op::CallSite { .. }) {
                let mut across = live.to_vec();
                for_each_operand(program, op, &mut |slot, written| {
                    if written {
                        clear(&mut across, slot);
                    }
                });
                calling[pc] = lists.add(&across);
            }
            if let Op::Visible { site, .. } = *op {
                let mut needed = false;
                for_each_operand(program, op, &mut |slot, written| needed |= written && has(live, slot));
                let list = if needed { &mut results.needed } else { &mut results.in_vain };
                list.push(site);
            }
            if matches!(op, Op::Visible { .. }) || pc == 0 {
                let mut before = live.to_vec();
                transfer(program, op, &mut before);
                resting[pc] = lists.add(&before);
            }
        });
    }
    function.live_resting = resting;
    function.live_calling = calling;
    function.live_lists = lists.ranges;
    function.live_slots = lists.slots;
    function.in_vain = if in_vain.is_empty() { in_vain } else { passed_on_in_vain(program, function, &in_vain) };
}

/// Of these slots, those whose value is read later, if only for something that nobody needs.
fn passed_on_in_vain(program: &Program, function: &Function, slots: &[Slot]) -> Vec<Slot> {
    let flow = Flow::of(program, function);
    let mut found = Vec::new();
    for block in 0..flow.blocks() {
        flow.walk(program, function, block, &mut |_, op, live| {
            found.extend(only_result(op).filter(|slot| slots.contains(slot) && has(live, *slot)));
        });
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// Whether an operation does nothing but compute what nobody needs: it can neither stop nor fail.
fn is_in_vain(op: &Op, live_after: &[u64]) -> bool {
    only_result(op).is_some_and(|slot| !has(live_after, slot))
}

/// The slot of the result of an operation that does nothing else: moves and sums, which is what counters are made of.
fn only_result(op: &Op) -> Option<Slot> {
    match *op {
        Op::Mov { d, .. }
        | Op::SExt32 { d, .. }
        | Op::Add32 { d, .. }
        | Op::Add32I { d, .. }
        | Op::Sub32 { d, .. }
        | Op::Sub32I { d, .. }
        | Op::Add64 { d, .. }
        | Op::Add64I { d, .. }
        | Op::Sub64 { d, .. }
        | Op::Sub64I { d, .. } => Some(d),
        _ => None,
    }
}

struct Lists {
    ranges: Vec<(u32, u32)>,
    slots: Vec<Slot>,
}

impl Lists {
    /// Adds a list and gives its number plus one.
    fn add(&mut self, live: &[u64]) -> u32 {
        let start = self.slots.len() as u32;
        for (i, &word) in live.iter().enumerate() {
            let mut word = word;
            while word != 0 {
                self.slots.push((i * 64) as u16 + word.trailing_zeros() as u16);
                word &= word - 1;
            }
        }
        self.ranges.push((start, self.slots.len() as u32));
        self.ranges.len() as u32
    }
}

fn has(live: &[u64], slot: Slot) -> bool {
    live[slot as usize / 64] >> (slot % 64) & 1 == 1
}

fn clear(live: &mut [u64], slot: Slot) {
    live[slot as usize / 64] &= !(1 << (slot % 64));
}

fn transfer(program: &Program, op: &Op, live: &mut [u64]) {
    for_each_operand(program, op, &mut |slot, written| {
        if written {
            clear(live, slot);
        }
    });
    for_each_operand(program, op, &mut |slot, written| {
        if !written {
            live[slot as usize / 64] |= 1 << (slot % 64);
        }
    });
}

pub fn block_starts(program: &Program, function: &Function) -> Vec<u32> {
    let mut starts = vec![0];
    for pc in 0..function.code.len() as u32 {
        if is_jump(&function.code[pc as usize]) {
            starts.extend(successors(program, function, pc));
            if pc as usize + 1 < function.code.len() {
                starts.push(pc + 1);
            }
        }
    }
    starts.sort_unstable();
    starts.dedup();
    starts
}

/// Whether control does not simply go on with the next operation.
fn is_jump(op: &Op) -> bool {
    targets(op).is_some()
        || matches!(
            op,
            Op::Switch { .. }
                | Op::IndirectBr { .. }
                | Op::Ret
                | Op::RetOne { .. }
                | Op::RetMany { .. }
                | Op::Unreachable
                | Op::Refuse { .. }
        )
}

pub fn successors(program: &Program, function: &Function, pc: u32) -> Vec<u32> {
    let op = &function.code[pc as usize];
    if let Some((t, f)) = targets(op) {
        return if t == f { vec![t] } else { vec![t, f] };
    }
    match op {
        Op::Switch { table, .. } => {
            let table = &program.switches[*table as usize];
            let mut list = match &table.kind {
                SwitchKind::Dense { targets, .. } => targets.clone(),
                SwitchKind::Sparse(map) => map.values().copied().collect(),
                SwitchKind::Wide(map) => map.values().copied().collect(),
            };
            list.push(table.default);
            list.sort_unstable();
            list.dedup();
            list
        }
        Op::IndirectBr { .. } => function.blocks.iter().copied().filter(|&block| block != u32::MAX).collect(),
        op if is_jump(op) => Vec::new(),
        _ => vec![pc + 1],
    }
}

/// Calls `visit(slot, written)` for every slot that the operation reads or writes.
pub fn for_each_operand(program: &Program, op: &Op, visit: &mut dyn FnMut(Slot, bool)) {
    let mut r = |slot: Slot| visit(slot, false);
    macro_rules! pair {
        ($a:expr) => {{
            r($a);
            r($a + 1);
        }};
    }
    let conv_slots = |op, w| crate::interp::convert_slots(op, w);
    // Reads.
    match *op {
        Op::Mov { a, .. } | Op::Freeze { a, .. } | Op::SExt { a, .. } | Op::SExt32 { a, .. } => r(a),
        Op::Bits { a, .. } | Op::LdN { a, .. } | Op::StI { a, .. } | Op::AllocaN { a, .. } => r(a),
        Op::StackRestore { a } | Op::IndirectBr { a } | Op::RetOne { a } | Op::Setjmp { a, .. } => r(a),
        Op::AluI { a, .. } => r(a),
        Op::Select { c, a, b, .. } => {
            r(c);
            r(a);
            r(b);
        }
        Op::Alu { a, b, .. }
        | Op::SetW { a, b, .. }
        | Op::MinMax { a, b, .. }
        | Op::Overflow { a, b, .. }
        | Op::F64 { a, b, .. }
        | Op::F32 { a, b, .. }
        | Op::Lea { a, b, .. } => {
            r(a);
            r(b);
        }
        Op::LeaG { b, .. } => r(b),
        Op::Funnel { a, b, c, .. } => {
            r(a);
            r(b);
            r(c);
        }
        Op::F80 { a, b, .. } => {
            pair!(a);
            pair!(b);
        }
        Op::F80Neg { a, .. } => pair!(a),
        Op::FSet { w, a, b, .. } => {
            if w == 80 {
                pair!(a);
                pair!(b);
            } else {
                r(a);
                r(b);
            }
        }
        Op::FClass { w, a, .. } => {
            if w == 80 {
                pair!(a);
            } else {
                r(a);
            }
        }
        Op::Convert { op, w, a, .. } => {
            r(a);
            if conv_slots(op, w).0 {
                r(a + 1);
            }
        }
        Op::Wide { a, b, .. }
        | Op::WideSet { a, b, .. }
        | Op::WideMinMax { a, b, .. }
        | Op::WideOverflow { a, b, .. } => {
            pair!(a);
            pair!(b);
        }
        Op::WideSExt { a, from, .. } => {
            r(a);
            if from > 64 {
                r(a + 1);
            }
        }
        Op::WideMask { a, .. } | Op::WideBits { a, .. } => pair!(a),
        Op::WideFunnel { a, b, c, .. } => {
            pair!(a);
            pair!(b);
            pair!(c);
        }
        Op::StN { v, a, .. } => {
            r(v);
            r(a);
        }
        Op::Br { c, .. } => r(c),
        Op::Switch { a, table } => {
            r(a);
            if matches!(program.switches[table as usize].kind, SwitchKind::Wide(_)) {
                r(a + 1);
            }
        }
        Op::Call { f, args, .. } => {
            // A function that is still being lowered has its parameters already.
            let n = program.functions[f as usize].param_slots as usize;
            program.args[args as usize..args as usize + n].iter().for_each(|&slot| r(slot));
        }
        Op::CallSite { site, .. } => {
            let site = &program.calls[site as usize];
            site.args.iter().for_each(|&slot| r(slot));
            if let Target::Slot(slot) = site.callee {
                r(slot);
            }
        }
        Op::Native { site, .. } => program.natives[site as usize].args.iter().for_each(|&slot| r(slot)),
        Op::Visible { site, .. } => program.visibles[site as usize].args.iter().for_each(|&slot| r(slot)),
        Op::RetMany { args, n } => {
            program.args[args as usize..args as usize + n as usize].iter().for_each(|&slot| r(slot));
        }
        _ => grouped_reads(op, &mut r),
    }
    // Writes.
    let mut w = |slot: Slot| visit(slot, true);
    match *op {
        Op::Overflow { d, .. } => {
            w(d);
            w(d + 1);
        }
        Op::F80 { d, .. }
        | Op::F80Neg { d, .. }
        | Op::Wide { d, .. }
        | Op::WideSExt { d, .. }
        | Op::WideMask { d, .. }
        | Op::WideBits { d, .. }
        | Op::WideMinMax { d, .. }
        | Op::WideFunnel { d, .. } => {
            w(d);
            w(d + 1);
        }
        Op::WideOverflow { d, .. } => {
            w(d);
            w(d + 1);
            w(d + 2);
        }
        Op::Convert { op, w: width, d, .. } => {
            w(d);
            if conv_slots(op, width).1 {
                w(d + 1);
            }
        }
        Op::Call { f, d, .. } => {
            let n: u16 = program.functions[f as usize].results.iter().map(|class| class.slots()).sum();
            (d..d + n).for_each(w);
        }
        Op::CallSite { site, d } => (d..d + program.calls[site as usize].result_slots).for_each(w),
        Op::Native { site, d } => (d..d + program.natives[site as usize].result_slots).for_each(w),
        Op::Visible { site, d } => {
            let site = &program.visibles[site as usize];
            let n = match site.detail {
                VisibleDetail::Library => site.result_slots,
                VisibleDetail::Access { bytes, .. } | VisibleDetail::Rmw { bytes, .. } => {
                    if site.operation == threadbare_core::Operation::Store { 0 } else { u16::from(bytes).div_ceil(8) }
                }
                VisibleDetail::Cas { bytes, .. } => u16::from(bytes).div_ceil(8) + 1,
                _ => 0,
            };
            (d..d + n).for_each(w);
        }
        _ => {
            if let Some(d) = result_slot(op) {
                w(d);
            }
        }
    }
}

macro_rules! grouped {
    (
        binary { $($bin:ident $bini:ident $alu:ident $aw:tt,)* }
        compare { $($set:ident $seti:ident $br:ident $bri:ident $pred:ident $pw:tt,)* }
        memory { $($n:tt $ld:ident $ldg:ident $ldx:ident $ldgx:ident $st:ident $stg:ident $stx:ident $stgx:ident,)* }
    ) => {
        fn grouped_reads(op: &Op, r: &mut dyn FnMut(Slot)) {
            match *op {
                $( Op::$bin { a, b, .. } )|* | $( Op::$set { a, b, .. } | Op::$br { a, b, .. } )|* | $( Op::$ldx { a, b, .. } )|* => {
                    r(a);
                    r(b);
                }
                $( Op::$bini { a, .. } )|* | $( Op::$seti { a, .. } | Op::$bri { a, .. } )|* | $( Op::$ld { a, .. } )|* => r(a),
                $( Op::$ldgx { b, .. } )|* => r(b),
                $( Op::$st { v, a, .. } )|* => {
                    r(v);
                    r(a);
                }
                $( Op::$stg { v, .. } )|* => r(v),
                $( Op::$stx { v, a, b, .. } )|* => {
                    r(v);
                    r(a);
                    r(b);
                }
                $( Op::$stgx { v, b, .. } )|* => {
                    r(v);
                    r(b);
                }
                _ => {}
            }
        }

        /// Calls `visit` for every slot that the operation names, in itself or in the lists that it points to.
        pub fn for_each_slot(program: &mut Program, op: &mut Op, visit: &mut dyn FnMut(&mut Slot)) {
            let mut each = |slots: &mut [&mut Slot]| slots.iter_mut().for_each(|slot| visit(slot));
            match op {
                $( Op::$bin { d, a, b } => each(&mut [d, a, b]), Op::$bini { d, a, .. } => each(&mut [d, a]), )*
                $(
                    Op::$set { d, a, b } => each(&mut [d, a, b]),
                    Op::$seti { d, a, .. } => each(&mut [d, a]),
                    Op::$br { a, b, .. } => each(&mut [a, b]),
                    Op::$bri { a, .. } => each(&mut [a]),
                )*
                $(
                    Op::$ld { d, a, .. } => each(&mut [d, a]),
                    Op::$ldg { d, .. } => each(&mut [d]),
                    Op::$ldx { d, a, b, .. } => each(&mut [d, a, b]),
                    Op::$ldgx { d, b, .. } => each(&mut [d, b]),
                    Op::$st { v, a, .. } => each(&mut [v, a]),
                    Op::$stg { v, .. } => each(&mut [v]),
                    Op::$stx { v, a, b, .. } => each(&mut [v, a, b]),
                    Op::$stgx { v, b, .. } => each(&mut [v, b]),
                )*
                Op::Mov { d, a }
                | Op::Freeze { d, a }
                | Op::AluI { d, a, .. }
                | Op::SExt { d, a, .. }
                | Op::SExt32 { d, a }
                | Op::Bits { d, a, .. }
                | Op::F80Neg { d, a }
                | Op::FClass { d, a, .. }
                | Op::Convert { d, a, .. }
                | Op::WideSExt { d, a, .. }
                | Op::WideMask { d, a, .. }
                | Op::WideBits { d, a, .. }
                | Op::LdN { d, a, .. }
                | Op::AllocaN { d, a, .. }
                | Op::Setjmp { d, a } => each(&mut [d, a]),
                Op::Alu { d, a, b, .. }
                | Op::SetW { d, a, b, .. }
                | Op::Lea { d, a, b, .. }
                | Op::MinMax { d, a, b, .. }
                | Op::Overflow { d, a, b, .. }
                | Op::F64 { d, a, b, .. }
                | Op::F32 { d, a, b, .. }
                | Op::F80 { d, a, b, .. }
                | Op::FSet { d, a, b, .. }
                | Op::Wide { d, a, b, .. }
                | Op::WideSet { d, a, b, .. }
                | Op::WideMinMax { d, a, b, .. }
                | Op::WideOverflow { d, a, b, .. } => each(&mut [d, a, b]),
                Op::Select { d, c, a, b } => each(&mut [d, c, a, b]),
                Op::Funnel { d, a, b, c, .. } | Op::WideFunnel { d, a, b, c, .. } => each(&mut [d, a, b, c]),
                Op::Imm { d, .. }
                | Op::Undef { d, .. }
                | Op::Alloca { d, .. }
                | Op::StackSave { d }
                | Op::Tls { d, .. } => each(&mut [d]),
                Op::LeaG { d, b, .. } => each(&mut [d, b]),
                Op::StN { v, a, .. } => each(&mut [v, a]),
                Op::StI { a, .. }
                | Op::StackRestore { a }
                | Op::Switch { a, .. }
                | Op::IndirectBr { a }
                | Op::RetOne { a } => each(&mut [a]),
                Op::Br { c, .. } => each(&mut [c]),
                Op::Call { f, d, args } => {
                    each(&mut [d]);
                    let n = program.functions[*f as usize].param_slots as usize;
                    program.args[*args as usize..*args as usize + n].iter_mut().for_each(visit);
                }
                Op::CallSite { site, d } => {
                    each(&mut [d]);
                    let site = &mut program.calls[*site as usize];
                    if let Target::Slot(slot) = &mut site.callee {
                        visit(slot);
                    }
                    site.args.iter_mut().for_each(visit);
                }
                Op::Native { site, d } => {
                    each(&mut [d]);
                    program.natives[*site as usize].args.iter_mut().for_each(visit);
                }
                Op::Visible { site, d } => {
                    each(&mut [d]);
                    program.visibles[*site as usize].args.iter_mut().for_each(visit);
                }
                Op::RetMany { args, n } => {
                    program.args[*args as usize..*args as usize + *n as usize].iter_mut().for_each(visit);
                }
                Op::Jmp { .. } | Op::Ret | Op::Unreachable | Op::Refuse { .. } => {}
            }
        }

        /// The slot of an operation's result, where it is a single one and not that of a call.
        fn result_slot(op: &Op) -> Option<Slot> {
            match *op {
                $( Op::$bin { d, .. } | Op::$bini { d, .. } )|*
                | $( Op::$set { d, .. } | Op::$seti { d, .. } )|*
                | $( Op::$ld { d, .. } | Op::$ldg { d, .. } | Op::$ldx { d, .. } | Op::$ldgx { d, .. } )|*
                | Op::Mov { d, .. }
                | Op::Imm { d, .. }
                | Op::Undef { d, .. }
                | Op::Freeze { d, .. }
                | Op::Select { d, .. }
                | Op::Alu { d, .. }
                | Op::AluI { d, .. }
                | Op::SetW { d, .. }
                | Op::SExt { d, .. }
                | Op::SExt32 { d, .. }
                | Op::Lea { d, .. }
                | Op::LeaG { d, .. }
                | Op::Bits { d, .. }
                | Op::MinMax { d, .. }
                | Op::Funnel { d, .. }
                | Op::F64 { d, .. }
                | Op::F32 { d, .. }
                | Op::FSet { d, .. }
                | Op::FClass { d, .. }
                | Op::WideSet { d, .. }
                | Op::LdN { d, .. }
                | Op::Alloca { d, .. }
                | Op::AllocaN { d, .. }
                | Op::StackSave { d }
                | Op::Tls { d, .. }
                | Op::Setjmp { d, .. } => Some(d),
                _ => None,
            }
        }

        /// The two ways on from a jump; twice the same for an unconditional one.
        fn targets(op: &Op) -> Option<(u32, u32)> {
            match *op {
                Op::Jmp { t } => Some((t, t)),
                Op::Br { t, f, .. } | $( Op::$br { t, f, .. } | Op::$bri { t, f, .. } )|* => Some((t, f)),
                _ => None,
            }
        }

        /// Calls `change` on the targets of a jump, for patching.
        pub fn patch_targets(op: &mut Op, change: &mut dyn FnMut(&mut u32)) {
            match op {
                Op::Jmp { t } => change(t),
                Op::Br { t, f, .. } | $( Op::$br { t, f, .. } | Op::$bri { t, f, .. } )|* => {
                    change(t);
                    change(f);
                }
                _ => {}
            }
        }
    };
}

operation_groups!(grouped);

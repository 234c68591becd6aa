//! The code of a function once it is whole: values that are only moved about share a slot, jumps to jumps go straight
//! on. Every operation that is left out is one that the interpreter need not look at.
//!
//! What a report says of local variables stays the same: slots are joined only if they hold the same variable, or if
//! nothing can happen between the writing of the one and its move into the other.

use std::collections::BTreeSet;

use crate::bytecode::*;
use crate::liveness::{Flow, for_each_operand, for_each_slot, patch_targets, successors};

/// Beyond this the tables would be too large; such code is not what takes the time.
const MOST_SLOTS: u32 = 4000;
const MOST_MOVED: usize = 1500;

pub fn tidy(program: &mut Program, function: &mut Function) {
    if function.returns_twice {
        return;
    }
    if function.slots <= MOST_SLOTS {
        join_slots(program, function);
    }
    let records: BTreeSet<u32> = function.variables.iter().map(|variable| variable.pc).collect();
    straighten(function, &records);
    copy_branches(function, &records);
    leave_out(program, function);
}

// ---- Slots ----------------------------------------------------------------------------------------------------------

struct Classes {
    /// The slot that stands for each.
    parent: Vec<Slot>,
    /// The number of each slot that is moved from or to; `usize::MAX` for others.
    number: Vec<usize>,
    /// For each number, which others are alive when it is written, or the other way round.
    conflicts: Vec<Vec<u64>>,
    members: Vec<Vec<Slot>>,
    /// The variables that records name for each.
    names: Vec<BTreeSet<Box<str>>>,
}

fn join_slots(program: &mut Program, function: &mut Function) {
    let moves: Vec<(Slot, Slot)> = function
        .code
        .iter()
        .filter_map(|op| match *op {
            Op::Mov { d, a } if d != a => Some((d, a)),
            _ => None,
        })
        .collect();
    if moves.is_empty() {
        return;
    }
    let fixed = fixed_slots(program, function);
    let mut moved: Vec<Slot> = moves.iter().flat_map(|&(d, a)| [d, a]).filter(|&s| !fixed[s as usize]).collect();
    moved.sort_unstable();
    moved.dedup();
    if moved.is_empty() || moved.len() > MOST_MOVED {
        return;
    }
    let mut classes = Classes::new(function, &moved);
    classes.find_conflicts(program, function);
    let follow = followers(program, function);
    for &(d, a) in &moves {
        if !fixed[d as usize] && !fixed[a as usize] {
            classes.join(d, a, function.param_slots, &follow);
        }
    }
    let map = |slot: &mut Slot| *slot = classes.find(*slot);
    for op in &mut function.code {
        for_each_slot(program, op, &mut |slot| map(slot));
    }
    for variable in &mut function.variables {
        if let Place::Slot(slot) | Place::Address(slot) = &mut variable.place {
            map(slot);
        }
    }
}

/// Slots that belong together with their neighbours. And constants that a visible operation takes: that they are
/// constant, and nothing else is ever there, tells whether a loop may wait without an effect.
fn fixed_slots(program: &Program, function: &Function) -> Vec<bool> {
    let mut fixed = vec![false; function.slots as usize];
    let mut varies = vec![false; function.slots as usize];
    for op in &function.code {
        for_each_operand(program, op, &mut |slot, write| {
            varies[slot as usize] |= write && !matches!(op, Op::Imm { .. });
        });
    }
    for op in function.code.iter().filter(|op| matches!(op, Op::Visible { .. })) {
        for_each_operand(program, op, &mut |slot, write| {
            fixed[slot as usize] |= !write && !varies[slot as usize] && slot >= function.param_slots;
        });
    }
    for op in &function.code {
        let together = matches!(
            op,
            Op::F80 { .. }
                | Op::F80Neg { .. }
                | Op::FSet { .. }
                | Op::FClass { .. }
                | Op::Convert { .. }
                | Op::Overflow { .. }
                | Op::Wide { .. }
                | Op::WideSet { .. }
                | Op::WideSExt { .. }
                | Op::WideMask { .. }
                | Op::WideBits { .. }
                | Op::WideMinMax { .. }
                | Op::WideOverflow { .. }
                | Op::WideFunnel { .. }
                | Op::Switch { .. }
        );
        let mut written = 0;
        for_each_operand(program, op, &mut |_, write| written += u32::from(write));
        for_each_operand(program, op, &mut |slot, write| {
            if together || (write && written > 1) {
                fixed[slot as usize] = true;
            }
        });
    }
    fixed
}

/// For each slot: the one into which every value that is written to it is moved before anything can be seen.
fn followers(program: &Program, function: &Function) -> Vec<Option<Slot>> {
    #[derive(Clone, Copy, PartialEq)]
    enum Seen {
        Nothing,
        Into(Slot),
        Other,
    }
    let mut seen = vec![Seen::Nothing; function.slots as usize];
    for (pc, op) in function.code.iter().enumerate() {
        for_each_operand(program, op, &mut |slot, write| {
            if write {
                let next = function.code[pc + 1..].iter().take_while(|op| is_quiet(op));
                let into = next
                    .filter_map(|op| match *op {
                        Op::Mov { d, a } if a == slot => Some(Seen::Into(d)),
                        _ => None,
                    })
                    .next();
                let into = into.unwrap_or(Seen::Other);
                let known = &mut seen[slot as usize];
                *known = if *known == Seen::Nothing || *known == into { into } else { Seen::Other };
            }
        });
    }
    seen.into_iter().map(|seen| if let Seen::Into(d) = seen { Some(d) } else { None }).collect()
}

/// Neither stops nor fails nor jumps.
fn is_quiet(op: &Op) -> bool {
    matches!(op, Op::Mov { .. } | Op::Imm { .. } | Op::SExt32 { .. } | Op::Add32I { .. } | Op::Add64I { .. })
}

impl Classes {
    fn new(function: &Function, moved: &[Slot]) -> Classes {
        let mut number = vec![usize::MAX; function.slots as usize];
        for (i, &slot) in moved.iter().enumerate() {
            number[slot as usize] = i;
        }
        let mut names = vec![BTreeSet::new(); moved.len()];
        for variable in &function.variables {
            if let Place::Slot(slot) | Place::Address(slot) = variable.place
                && number[slot as usize] != usize::MAX
            {
                names[number[slot as usize]].insert(variable.name.clone());
            }
        }
        Classes {
            parent: (0..function.slots as Slot).collect(),
            number,
            conflicts: vec![vec![0; moved.len().div_ceil(64)]; moved.len()],
            members: moved.iter().map(|&slot| vec![slot]).collect(),
            names,
        }
    }

    fn find(&self, mut slot: Slot) -> Slot {
        // A call without a result names any slot for it.
        while let Some(&parent) = self.parent.get(slot as usize).filter(|&&parent| parent != slot) {
            slot = parent;
        }
        slot
    }

    /// Two slots conflict if one is written while the other is still needed, unless by a move between them.
    fn find_conflicts(&mut self, program: &Program, function: &Function) {
        let flow = Flow::of(program, function);
        let mut moved = vec![0u64; flow.words()];
        for (slot, &number) in self.number.iter().enumerate() {
            moved[slot / 64] |= u64::from(number != usize::MAX) << (slot % 64);
        }
        for block in 0..flow.blocks() {
            flow.walk(program, function, block, &mut |_, op, live_after| {
                for_each_operand(program, op, &mut |slot, write| {
                    if write && self.number[slot as usize] != usize::MAX {
                        let copied = if let Op::Mov { a, .. } = *op { a } else { slot };
                        self.conflict_with_all(slot, copied, live_after, &moved);
                    }
                });
            });
        }
        // Parameters arrive all at once.
        let mut arriving = flow.live_at_start().to_vec();
        for slot in 0..function.param_slots {
            arriving[slot as usize / 64] |= 1 << (slot % 64);
        }
        for slot in 0..function.param_slots {
            if self.number[slot as usize] != usize::MAX {
                self.conflict_with_all(slot, slot, &arriving, &moved);
            }
        }
    }

    fn conflict_with_all(&mut self, slot: Slot, copied: Slot, live: &[u64], moved: &[u64]) {
        for (i, (&live, &moved)) in live.iter().zip(moved).enumerate() {
            let mut bits = live & moved;
            while bits != 0 {
                let other = (i * 64) as Slot + bits.trailing_zeros() as Slot;
                bits &= bits - 1;
                if other != slot && other != copied {
                    let (x, y) = (self.number[slot as usize], self.number[other as usize]);
                    self.set_conflict(x, y);
                }
            }
        }
    }

    fn set_conflict(&mut self, x: usize, y: usize) {
        self.conflicts[x][y / 64] |= 1 << (y % 64);
        self.conflicts[y][x / 64] |= 1 << (x % 64);
    }

    /// Joins the slots of a move, if they may share one.
    fn join(&mut self, d: Slot, a: Slot, param_slots: u16, follow: &[Option<Slot>]) {
        let (d, a) = (self.find(d), self.find(a));
        let (x, y) = (self.number[d as usize], self.number[a as usize]);
        if d == a || self.conflicts[x][y / 64] >> (y % 64) & 1 == 1 || (d < param_slots && a < param_slots) {
            return;
        }
        let passed_on = |slot: &Slot| {
            follow[*slot as usize]
                .is_some_and(|into| self.members[y].contains(&into) || self.members[x].contains(&into))
        };
        let unseen = self.names[y].is_empty() && self.members[y].iter().all(passed_on);
        if self.names[x] != self.names[y] && !unseen {
            return;
        }
        // A parameter stays where it arrives.
        let (kept, gone) = if a < param_slots { (a, d) } else { (d, a) };
        self.parent[gone as usize] = kept;
        let (x, y) = (self.number[kept as usize], self.number[gone as usize]);
        for i in 0..self.conflicts.len() {
            if self.conflicts[y][i / 64] >> (i % 64) & 1 == 1 {
                self.set_conflict(x, i);
            }
        }
        let members = std::mem::take(&mut self.members[y]);
        self.members[x].extend(members);
        let names = std::mem::take(&mut self.names[y]);
        self.names[x].extend(names);
    }
}

// ---- Jumps ----------------------------------------------------------------------------------------------------------

/// A jump to a jump goes to where that one goes, unless a record of a variable lies on the way.
fn straighten(function: &mut Function, records: &BTreeSet<u32>) {
    let end = |mut t: u32| {
        for _ in 0..8 {
            match function.code[t as usize] {
                Op::Jmp { t: next } if !records.contains(&t) => t = next,
                // A move that has become none.
                Op::Mov { d, a } if d == a && !records.contains(&t) => t += 1,
                _ => break,
            }
        }
        t
    };
    let mut code = function.code.clone();
    for op in &mut code {
        patch_targets(op, &mut |t| *t = end(*t));
    }
    function.code = code;
}

/// A jump to a branch or a return becomes a copy of it. So does one to a jump that a record kept from being passed over.
fn copy_branches(function: &mut Function, records: &BTreeSet<u32>) {
    let mut added = Vec::new();
    let before = function.code.clone();
    for (pc, op) in before.iter().enumerate() {
        if let Op::Jmp { t } = *op {
            let target = before[t as usize];
            let mut ways = 0;
            patch_targets(&mut target.clone(), &mut |_| ways += 1);
            if ways > 0 || matches!(target, Op::Ret | Op::RetOne { .. }) {
                function.code[pc] = target;
                function.locations[pc] = function.locations[t as usize];
                if records.contains(&t) {
                    added.push((t, pc as u32));
                }
            }
        }
    }
    if !added.is_empty() {
        // The records in front of the branch hold in front of the copy too. They stay in the order of their variables.
        let old = std::mem::take(&mut function.variables);
        for variable in old {
            let copies: Vec<u32> =
                added.iter().filter(|(t, _)| *t == variable.pc && !variable.behind).map(|&(_, pc)| pc).collect();
            function.variables.extend(copies.into_iter().map(|pc| Variable { pc, ..variable.clone() }));
            function.variables.push(variable);
        }
    }
}

/// Moves that have become none are left out.
fn leave_out(program: &mut Program, function: &mut Function) {
    let stays = |op: &Op| !matches!(*op, Op::Mov { d, a } if d == a);
    if function.code.iter().all(stays) {
        return;
    }
    move_records(program, function, stays);
    let mut places = Vec::with_capacity(function.code.len());
    let mut next = 0;
    for op in &function.code {
        places.push(next);
        next += u32::from(stays(op));
    }
    places.push(next);
    let locations = std::mem::take(&mut function.locations);
    let code = std::mem::take(&mut function.code);
    for (op, location) in code.into_iter().zip(locations).filter(|(op, _)| stays(op)) {
        function.code.push(op);
        function.locations.push(location);
    }
    let map = |t: &mut u32| *t = places[*t as usize];
    for op in &mut function.code {
        patch_targets(op, &mut |t| map(t));
        if let Op::Switch { table, .. } = op {
            let table = &mut program.switches[*table as usize];
            map(&mut table.default);
            match &mut table.kind {
                SwitchKind::Dense { targets, .. } => targets.iter_mut().for_each(map),
                SwitchKind::Sparse(cases) => cases.values_mut().for_each(map),
                SwitchKind::Wide(cases) => cases.values_mut().for_each(map),
            }
        }
    }
    function.blocks.iter_mut().filter(|block| **block != u32::MAX).for_each(map);
    function.variables.iter_mut().for_each(|variable| map(&mut variable.pc));
}

/// Records of operations that are left out are said behind the one before, so that they are not said of other ways to what
/// comes next. Where there is none before, in the same block, nobody knows any more.
fn move_records(program: &Program, function: &mut Function, stays: impl Fn(&Op) -> bool) {
    let mut entered = vec![false; function.code.len() + 1];
    for pc in 0..function.code.len() as u32 {
        let nexts = successors(program, function, pc);
        if nexts != [pc + 1] {
            nexts.iter().for_each(|&next| entered[next as usize] = true);
        }
    }
    let code = &function.code;
    for variable in &mut function.variables {
        let mut pc = variable.pc as usize;
        if pc >= code.len() || stays(&code[pc]) {
            continue;
        }
        while !stays(&code[pc]) && pc > 0 && !entered[pc] {
            pc -= 1;
        }
        if stays(&code[pc]) {
            (variable.pc, variable.behind) = (pc as u32, true);
        } else if (pc + 1..).take_while(|&next| !stays(&code[next - 1])).any(|next| entered[next]) {
            variable.place = Place::Unknown;
        } else {
            variable.behind = false;
        }
    }
}

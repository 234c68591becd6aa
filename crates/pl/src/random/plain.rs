//! Random programs with plain accesses, fences and weaker orders: one of `generate`, and here and there something more.

use threadbare_core::Random;

use super::program::{Cells, Code, Expr, Instr, Order, Program, Reg};

/// The program with plain accesses at random places, and random orders of its atomic operations.
pub fn with_plain_accesses(program: &Program, seed: u64) -> Program {
    let mut random = Random::new(seed ^ 0x91a1_0000);
    let data = random.pick(&[1, 1, 2, 4]);
    let mut changed = Program { data, data_on_heap: random.once_in(2), threads: Vec::new(), ..program.clone() };
    let instructions: usize = program.threads.iter().map(|code| code.0.len() + 1).sum();
    // A few places of the whole program, wherever they are.
    let often = instructions.div_ceil(2 + random.below(5));
    let weak = random.once_in(2);
    let message = Message {
        x: random.below(program.variables.len()),
        word: 1 + random.below(2) as i64,
        cells: Cells::Data(random.below(data), 1),
    };
    for (t, code) in program.threads.iter().enumerate() {
        let mut w = Writer { random: &mut random, program, data, message, code: Vec::new() };
        let mut places = Vec::new();
        for at in 0..=code.0.len() {
            places.push(w.code.len());
            // What the code before has found out is looked at next.
            let looks = matches!(code.0.get(at), Some(Instr::JumpIf(_, to)) if *to > at);
            if w.random.once_in(often) && !looks {
                let is_loop =
                    |(i, instr): (usize, &Instr)| matches!(instr, Instr::JumpIf(_, to) if *to <= at && at <= i);
                let in_loop = code.0.iter().enumerate().any(is_loop);
                w.something(in_loop);
            }
            w.code.extend(code.0.get(at).map(|instr| match *instr {
                // To be told from jumps of what was put in: those know their targets.
                Instr::JumpIf(e, to) => Instr::JumpIf(e, usize::MAX - to),
                instr => instr,
            }));
        }
        let mut code = w.code;
        for (pc, instr) in code.iter_mut().enumerate() {
            if let Instr::JumpIf(_, to) = instr
                && *to > usize::MAX / 2
            {
                *to = places[usize::MAX - *to];
            }
            let orders: &[Order] = match instr {
                Instr::Fence => &[Order::Acquire, Order::Release, Order::AcqRel, Order::SeqCst],
                Instr::Load(..) | Instr::ReadBlock(..) if weak => &[Order::Relaxed, Order::Acquire, Order::SeqCst],
                Instr::Store(..) | Instr::WriteBlock(..) if weak => &[Order::Relaxed, Order::Release, Order::SeqCst],
                Instr::Exchange(..) | Instr::CompareExchange(..) if weak => {
                    &[Order::Relaxed, Order::Acquire, Order::Release, Order::AcqRel, Order::SeqCst]
                }
                _ => continue,
            };
            changed.orders.insert((t, pc), random.pick(orders));
        }
        changed.threads.push(Code(code));
    }
    changed
}

/// What one thread leaves for another: the cells, once the variable holds the word.
#[derive(Clone, Copy)]
struct Message {
    x: usize,
    word: i64,
    cells: Cells,
}

struct Writer<'r> {
    random: &'r mut Random,
    program: &'r Program,
    data: usize,
    message: Message,
    code: Vec<Instr>,
}

impl Writer<'_> {
    fn reg(&mut self) -> Reg {
        2 + self.random.below(2)
    }

    fn cells(&mut self) -> Cells {
        match self.random.below(16) {
            0 => Cells::Variable(self.random.below(self.program.variables.len())),
            1 if self.program.blocks > 0 => Cells::Block(0),
            2..6 if self.data > 1 => {
                let n = self.random.pick(&[2, self.data]);
                Cells::Data(n * self.random.below(self.data / n), n)
            }
            _ => Cells::Data(self.random.below(self.data), 1),
        }
    }

    fn access(&mut self) {
        let cells = self.cells();
        self.access_to(cells);
    }

    fn access_to(&mut self, cells: Cells) {
        let r = self.reg();
        let value = Expr::Const(1 + self.random.below(2) as i64);
        self.code.push(if self.random.once_in(2) { Instr::Read(r, cells) } else { Instr::Write(cells, value) });
    }

    fn something(&mut self, in_loop: bool) {
        let r = self.reg();
        let Message { x, word, cells } = self.message;
        match self.random.below(12) {
            0..3 => self.access(),
            // A loop that changes something in every round has no end.
            3 if !in_loop => {
                let cells = self.cells();
                self.code.extend([Instr::Read(r, cells), Instr::Write(cells, Expr::Plus(r, 1))]);
            }
            // Only if somebody has said so.
            4..7 => {
                self.code.push(Instr::Load(r, x));
                if self.random.once_in(3) {
                    self.code.push(Instr::Fence);
                }
                let jump = self.code.len();
                self.code.push(Instr::JumpIf(Expr::Differ(r, word), 0));
                self.access_to(cells);
                self.code[jump] = Instr::JumpIf(Expr::Differ(r, word), self.code.len());
            }
            // And then say so.
            7..10 => {
                self.access_to(cells);
                if self.random.once_in(3) {
                    self.code.push(Instr::Fence);
                }
                self.code.push(Instr::Store(x, Expr::Const(word)));
            }
            10 if self.random.once_in(2) => self.code.push(Instr::Fence),
            10 if !in_loop => {
                let m = self.random.below(self.program.mutexes);
                self.code.push(Instr::Lock(m));
                self.access();
                self.code.push(Instr::Unlock(m));
            }
            _ => self.access(),
        }
    }
}

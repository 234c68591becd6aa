//! Random small programs. Each uses a few kinds of objects, so that its threads meet; every row of the dependence table
//! comes up.

use threadbare_core::Random;

use super::program::{Code, Expr, Instr, Program, REGISTERS, Reg};

/// What a program is about.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Theme {
    Variables,
    Mutexes,
    Conditions,
    RwLocks,
    Semaphores,
    Barriers,
    Choices,
    Blocks,
    Loops,
}

const THEMES: [Theme; 9] = [
    Theme::Variables,
    Theme::Mutexes,
    Theme::Conditions,
    Theme::RwLocks,
    Theme::Semaphores,
    Theme::Barriers,
    Theme::Choices,
    Theme::Blocks,
    Theme::Loops,
];

struct Writer<'r> {
    random: &'r mut Random,
    code: Vec<Instr>,
    me: usize,
    variables: usize,
    mutexes: usize,
}

/// The program of a seed with an invariant over variables that it writes, if it writes any.
pub fn generate_with_invariant(seed: u64, loops: bool) -> Program {
    use Instr::{CompareExchange, Exchange, FetchAdd, Store};
    let mut program = generate(seed, loops);
    let mut random = Random::new(seed ^ 0x1274);
    let mut written: Vec<usize> = Vec::new();
    for instr in program.threads.iter().flat_map(|code| &code.0) {
        if let Store(x, _) | Exchange(_, x, _) | FetchAdd(_, x, _) | CompareExchange(_, x, ..) = instr
            && !written.contains(x)
        {
            written.push(*x);
        }
    }
    program.never = written.into_iter().map(|x| (x, random.below(3) as i64)).collect();
    program
}

/// The program of a seed with error-checking mutexes, which threads unlock that may hold them or not.
pub fn generate_with_error_checks(seed: u64) -> Program {
    use Instr::{CompareExchange, Exchange, FetchAdd, Load, Lock, Store, TimedLock, TryLock, Unlock};
    let (mut program, mut random) = (generate(seed, false), Random::new(seed ^ 0xec00));
    program.error_checks = true;
    for instr in program.threads.iter_mut().flat_map(|code| &mut code.0) {
        let m = random.below(program.mutexes);
        match instr {
            Load(..) | Store(..) | Exchange(..) | FetchAdd(..) | CompareExchange(..) if random.once_in(2) => {
                *instr = random.pick(&[Lock(m), Unlock(m), Unlock(m), TryLock(2, m), TimedLock(2, m)]);
            }
            _ => {}
        }
    }
    program
}

/// The program of a seed with loops that run for ever, or as long as a register says, and change things.
pub fn generate_endless(seed: u64) -> Program {
    let mut program = generate(seed, seed.is_multiple_of(2));
    let mut random = Random::new(seed ^ 0xc1c1e);
    for code in &mut program.threads {
        if random.once_in(2) {
            continue;
        }
        // A thread is created only once.
        let start = code.0.iter().rposition(|instr| matches!(instr, Instr::Create(_))).map_or(0, |at| at + 1);
        let again = match random.below(3) {
            0 => Expr::Const(1),
            1 => Expr::Differ(2 + random.below(2), random.below(3) as i64),
            _ => Expr::Equal(2 + random.below(2), random.below(3) as i64),
        };
        if code.0.len() > start && code.0.last() != Some(&Instr::Exit) {
            code.0.push(Instr::JumpIf(again, start));
        }
        if random.once_in(3) {
            code.0.push(Instr::Assert(Expr::Differ(2, random.below(3) as i64)));
        }
    }
    program
}

/// The program of a seed. `loops` allows loops that wait; without them every execution is finite by itself.
pub fn generate(seed: u64, loops: bool) -> Program {
    let mut random = Random::new(seed);
    let themes: Vec<Theme> = loop {
        let count = 1 + random.below(2);
        let drawn: Vec<Theme> = (0..count).map(|_| THEMES[random.below(THEMES.len())]).collect();
        if loops || !drawn.contains(&Theme::Loops) {
            break if loops && random.once_in(2) { [drawn, vec![Theme::Loops]].concat() } else { drawn };
        }
    };
    let threads = 2 + random.below(3);
    let mut program = Program {
        variables: (0..1 + random.below(2)).map(|_| 0).collect(),
        mutexes: 1 + random.below(2),
        conditions: 1,
        rwlocks: 1,
        semaphores: vec![random.below(2) as u32],
        blocks: 1,
        ..Program::default()
    };
    let users: Vec<bool> = (0..threads).map(|t| t > 0 || random.once_in(2)).collect();
    let count = users.iter().filter(|&&u| u).count() as u32;
    // Sometimes more threads use it than it counts.
    program.barriers = vec![if count > 1 && random.once_in(3) { count - 1 } else { count }];
    let length = match threads {
        2 => 3,
        3 => 2,
        _ => 1,
    };
    // Who creates whom: mostly thread 0, sometimes a thread before the child.
    let parents: Vec<usize> = (0..threads).map(|t| if random.once_in(5) && t > 1 { t - 1 } else { 0 }).collect();
    for (me, &uses_barrier) in users.iter().enumerate() {
        let (variables, mutexes) = (program.variables.len(), program.mutexes);
        let mut w = Writer { random: &mut random, code: Vec::new(), me, variables, mutexes };
        let children: Vec<usize> = (1..threads).filter(|&t| parents[t] == me && t != me).collect();
        if w.random.once_in(4) {
            w.fragment(Theme::Variables);
        }
        w.code.extend(children.iter().map(|&t| Instr::Create(t)));
        let fragments = if me == 0 { w.random.below(length) } else { 1 + w.random.below(length) };
        for _ in 0..fragments {
            let theme = themes[w.random.below(themes.len())];
            if theme == Theme::Barriers {
                if uses_barrier {
                    w.code.push(Instr::Barrier(0));
                } else {
                    w.fragment(Theme::Variables);
                }
            } else {
                w.fragment(theme);
            }
        }
        for &child in &children {
            if w.random.once_in(3) {
                w.code.push(Instr::Join(child));
            }
        }
        if w.random.once_in(6) {
            w.fragment(Theme::Variables);
        }
        if w.random.once_in(40) {
            w.code.push(Instr::Exit);
        }
        program.threads.push(Code(w.code));
    }
    program
}

impl Writer<'_> {
    fn variable(&mut self) -> usize {
        self.random.below(self.variables)
    }

    fn mutex(&mut self) -> usize {
        self.random.below(self.mutexes)
    }

    fn reg(&mut self) -> Reg {
        2 + self.random.below(2)
    }

    fn value(&mut self) -> Expr {
        match self.random.below(4) {
            0 => Expr::Plus(self.reg(), 1),
            _ => Expr::Const(self.random.below(3) as i64),
        }
    }

    fn rarely(&mut self) -> bool {
        self.random.once_in(8)
    }

    /// `if (expr) { body }`.
    fn when(&mut self, unless: Expr, body: impl FnOnce(&mut Self)) {
        let at = self.code.len();
        self.code.push(Instr::JumpIf(unless, 0));
        body(self);
        let after = self.code.len();
        self.code[at] = Instr::JumpIf(unless, after);
    }

    fn simple(&mut self) {
        let (x, r) = (self.variable(), self.reg());
        let instr = match self.random.below(8) {
            0..=2 => Instr::Load(r, x),
            3..=4 => Instr::Store(x, self.value()),
            5 => Instr::Exchange(r, x, self.value()),
            6 => Instr::FetchAdd(r, x, Expr::Const(1)),
            _ => Instr::CompareExchange(r, x, Expr::Const(self.random.below(2) as i64), self.value()),
        };
        self.code.push(instr);
        if self.rarely() {
            let k = self.random.below(3) as i64;
            let instr =
                if self.rarely() { Instr::Assume(Expr::Differ(r, k)) } else { Instr::Assert(Expr::Differ(r, k)) };
            self.code.push(instr);
        }
    }

    fn fragment(&mut self, theme: Theme) {
        match theme {
            Theme::Variables => self.simple(),
            Theme::Mutexes => self.mutexes(),
            Theme::Conditions => self.conditions(),
            Theme::RwLocks => self.rwlocks(),
            Theme::Semaphores => self.semaphores(),
            Theme::Choices => {
                let (r, n) = (self.reg(), 2 + self.random.below(2) as u32);
                self.code.push(Instr::Choose(r, n));
                let x = self.variable();
                self.code.push(Instr::Store(x, Expr::Reg(r)));
            }
            Theme::Blocks => {
                let r = self.reg();
                let instr = match self.random.below(4) {
                    0 => Instr::Free(0),
                    1 => Instr::WriteBlock(0, self.value()),
                    _ => Instr::ReadBlock(r, 0),
                };
                self.code.push(instr);
            }
            Theme::Barriers => unreachable!("placed by the caller"),
            Theme::Loops => self.waiting_loop(),
        }
    }

    fn mutexes(&mut self) {
        let m = self.mutex();
        let forget = self.random.once_in(12);
        let unlock = |w: &mut Self| {
            if !forget {
                w.code.push(Instr::Unlock(m));
            }
        };
        match self.random.below(6) {
            0 | 1 => {
                self.code.push(Instr::Lock(m));
                self.simple();
                unlock(self);
            }
            2 => {
                self.code.push(Instr::Lock(m));
                let other = (m + 1) % self.mutexes;
                if other != m {
                    self.code.push(Instr::Lock(other));
                    self.simple();
                    self.code.push(Instr::Unlock(other));
                }
                unlock(self);
            }
            3 => {
                self.code.push(Instr::Lock(m));
                unlock(self);
            }
            4 => {
                let r = self.reg();
                self.code.push(Instr::TryLock(r, m));
                self.when(Expr::Equal(r, 0), |w| {
                    w.simple();
                    unlock(w);
                });
            }
            _ => {
                let r = self.reg();
                self.code.push(Instr::TimedLock(r, m));
                self.when(Expr::Equal(r, 0), |w| {
                    w.simple();
                    unlock(w);
                });
            }
        }
    }

    fn conditions(&mut self) {
        let (m, r, x) = (self.mutex(), self.reg(), self.variable());
        match self.random.below(8) {
            0 | 1 => {
                self.code.extend([Instr::Lock(m), Instr::Wait(0, m), Instr::Unlock(m)]);
            }
            2 => {
                self.code.extend([Instr::Lock(m), Instr::Load(r, x)]);
                self.when(Expr::Differ(r, 0), |w| w.code.push(Instr::Wait(0, m)));
                self.code.push(Instr::Unlock(m));
            }
            3 => {
                // What it waited for may have come although its time has run out.
                let seen = (r + 1) % REGISTERS;
                self.code.extend([Instr::Lock(m), Instr::TimedWait(r, 0, m), Instr::Load(seen, x), Instr::Unlock(m)]);
            }
            4 => {
                let value = self.value();
                self.code.extend([Instr::Lock(m), Instr::Store(x, value), Instr::Signal(0), Instr::Unlock(m)]);
            }
            5 => self.code.push(Instr::Signal(0)),
            6 => self.code.extend([Instr::Lock(m), Instr::Broadcast(0), Instr::Unlock(m)]),
            _ => self.code.push(Instr::Broadcast(0)),
        }
    }

    fn rwlocks(&mut self) {
        let forget = self.random.once_in(8);
        let unlock = |w: &mut Self| {
            if !forget {
                w.code.push(Instr::RwUnlock(0));
            }
        };
        let r = self.reg();
        let conditional = match self.random.below(8) {
            0..=2 => Instr::ReadLock(0),
            3 | 4 => Instr::WriteLock(0),
            5 => [Instr::TryReadLock(r, 0), Instr::TryWriteLock(r, 0)][self.random.below(2)],
            _ => [Instr::TimedReadLock(r, 0), Instr::TimedWriteLock(r, 0)][self.random.below(2)],
        };
        self.code.push(conditional);
        match conditional {
            Instr::ReadLock(_) | Instr::WriteLock(_) => {
                if self.random.once_in(2) {
                    self.simple();
                }
                unlock(self);
            }
            _ => self.when(Expr::Equal(r, 0), |w| {
                w.simple();
                unlock(w);
            }),
        }
    }

    fn semaphores(&mut self) {
        let r = self.reg();
        let instr = match self.random.below(8) {
            0..=2 => Instr::Post(0),
            3 | 4 => Instr::SemWait(0),
            5 => Instr::TrySemWait(r, 0),
            6 => Instr::TimedSemWait(r, 0),
            _ => Instr::SemValue(r, 0),
        };
        self.code.push(instr);
        if self.random.once_in(2) {
            self.simple();
        }
    }

    /// Loops that wait for somebody else, and lock by spinning. Registers 0 and 1 are cleared before each round, so that
    /// rounds are alike.
    fn waiting_loop(&mut self) {
        let (x, d) = (self.variable(), self.reg());
        let y = (x + 1) % self.variables;
        let k = self.random.below(3) as i64;
        let start = self.code.len();
        let forget = self.random.once_in(6);
        let back = |w: &mut Self, condition: Expr| w.code.push(Instr::JumpIf(condition, start));
        self.code.extend([Instr::Set(0, Expr::Const(0)), Instr::Set(1, Expr::Const(0))]);
        match self.random.below(9) {
            // while (x != k);
            0 => {
                self.code.push(Instr::Load(0, x));
                back(self, Expr::Differ(0, k));
            }
            // while (x == k);
            1 => {
                self.code.push(Instr::Load(0, x));
                back(self, Expr::Equal(0, k));
            }
            // while (x != 0 || y != 0);
            2 => {
                self.code.push(Instr::Load(0, x));
                back(self, Expr::Differ(0, 0));
                self.code.push(Instr::Load(1, y));
                back(self, Expr::Differ(1, 0));
            }
            // do r = x; while (!cas(x, r, r + 1));
            3 => {
                self.code.push(Instr::Load(0, x));
                self.code.push(Instr::CompareExchange(1, x, Expr::Reg(0), Expr::Plus(0, 1)));
                back(self, Expr::Equal(1, 0));
            }
            // A lock by compare-exchange, by exchange, by test and exchange.
            form @ 4..=6 => {
                if form == 6 {
                    self.code.push(Instr::Load(0, x));
                    back(self, Expr::Differ(0, 0));
                }
                if form == 4 {
                    self.code.push(Instr::CompareExchange(1, x, Expr::Const(0), Expr::Const(1)));
                    back(self, Expr::Equal(1, 0));
                } else {
                    self.code.push(Instr::Exchange(1, x, Expr::Const(1)));
                    back(self, Expr::Differ(1, 0));
                }
                if y != x {
                    self.code.push(Instr::FetchAdd(d, y, Expr::Const(1)));
                }
                if !forget {
                    self.code.push(Instr::Store(x, Expr::Const(0)));
                }
            }
            // while (!trylock(m));
            7 => {
                let m = self.mutex();
                self.code.push(Instr::TryLock(0, m));
                back(self, Expr::Equal(0, 0));
                let value = self.value();
                self.code.push(Instr::Store(x, value));
                if !forget {
                    self.code.push(Instr::Unlock(m));
                }
            }
            // Two looks at x that must agree, with a look at y between.
            _ => {
                self.code.extend([Instr::Load(0, x), Instr::Load(d, y), Instr::Load(1, x)]);
                back(self, Expr::RegsDiffer(0, 1));
            }
        }
        let _ = self.me;
    }
}

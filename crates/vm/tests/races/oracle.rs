//! The detector against a naive one: random programs under random schedules that go back and forth must get the same
//! verdict at every step.
//!
//! The naive one keeps all events of the path, each with the set of all events that happen before it, and compares every
//! new access with every earlier one. What an atomic read reads is looked up byte by byte in the path.

use std::fmt::Write as _;

use threadbare_core::{Ending, Machine, Mark, Operation, Random, Step, Tid};
use threadbare_vm::{FaultKind, SavedState, VmMachine};

use super::walk::{compile, enabled, machine};

const BYTES: usize = 24;
const THREADS: usize = 3;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Order {
    Relaxed,
    Acquire,
    Release,
    AcqRel,
    SeqCst,
}
use Order::*;

impl Order {
    fn acquires(self) -> bool {
        matches!(self, Acquire | AcqRel | SeqCst)
    }

    fn releases(self) -> bool {
        matches!(self, Release | AcqRel | SeqCst)
    }

    fn name(self) -> &'static str {
        match self {
            Relaxed => "__ATOMIC_RELAXED",
            Acquire => "__ATOMIC_ACQUIRE",
            Release => "__ATOMIC_RELEASE",
            AcqRel => "__ATOMIC_ACQ_REL",
            SeqCst => "__ATOMIC_SEQ_CST",
        }
    }
}

/// What a thread does, one after the other.
#[derive(Clone, Copy, Debug)]
enum Do {
    Read(usize, usize),
    Write(usize, usize),
    Copy {
        to: usize,
        from: usize,
        length: usize,
    },
    Load(usize, Order),
    Store(usize, Order),
    Add(usize, Order),
    /// Never succeeds.
    Compare(usize, Order, Order),
    Fence(Order),
    Lock(usize),
    Unlock(usize),
    ReadLock,
    WriteLock,
    RwUnlock,
    Post,
    Wait,
    Barrier,
    Begin,
    End,
    Yield,
}

fn random_plain(random: &mut Random, span: usize) -> Do {
    let n = random.pick(&[1, 2, 4, 8]);
    let at = random.below(span.saturating_sub(n) + 1);
    match random.below(8) {
        0 => {
            let length = 1 + random.below(10);
            Do::Copy { to: random.below(BYTES - length), from: random.below(BYTES - length), length }
        }
        1..=4 => Do::Read(at, n),
        _ => Do::Write(at, n),
    }
}

/// `span`: plain accesses are within the first so many bytes. `rare`: plain accesses are less frequent.
fn random_body(random: &mut Random, span: usize, rare: bool) -> Vec<Do> {
    let word = |random: &mut Random| 4 * random.below(BYTES / 4);
    let mut list = Vec::new();
    let plain = |random: &mut Random, list: &mut Vec<Do>| {
        for _ in 0..random.below(if rare { 2 } else { 3 }) {
            list.push(random_plain(random, span));
        }
    };
    for _ in 0..2 + random.below(5) {
        plain(random, &mut list);
        match random.below(13) {
            0 | 1 => {
                let m = random.below(2);
                list.push(Do::Lock(m));
                plain(random, &mut list);
                list.push(Do::Unlock(m));
            }
            2 => {
                list.push(random.pick(&[Do::ReadLock, Do::WriteLock]));
                plain(random, &mut list);
                list.push(Do::RwUnlock);
            }
            3 => list.push(Do::Post),
            4 => list.push(Do::Wait),
            5 => list.push(Do::Barrier),
            6 => {
                list.push(Do::Begin);
                plain(random, &mut list);
                list.push(Do::End);
            }
            7 => list.push(Do::Fence(random.pick(&[Acquire, Release, AcqRel, SeqCst]))),
            8 => list.push(Do::Load(word(random), random.pick(&[Relaxed, Relaxed, Acquire, SeqCst]))),
            9 => list.push(Do::Store(word(random), random.pick(&[Relaxed, Relaxed, Release, SeqCst]))),
            10 => list.push(Do::Add(word(random), random.pick(&[Relaxed, Acquire, Release, AcqRel, SeqCst]))),
            11 => {
                let success = random.pick(&[Relaxed, AcqRel]);
                list.push(Do::Compare(word(random), success, random.pick(&[Relaxed, Acquire, SeqCst])));
            }
            _ => list.push(Do::Yield),
        }
    }
    plain(random, &mut list);
    list
}

/// Operations of one family and seldom a plain access: here it matters what exactly orders the threads.
fn random_message(random: &mut Random, family: usize) -> Vec<Do> {
    let mut list = Vec::new();
    let plain = |random: &mut Random, list: &mut Vec<Do>| {
        if random.below(3) == 0 {
            let at = random.pick(&[16, 16, 16, 20]);
            list.push(match random.below(5) {
                // Also where the atomics are.
                0 => Do::Read(0, 1),
                1 | 2 => Do::Read(at, 1),
                _ => Do::Write(at, 1),
            });
        }
    };
    for _ in 0..1 + random.below(3) {
        plain(random, &mut list);
        match family {
            0 => {
                let loads = [Do::Load(0, Relaxed), Do::Load(0, Acquire), Do::Add(0, Relaxed), Do::Add(0, AcqRel)];
                let stores = [Do::Store(0, Relaxed), Do::Store(0, Release), Do::Add(0, Release)];
                match random.below(5) {
                    0 => list.extend([Do::Fence(random.pick(&[Release, SeqCst])), random.pick(&stores)]),
                    1 => list.extend([random.pick(&loads), Do::Fence(random.pick(&[Acquire, AcqRel]))]),
                    2 => list.push(random.pick(&loads)),
                    3 => list.push(random.pick(&stores)),
                    _ => list.push(Do::Compare(0, random.pick(&[Relaxed, AcqRel]), random.pick(&[Relaxed, Acquire]))),
                }
            }
            1 => {
                list.push(random.pick(&[Do::ReadLock, Do::ReadLock, Do::WriteLock]));
                plain(random, &mut list);
                list.push(Do::RwUnlock);
            }
            2 => list.push(random.pick(&[Do::Post, Do::Wait, Do::Barrier, Do::Yield])),
            _ => {
                let (enter, leave) = random.pick(&[(Do::Lock(0), Do::Unlock(0)), (Do::Begin, Do::End)]);
                list.push(enter);
                plain(random, &mut list);
                list.push(leave);
            }
        }
    }
    plain(random, &mut list);
    list
}

fn c_of(action: Do) -> String {
    let int = |at: usize| format!("(int *)(mem + {at})");
    let wide = |at: usize, n: usize| format!("*(u{}*)(mem + {at})", 8 * n);
    match action {
        Do::Read(at, n) => format!("s += {}", wide(at, n)),
        Do::Write(at, n) => format!("{} = s", wide(at, n)),
        Do::Copy { to, from, length } => format!("memmove(mem + {to}, mem + {from}, {length})"),
        Do::Load(at, order) => format!("s += __atomic_load_n({}, {})", int(at), order.name()),
        Do::Store(at, order) => format!("__atomic_store_n({}, (int)s, {})", int(at), order.name()),
        Do::Add(at, order) => format!("__atomic_fetch_add({}, 1, {})", int(at), order.name()),
        Do::Compare(at, success, failure) => format!(
            "{{ int e = 0x7eadbeef; __atomic_compare_exchange_n({}, &e, 0, 0, {}, {}); }}",
            int(at),
            success.name(),
            failure.name()
        ),
        Do::Fence(order) => format!("__atomic_thread_fence({})", order.name()),
        Do::Lock(m) => format!("pthread_mutex_lock(&m{m})"),
        Do::Unlock(m) => format!("pthread_mutex_unlock(&m{m})"),
        Do::ReadLock => "pthread_rwlock_rdlock(&rw)".into(),
        Do::WriteLock => "pthread_rwlock_wrlock(&rw)".into(),
        Do::RwUnlock => "pthread_rwlock_unlock(&rw)".into(),
        Do::Post => "sem_post(&sem)".into(),
        Do::Wait => "sem_wait(&sem)".into(),
        Do::Barrier => "pthread_barrier_wait(&barrier)".into(),
        Do::Begin => "tb_atomic_begin()".into(),
        Do::End => "tb_atomic_end()".into(),
        Do::Yield => "sched_yield()".into(),
    }
}

/// The bodies of main and the threads. Main creates them all, then runs its body, then joins them and looks at everything.
fn text_of(bodies: &[Vec<Do>]) -> String {
    let mut text = String::from(
        "#include <pthread.h>\n#include <sched.h>\n#include <semaphore.h>\n#include <stdint.h>\n#include <string.h>\n\
         #include <threadbare.h>\n\
         typedef uint8_t u8; ",
    );
    for n in [16, 32, 64] {
        let _ = write!(text, "typedef uint{n}_t u{n} __attribute__((may_alias, aligned(1))); ");
    }
    let _ = writeln!(
        text,
        "\nstatic char mem[{BYTES}] __attribute__((aligned(8)));\n\
         static pthread_mutex_t m0, m1; static pthread_rwlock_t rw; static sem_t sem; static pthread_barrier_t barrier;"
    );
    let all = format!("u8 copy[{BYTES}]; memcpy(copy, mem, {BYTES}); s += copy[0];");
    for (i, body) in bodies.iter().enumerate().rev() {
        let list: String = body.iter().map(|&action| c_of(action) + ";\n    ").collect();
        if i > 0 {
            let _ = writeln!(text, "static void *t{i}(void *a) {{ uint64_t s = 1; {list}return (void *)s; }}");
        } else {
            let each = |f: &dyn Fn(usize) -> String| (1..bodies.len()).map(f).collect::<String>();
            let _ = writeln!(
                text,
                "int main(void) {{ uint64_t s = 1; pthread_t t[{}]; sem_init(&sem, 0, 1); pthread_barrier_init(&barrier, 0, 2);\n\
                 memset(mem, 1, {BYTES});\n    {}\n    {list}{}\n    {all} return s == 77; }}",
                bodies.len(),
                each(&|k| format!("pthread_create(&t[{k}], 0, t{k}, 0); ")),
                each(&|k| format!("pthread_join(t[{k}], 0); ")),
            );
        }
    }
    text
}

#[derive(Clone, Debug)]
enum What {
    /// From, to, writes, atomic.
    Access {
        from: usize,
        to: usize,
        writes: bool,
        atomic: bool,
        order: Order,
        continues: bool,
    },
    Release(&'static str, usize),
    Fence(Order),
    Nothing,
}

#[derive(Clone, Debug)]
struct Event {
    thread: usize,
    what: What,
    /// All events that happen before it.
    before: Vec<bool>,
}

/// The naive detector.
#[derive(Clone, Default)]
struct Naive {
    events: Vec<Event>,
    /// Where each thread's body goes on.
    next: Vec<usize>,
    /// The event that created each thread, and main's count of creates and joins.
    created_by: Vec<usize>,
    joins: usize,
    generation: usize,
    arrived: usize,
    leaves: Vec<usize>,
}

impl Naive {
    fn last_of(&self, thread: usize) -> Option<usize> {
        self.events.iter().rposition(|e| e.thread == thread)
    }

    /// Adds an event that is ordered after `also` besides its thread's own; whether it is a race with an earlier one.
    fn add(&mut self, thread: usize, what: What, also: &[usize]) -> bool {
        let me = self.events.len();
        let mut before = vec![false; me];
        let own = self.last_of(thread).or_else(|| (thread > 0).then(|| self.created_by[thread - 1]));
        for &p in own.iter().chain(also) {
            before[p] = true;
            for (to, from) in before.iter_mut().zip(&self.events[p].before) {
                *to |= from;
            }
        }
        let mut race = false;
        if let What::Access { from, to, writes, atomic, .. } = what {
            for (i, e) in self.events.iter().enumerate() {
                if let What::Access { from: f, to: t, writes: w, atomic: a, .. } = e.what {
                    race |= e.thread != thread && f < to && from < t && (w || writes) && !(a && atomic) && !before[i];
                }
            }
        }
        self.events.push(Event { thread, what, before });
        race
    }

    fn releases(&self, what: &str, n: usize) -> Vec<usize> {
        let same = |e: &Event| matches!(e.what, What::Release(w, k) if w == what && k == n);
        (0..self.events.len()).filter(|&i| same(&self.events[i])).collect()
    }

    /// The events that an atomic read of these bytes would synchronise with if it acquired, by what it reads.
    fn heads(&self, from: usize, to: usize) -> Vec<usize> {
        let mut heads = Vec::new();
        for byte in from..to {
            for i in (0..self.events.len()).rev() {
                let What::Access { from, to, writes: true, atomic, order, continues } = self.events[i].what else {
                    continue;
                };
                if !(from..to).contains(&byte) {
                    continue;
                }
                if !atomic {
                    break;
                }
                if order.releases() {
                    heads.push(i);
                } else {
                    let thread = self.events[i].thread;
                    let fence = |e: &Event| e.thread == thread && matches!(e.what, What::Fence(o) if o.releases());
                    heads.extend(self.events[..i].iter().rposition(fence));
                }
                if !continues {
                    break;
                }
            }
        }
        heads
    }

    /// What a thread's earlier atomic reads have read.
    fn pending(&self, thread: usize) -> Vec<usize> {
        let mut heads = Vec::new();
        for i in 0..self.events.len() {
            let Event { thread: t, what: What::Access { from, to, atomic: true, writes, continues, .. }, .. } =
                self.events[i]
            else {
                continue;
            };
            if t == thread && (!writes || continues) {
                let past = Naive { events: self.events[..i].to_vec(), ..Naive::default() };
                heads.extend(past.heads(from, to));
            }
        }
        heads
    }

    fn plain(&mut self, thread: usize, from: usize, length: usize, writes: bool) -> bool {
        let to = from + length;
        self.add(thread, What::Access { from, to, writes, atomic: false, order: Relaxed, continues: false }, &[])
    }

    fn atomic(&mut self, thread: usize, from: usize, reads: bool, writes: bool, order: Order) -> bool {
        let also = if reads && order.acquires() { self.heads(from, from + 4) } else { Vec::new() };
        let what = What::Access { from, to: from + 4, writes, atomic: true, order, continues: reads && writes };
        self.add(thread, what, &also)
    }

    /// The thread's plain accesses up to its next visible operation.
    fn run_plain(&mut self, thread: usize, body: &[Do]) -> bool {
        while let Some(&action) = body.get(self.next[thread]) {
            let race = match action {
                Do::Read(at, n) => self.plain(thread, at, n, false),
                Do::Write(at, n) => self.plain(thread, at, n, true),
                Do::Copy { to, from, length } => {
                    self.plain(thread, from, length, false) || self.plain(thread, to, length, true)
                }
                _ => return false,
            };
            self.next[thread] += 1;
            if race {
                return true;
            }
        }
        false
    }

    /// The thread's next visible operation, as the machine names it, and what follows it in the same step.
    fn step(&mut self, thread: usize, operation: Operation, bodies: &[Vec<Do>]) -> bool {
        let body = &bodies[thread];
        match operation {
            Operation::ThreadCreate => {
                self.add(thread, What::Nothing, &[]);
                self.created_by.push(self.events.len() - 1);
                return self.created_by.len() == bodies.len() - 1 && self.run_plain(thread, body);
            }
            Operation::ThreadJoin => {
                self.joins += 1;
                let last = self.last_of(self.joins).unwrap_or(self.created_by[self.joins - 1]);
                self.add(thread, What::Nothing, &[last]);
                return self.joins == bodies.len() - 1 && self.plain(thread, 0, BYTES, false);
            }
            // A new thread begins with its body.
            Operation::Start if thread > 0 => return self.run_plain(thread, body),
            Operation::BarrierLeave => {
                let generation = self.leaves[thread];
                let also = self.releases("barrier", generation);
                self.add(thread, What::Nothing, &also);
                return self.run_plain(thread, body);
            }
            Operation::Start | Operation::ThreadEnd | Operation::Exit => return false,
            Operation::SemInit | Operation::BarrierInit => return false,
            _ => {}
        }
        let action = body[self.next[thread]];
        self.next[thread] += 1;
        let held = |naive: &Naive, what: &'static str, n: usize| naive.releases(what, n);
        let race = match action {
            Do::Load(at, order) => self.atomic(thread, at, true, false, order),
            Do::Store(at, order) => self.atomic(thread, at, false, true, order),
            Do::Add(at, order) => self.atomic(thread, at, true, true, order),
            Do::Compare(at, _, failure) => self.atomic(thread, at, true, false, failure),
            Do::Fence(order) => {
                let also = if order.acquires() { self.pending(thread) } else { Vec::new() };
                self.add(thread, What::Fence(order), &also)
            }
            Do::Lock(m) => self.add(thread, What::Nothing, &held(self, "mutex", m)),
            Do::Unlock(m) => self.add(thread, What::Release("mutex", m), &[]),
            Do::ReadLock => self.add(thread, What::Nothing, &held(self, "written", 0)),
            Do::WriteLock => {
                let also = [held(self, "written", 0), held(self, "read", 0)].concat();
                self.add(thread, What::Nothing, &also)
            }
            Do::RwUnlock => {
                let lock = body[..self.next[thread]].iter().rev().find(|a| matches!(a, Do::ReadLock | Do::WriteLock));
                let what = if matches!(lock, Some(Do::WriteLock)) { "written" } else { "read" };
                self.add(thread, What::Release(what, 0), &[])
            }
            Do::Post => self.add(thread, What::Release("sem", 0), &[]),
            Do::Wait => self.add(thread, What::Nothing, &held(self, "sem", 0)),
            Do::Barrier => {
                assert_eq!(operation, Operation::BarrierArrive);
                self.leaves[thread] = self.generation;
                let race = self.add(thread, What::Release("barrier", self.generation), &[]);
                self.arrived += 1;
                if self.arrived == 2 {
                    self.arrived = 0;
                    self.generation += 1;
                }
                // It goes on only when it leaves.
                return race;
            }
            Do::Begin => self.add(thread, What::Nothing, &held(self, "block", 0)),
            Do::End => self.add(thread, What::Release("block", 0), &[]),
            Do::Yield => false,
            _ => unreachable!("a plain access is no step of its own: {action:?} {operation:?}"),
        };
        let mut race = race || self.run_plain(thread, body);
        // A block is one step.
        if matches!(action, Do::Begin) {
            while !race {
                let ends = matches!(body[self.next[thread]], Do::End);
                race = self.step(thread, Operation::Load, bodies);
                if ends {
                    break;
                }
            }
        }
        race
    }
}

struct Point {
    mark: Mark,
    naive: Naive,
    state: SavedState,
}

/// Random steps with marks and returns. Gives how many steps and races there were.
fn walk(machine: &mut VmMachine, bodies: &[Vec<Do>], moves: usize, random: &mut Random) -> (usize, usize) {
    let fresh = Naive { next: vec![0; bodies.len()], leaves: vec![0; bodies.len()], ..Naive::default() };
    let mut naive = fresh;
    let mut points = vec![Point { mark: machine.mark(), naive: naive.clone(), state: machine.save() }];
    let (mut steps, mut races) = (0, 0);
    let mut log = Vec::new();
    for _ in 0..moves {
        let choices = enabled(machine);
        let what = random.below(12);
        if what == 0 && random.below(6) == 0 {
            // Not back along the path, but by a saved state.
            let Point { naive: then, state, .. } = points.swap_remove(random.below(points.len()));
            machine.restore(&state);
            assert_eq!(machine.save().difference(&state), None);
            naive = then.clone();
            points = vec![Point { mark: machine.mark(), naive: then, state }];
            log.clear();
            continue;
        }
        if what == 0 || choices.is_empty() {
            let to = random.below(points.len());
            points.truncate(to + 1);
            machine.rewind(points[to].mark);
            naive = points[to].naive.clone();
            assert_eq!(machine.save().difference(&points[to].state), None);
            log.clear();
            continue;
        }
        if what == 1 {
            points.push(Point { mark: machine.mark(), naive: naive.clone(), state: machine.save() });
            continue;
        }
        let (tid, choice) = choices[random.below(choices.len())];
        let operation = machine.all_pending().iter().find(|p| p.tid == tid).expect("pending").operation;
        let thread = number(machine, tid);
        log.push((thread, operation));
        steps += 1;
        let expected = naive.step(thread, operation, bodies);
        let ended = machine.step(tid, choice) == Step::Ended;
        let found = match machine.ending() {
            Some(Ending::Error(fault)) => {
                assert_eq!(fault.kind, FaultKind::DataRace, "{}", fault.message);
                true
            }
            _ => false,
        };
        assert!(!found || ended);
        races += usize::from(found);
        assert_eq!(
            found,
            expected,
            "{:?}\nsince the last return: {log:?}\n{:#?}",
            machine.ending(),
            naive.events.iter().map(|e| (e.thread, &e.what)).collect::<Vec<_>>()
        );
    }
    (steps, races)
}

/// 0 for main, k + 1 for its k-th child.
fn number(machine: &VmMachine, tid: Tid) -> usize {
    let name = machine.names().name(tid).to_string();
    name.split('.').nth(1).map_or(0, |k| k.parse::<usize>().expect("a number") + 1)
}

#[test]
fn the_naive_detector_agrees() {
    let programs = std::env::var("RACE_PROGRAMS").ok().and_then(|n| n.parse().ok()).unwrap_or(60);
    let first = std::env::var("RACE_SEED").ok().and_then(|n| n.parse().ok()).unwrap_or(0);
    let (mut steps, mut races) = (0, 0);
    for seed in first..first + programs {
        let mut random = Random::new(seed * 1_000_003 + 17);
        let span = random.pick(&[8, 16, BYTES]);
        let rare = random.below(2) == 0;
        let threads = 1 + random.below(THREADS);
        let family = random.below(12);
        let body = |_| match family {
            0..4 => random_message(&mut random, 0),
            4..7 => random_message(&mut random, 1),
            7 => random_message(&mut random, 2),
            8 => random_message(&mut random, 3),
            _ => random_body(&mut random, span, rare),
        };
        let bodies: Vec<Vec<Do>> = (0..=threads).map(body).collect();
        let text = text_of(&bodies);
        let program = compile(&text, 0);
        for round in 0..16 {
            let mut machine = machine(&program, round % 2 == 1);
            let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                walk(&mut machine, &bodies, 250, &mut random)
            }));
            let Ok((s, r)) = result else { panic!("program of seed {seed}:\n{text}") };
            steps += s;
            races += r;
        }
    }
    println!("{steps} steps, {races} races");
    assert!(races > programs as usize && steps > 10 * races, "{steps} steps, {races} races: not a fair mixture");
}

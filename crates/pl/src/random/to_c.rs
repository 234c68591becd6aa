//! The same program as C.

use std::fmt::Write;

use super::program::{Cells, Expr, Instr, Order, Program, REGISTERS};

fn expr(e: Expr) -> String {
    match e {
        Expr::Const(value) => value.to_string(),
        Expr::Reg(r) => format!("r{r}"),
        Expr::Plus(r, value) => format!("((r{r} + {value} + 3) % 3)"),
        Expr::Equal(r, value) => format!("(r{r} == {value})"),
        Expr::Differ(r, value) => format!("(r{r} != {value})"),
        Expr::RegsDiffer(a, b) => format!("(r{a} != r{b})"),
    }
}

fn order_name(order: Order) -> &'static str {
    match order {
        Order::Relaxed => "memory_order_relaxed",
        Order::Acquire => "memory_order_acquire",
        Order::Release => "memory_order_release",
        Order::AcqRel => "memory_order_acq_rel",
        Order::SeqCst => "memory_order_seq_cst",
    }
}

/// A call of `stdatomic.h`, with its orders where they are not those of the short form.
fn atomic(name: &str, arguments: &str, orders: &[Order]) -> String {
    if orders.iter().all(|&order| order == Order::SeqCst) {
        return format!("atomic_{name}({arguments})");
    }
    let orders: Vec<&str> = orders.iter().map(|&order| order_name(order)).collect();
    format!("atomic_{name}_explicit({arguments}, {})", orders.join(", "))
}

/// What a plain access touches, as something of one type.
fn place(cells: Cells) -> String {
    match cells {
        Cells::Data(first, 1) => format!("data[{first}]"),
        Cells::Data(first, n) => format!("*(word{n} *)(data + {first})"),
        Cells::Variable(x) => format!("*(long *)&x{x}"),
        Cells::Block(b) => format!("*(long *)h{b}"),
    }
}

fn statement(instr: Instr, order: Order) -> String {
    use Instr::*;
    let late = "&(struct timespec){0, 0}";
    match instr {
        Load(r, x) => format!("r{r} = {};", atomic("load", &format!("&x{x}"), &[order])),
        Store(x, e) => format!("{};", atomic("store", &format!("&x{x}, {}", expr(e)), &[order])),
        Exchange(r, x, e) => {
            format!("r{r} = {};", atomic("exchange", &format!("&x{x}, {}", expr(e)), &[order]))
        }
        // Modulo 3 like the model: the sum comes by itself from a compare-exchange that is atomic with the load.
        FetchAdd(r, x, e) => {
            format!("tb_atomic_begin(); r{r} = x{x}; x{x} = (r{r} + {} + 3) % 3; tb_atomic_end();", expr(e))
        }
        CompareExchange(r, x, old, new) => {
            let arguments = format!("&x{x}, &e, {}", expr(new));
            let call = atomic("compare_exchange_strong", &arguments, &[order, order.of_failure()]);
            format!("{{ long e = {}; r{r} = {call}; }}", expr(old))
        }
        Lock(m) => format!("pthread_mutex_lock(&m{m});"),
        Unlock(m) => format!("pthread_mutex_unlock(&m{m});"),
        TryLock(r, m) => format!("r{r} = pthread_mutex_trylock(&m{m}) == 0;"),
        TimedLock(r, m) => format!("r{r} = pthread_mutex_timedlock(&m{m}, {late}) == 0;"),
        Wait(c, m) => format!("pthread_cond_wait(&c{c}, &m{m});"),
        TimedWait(r, c, m) => format!("r{r} = pthread_cond_timedwait(&c{c}, &m{m}, {late}) == 0;"),
        Signal(c) => format!("pthread_cond_signal(&c{c});"),
        Broadcast(c) => format!("pthread_cond_broadcast(&c{c});"),
        ReadLock(l) => format!("pthread_rwlock_rdlock(&l{l});"),
        WriteLock(l) => format!("pthread_rwlock_wrlock(&l{l});"),
        TryReadLock(r, l) => format!("r{r} = pthread_rwlock_tryrdlock(&l{l}) == 0;"),
        TryWriteLock(r, l) => format!("r{r} = pthread_rwlock_trywrlock(&l{l}) == 0;"),
        TimedReadLock(r, l) => format!("r{r} = pthread_rwlock_timedrdlock(&l{l}, {late}) == 0;"),
        TimedWriteLock(r, l) => format!("r{r} = pthread_rwlock_timedwrlock(&l{l}, {late}) == 0;"),
        RwUnlock(l) => format!("pthread_rwlock_unlock(&l{l});"),
        Post(s) => format!("sem_post(&s{s});"),
        SemWait(s) => format!("sem_wait(&s{s});"),
        TrySemWait(r, s) => format!("r{r} = sem_trywait(&s{s}) == 0;"),
        TimedSemWait(r, s) => format!("r{r} = sem_timedwait(&s{s}, {late}) == 0;"),
        SemValue(r, s) => format!("{{ int value; sem_getvalue(&s{s}, &value); r{r} = value; }}"),
        Barrier(b) => format!("pthread_barrier_wait(&b{b});"),
        Create(t) => format!("pthread_create(&t{t}, NULL, thread{t}, NULL);"),
        Join(t) => format!("pthread_join(t{t}, NULL);"),
        Choose(r, n) => format!("r{r} = tb_choose(0, {});", n - 1),
        ReadBlock(r, b) => format!("r{r} = {};", atomic("load", &format!("h{b}"), &[order])),
        WriteBlock(b, e) => format!("{};", atomic("store", &format!("h{b}, {}", expr(e)), &[order])),
        Free(b) => format!("free(h{b});"),
        Fence => format!("atomic_thread_fence({});", order_name(order)),
        Exit => "exit(0);".into(),
        Read(r, cells) => {
            let bytes = if let Cells::Data(_, n) = cells { n } else { 1 };
            let sum: Vec<String> = (0..bytes).map(|i| format!("(w >> {} & 255)", 8 * i)).collect();
            format!("{{ unsigned long w = {}; r{r} = ({}) % 3; }}", place(cells), sum.join(" + "))
        }
        Write(cells, e) => {
            let bytes = if let Cells::Data(_, n) = cells { n } else { 1 };
            let ones = (0..bytes).fold(0u64, |ones, _| ones << 8 | 1);
            format!("{} = {ones:#x}u * {};", place(cells), expr(e))
        }
        Set(r, e) => format!("r{r} = {};", expr(e)),
        JumpIf(e, to) => format!("if ({}) goto L{to};", expr(e)),
        Assert(e) => format!("assert({});", expr(e)),
        Assume(e) => format!("tb_assume({});", expr(e)),
    }
}

pub fn to_c(program: &Program) -> String {
    let mut c = String::from(
        "#define _GNU_SOURCE\n#include <assert.h>\n#include <pthread.h>\n#include <semaphore.h>\n#include <stdatomic.h>\n#include <stdlib.h>\n\
         #include <threadbare.h>\n#include <time.h>\n\n",
    );
    let put = |c: &mut String, line: String| {
        c.push_str(&line);
        c.push('\n');
    };
    for (i, value) in program.variables.iter().enumerate() {
        put(&mut c, format!("_Atomic long x{i} = {value};"));
    }
    for i in 0..program.mutexes {
        let kind = if program.error_checks { "ERRORCHECK_MUTEX_INITIALIZER_NP" } else { "MUTEX_INITIALIZER" };
        put(&mut c, format!("pthread_mutex_t m{i} = PTHREAD_{kind};"));
    }
    for i in 0..program.conditions {
        put(&mut c, format!("pthread_cond_t c{i} = PTHREAD_COND_INITIALIZER;"));
    }
    for i in 0..program.rwlocks {
        put(&mut c, format!("pthread_rwlock_t l{i} = PTHREAD_RWLOCK_INITIALIZER;"));
    }
    for i in 0..program.semaphores.len() {
        put(&mut c, format!("sem_t s{i};"));
    }
    for i in 0..program.barriers.len() {
        put(&mut c, format!("pthread_barrier_t b{i};"));
    }
    for i in 0..program.blocks {
        put(&mut c, format!("_Atomic long *h{i};"));
    }
    if program.data > 0 {
        put(&mut c, "typedef unsigned short __attribute__((may_alias)) word2;".into());
        put(&mut c, "typedef unsigned int __attribute__((may_alias)) word4;".into());
        put(
            &mut c,
            if program.data_on_heap { "unsigned char *data;" } else { "_Alignas(8) unsigned char data[8];" }.into(),
        );
    }
    for t in 0..program.threads.len() {
        put(&mut c, format!("pthread_t t{t};\nlong result{t}[{REGISTERS}];\nvoid *thread{t}(void *);"));
    }
    for (t, code) in program.threads.iter().enumerate() {
        let _ = write!(c, "\nvoid *thread{t}(void *unused) {{\n    (void)unused;\n    long ");
        let names: Vec<String> = (0..REGISTERS).map(|r| format!("r{r} = 0")).collect();
        put(&mut c, format!("{};", names.join(", ")));
        let targets: Vec<usize> =
            code.0.iter().filter_map(|i| if let Instr::JumpIf(_, to) = i { Some(*to) } else { None }).collect();
        // What loops count must not matter if nobody reads it.
        let counts = |i: usize| matches!(code.0[i], Instr::JumpIf(_, to) if to <= i && i.is_multiple_of(2));
        if (0..code.0.len()).any(counts) {
            put(&mut c, "    unsigned rounds = 0;".into());
        }
        for (i, &instr) in code.0.iter().enumerate() {
            if targets.contains(&i) {
                put(&mut c, format!("L{i}:;"));
            }
            let counted = if counts(i) { "rounds++; " } else { "" };
            put(&mut c, format!("    {counted}{}", statement(instr, program.order(t, i))));
        }
        if targets.contains(&code.0.len()) {
            put(&mut c, format!("L{}:;", code.0.len()));
        }
        for r in 0..REGISTERS {
            put(&mut c, format!("    result{t}[{r}] = r{r};"));
        }
        put(&mut c, "    return NULL;\n}".into());
    }
    if !program.never.is_empty() {
        let values: Vec<String> = program.never.iter().map(|(x, value)| format!("x{x} == {value}")).collect();
        put(&mut c, format!("\nint invariant(void) {{ return !({}); }}", values.join(" && ")));
    }
    c.push_str("\nint main(void) {\n");
    for (i, value) in program.semaphores.iter().enumerate() {
        put(&mut c, format!("    sem_init(&s{i}, 0, {value});"));
    }
    for (i, value) in program.barriers.iter().enumerate() {
        put(&mut c, format!("    pthread_barrier_init(&b{i}, NULL, {value});"));
    }
    for i in 0..program.blocks {
        put(&mut c, format!("    h{i} = calloc(1, sizeof *h{i});"));
    }
    if program.data_on_heap {
        put(&mut c, "    data = calloc(1, 8);".into());
    }
    c.push_str("    thread0(NULL);\n    pthread_exit(NULL);\n}\n");
    c
}

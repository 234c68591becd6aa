//! Stories made by hand, as a machine would tell them: steps, values, stacks; clocks follow from what the steps touch.

use threadbare_core::{
    Chosen, Findings, Mode, Operation, Place, Schedule, ScheduleStep, Space, Story, StoryAccess, StoryBug, StoryObject,
    StoryStep, StoryThread, StoryWitness, Then, ThreadName, Verdict,
};
use threadbare_report::Sources;

pub struct Teller {
    file: String,
    source: String,
    pub story: Story,
}

impl Teller {
    pub fn new(file: &str, source: &str) -> Self {
        let mut teller = Teller { file: file.into(), source: source.into(), story: Story::default() };
        teller.thread("0", "main");
        teller.story.occurrences = 1;
        teller
    }

    pub fn sources(&self) -> Sources {
        Sources::default().with(&self.file, &self.source)
    }

    pub fn source(&self) -> &str {
        &self.source
    }

    pub fn thread(&mut self, name: &str, start: &str) -> usize {
        let name = ThreadName::parse(name).expect("a name");
        self.story.threads.push(StoryThread { name, start: start.into() });
        self.story.threads.len() - 1
    }

    /// The first line that contains `code`, at its column.
    pub fn place(&self, function: &str, code: &str) -> Place {
        let mut lines = self.source.lines().enumerate();
        let found = lines.find_map(|(i, line)| line.find(code).map(|at| (i, at)));
        let (line, column) = found.unwrap_or_else(|| panic!("no line with {code}"));
        Place { file: self.file.clone(), line: line as u32 + 1, column: column as u32 + 1, function: function.into() }
    }

    pub fn step(&mut self, thread: usize, operation: Operation, code: &str) -> &mut StoryStep {
        let function = self.story.threads[thread].start.clone();
        let place = self.place(&function, code);
        self.story.steps.push(StoryStep {
            thread,
            operation,
            chosen: Chosen::Number(0),
            choices: 1,
            stack: vec![place],
            objects: Vec::new(),
            plain: Vec::new(),
            affects: Vec::new(),
            then: Then::GoesOn,
            preempts: false,
            output: String::new(),
            clock: Vec::new(),
        });
        self.story.steps.last_mut().expect("just told")
    }

    pub fn create(&mut self, thread: usize, code: &str, child: usize) {
        let step = self.step(thread, Operation::ThreadCreate, code);
        step.affects = vec![child];
    }

    pub fn memory(
        &mut self,
        thread: usize,
        operation: Operation,
        code: &str,
        (name, before, after): (&str, &str, &str),
    ) -> &mut StoryStep {
        let mode = if operation == Operation::Load { Mode::Read } else { Mode::Write };
        let step = self.step(thread, operation, code);
        step.objects = vec![object(name, Space::Memory, mode, before, after)];
        step
    }

    pub fn mutex(&mut self, thread: usize, operation: Operation, code: &str, name: &str) -> &mut StoryStep {
        let step = self.step(thread, operation, code);
        step.objects = vec![object(name, Space::Mutex, Mode::Write, "", "")];
        step
    }

    /// A plain access of the local code behind the last step.
    pub fn plain(&mut self, code: &str, (name, before, after): (&str, &str, &str)) {
        let step = self.story.steps.last().expect("a step");
        let place = self.place(&step.stack[0].function, code);
        let mode = if after.is_empty() { Mode::Read } else { Mode::Write };
        let object = object(name, Space::Memory, mode, before, after);
        self.story.steps.last_mut().expect("a step").plain.push(StoryAccess { place, object });
    }

    pub fn bug(&mut self, kind: &str, message: &str, thread: Option<usize>, at: Option<Place>) -> &mut StoryBug {
        self.story.bug = Some(StoryBug {
            kind: kind.into(),
            message: message.into(),
            thread,
            stack: at.into_iter().collect(),
            witnesses: Vec::new(),
            notes: Vec::new(),
            locals: Vec::new(),
        });
        self.story.bug.as_mut().expect("just told")
    }

    pub fn witness(&mut self, thread: usize, what: &str, code: &str, step: Option<usize>, waits_for: Option<usize>) {
        let place = self.place(&self.story.threads[thread].start.clone(), code);
        let witness = StoryWitness { thread, what: what.into(), stack: vec![place], step, waits_for };
        self.story.bug.as_mut().expect("a bug").witnesses.push(witness);
    }

    /// Clocks and the schedule, from the steps.
    pub fn done(mut self) -> Self {
        let threads = self.story.threads.len();
        let mut clocks: Vec<Vec<u32>> = Vec::new();
        for i in 0..self.story.steps.len() {
            let step = &self.story.steps[i];
            let mut clock = vec![0; threads];
            for (j, other) in self.story.steps[..i].iter().enumerate() {
                let conflicts = objects(step).any(|a| {
                    objects(other).any(|b| a.space == b.space && a.name == b.name && a.mode.conflicts(b.mode))
                });
                let creates = other.affects.contains(&step.thread);
                if other.thread == step.thread || conflicts || creates {
                    clock.iter_mut().zip(&clocks[j]).for_each(|(new, old)| *new = (*new).max(*old));
                }
            }
            clock[step.thread] += 1;
            clocks.push(clock);
        }
        for (step, clock) in self.story.steps.iter_mut().zip(clocks) {
            step.clock = clock;
        }
        let names = |step: &StoryStep| self.story.threads[step.thread].name.clone();
        let steps = self.story.steps.iter().map(|s| ScheduleStep { thread: names(s), chosen: s.chosen.clone() });
        self.story.schedule = Schedule(steps.collect());
        self
    }
}

fn objects(step: &StoryStep) -> impl Iterator<Item = &StoryObject> {
    step.objects.iter().chain(step.plain.iter().map(|access| &access.object))
}

pub fn object(name: &str, space: Space, mode: Mode, before: &str, after: &str) -> StoryObject {
    let value = |text: &str| (!text.is_empty()).then(|| text.to_string());
    StoryObject { name: name.into(), space, mode, before: value(before), after: value(after) }
}

/// A lost update: two threads add one, the sum is one.
pub fn lost_update() -> Teller {
    use Operation::*;
    let source = "\
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int count;

static void *worker(void *unused)
{
    int seen = count;
    count = seen + 1;
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, worker, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(count == 2);
    return 0;
}
";
    let mut t = Teller::new("examples/counter.c", source);
    let a = t.thread("0.0", "worker");
    let b = t.thread("0.1", "worker");
    t.create(0, "pthread_create", a);
    t.create(0, "pthread_create", b);
    t.step(a, Start, "static void *worker");
    t.memory(a, Load, "seen = count", ("count", "0", "0"));
    t.step(b, Start, "static void *worker").preempts = true;
    t.memory(b, Load, "seen = count", ("count", "0", "0"));
    t.memory(b, Store, "count = seen + 1", ("count", "0", "1"));
    t.step(b, ThreadEnd, "return unused").then = Then::Ended;
    t.memory(a, Store, "count = seen + 1", ("count", "1", "1"));
    t.step(a, ThreadEnd, "return unused").then = Then::Ended;
    for name in ["thread 0.0", "thread 0.1"] {
        t.step(0, ThreadJoin, "pthread_join").objects = vec![object(name, Space::Thread, Mode::Read, "", "")];
    }
    t.memory(0, Load, "assert(count", ("count", "1", "1")).then = Then::Failed;
    let at = t.place("main", "assert(count");
    t.bug("assertion", "assertion `count == 2` failed", Some(0), Some(at));
    t.done()
}

/// A check and an act in two critical sections: the values are plain, only the locks are steps.
pub fn check_then_act() -> Teller {
    use Operation::*;
    let source = "\
struct account { pthread_mutex_t lock; long balance; };
static struct account account;

static bool covers(long amount)
{
    pthread_mutex_lock(&account.lock);
    bool enough = account.balance >= amount;
    pthread_mutex_unlock(&account.lock);
    return enough;
}

static void take(long amount)
{
    pthread_mutex_lock(&account.lock); // to take
    account.balance -= amount;
    assert(account.balance >= 0);
    pthread_mutex_unlock(&account.lock); // taken
}

static void *customer(void *unused)
{
    if (covers(60))
        take(60);
    return unused;
}

int main(void)
{
    account.balance = 100;
    pthread_create(&a, NULL, customer, NULL);
    pthread_create(&b, NULL, customer, NULL); // b
    pthread_join(a, NULL);
}
";
    let mut t = Teller::new("examples/bank.c", source);
    let a = t.thread("0.0", "customer");
    let b = t.thread("0.1", "customer");
    t.create(0, "pthread_create(&a", a);
    t.create(0, "pthread_create(&b", b);
    for thread in [a, b] {
        t.step(thread, Start, "static void *customer").preempts = thread == b;
        t.mutex(thread, MutexLock, "pthread_mutex_lock(&account.lock);", "account.lock");
        t.plain("enough = account.balance", ("account.balance", "100", ""));
        t.mutex(thread, MutexUnlock, "pthread_mutex_unlock(&account.lock);", "account.lock");
    }
    t.mutex(b, MutexLock, "lock); // to take", "account.lock");
    t.plain("account.balance -=", ("account.balance", "100", ""));
    t.plain("account.balance -=", ("account.balance", "100", "40"));
    t.plain("assert(account", ("account.balance", "40", ""));
    t.mutex(b, MutexUnlock, "lock); // taken", "account.lock");
    t.step(b, ThreadEnd, "return unused").then = Then::Ended;
    t.mutex(a, MutexLock, "lock); // to take", "account.lock").then = Then::Failed;
    t.plain("account.balance -=", ("account.balance", "40", ""));
    t.plain("account.balance -=", ("account.balance", "40", "-20"));
    t.plain("assert(account", ("account.balance", "-20", ""));
    let at = t.place("take", "assert(account");
    let caller = t.place("customer", "take(60)");
    let bug = t.bug("assertion", "assertion `account.balance >= 0` failed", Some(a), Some(at));
    bug.stack.push(caller);
    bug.locals = vec![("amount".into(), "60".into())];
    t.story.occurrences = 2;
    t.done()
}

/// Philosophers, each with the left fork in hand.
pub fn philosophers(count: usize) -> Teller {
    use Operation::*;
    let source = "\
static pthread_mutex_t forks[N];

static void *dine(void *argument)
{
    int seat = *(int *)argument;
    pthread_mutex_lock(&forks[seat]);
    pthread_mutex_lock(&forks[(seat + 1) % N]);
    printf(\"philosopher %d eats\\n\", seat);
    pthread_mutex_unlock(&forks[(seat + 1) % N]);
    pthread_mutex_unlock(&forks[seat]);
    return NULL;
}

int main(void)
{
    for (int i = 0; i < N; i++)
        pthread_create(&table[i], NULL, dine, &seats[i]);
    for (int i = 0; i < N; i++)
        pthread_join(table[i], NULL);
}
";
    let mut t = Teller::new("examples/philosophers.c", source);
    let all: Vec<usize> = (0..count).map(|i| t.thread(&format!("0.{i}"), "dine")).collect();
    for &thread in &all {
        t.create(0, "pthread_create", thread);
    }
    t.story.steps.last_mut().expect("created").then = Then::Waits("the end of thread 0.0".into());
    for (i, &thread) in all.iter().enumerate() {
        t.step(thread, Start, "static void *dine").preempts = i > 0;
        let fork = format!("forks[{i}]");
        let then = match i + 1 == count {
            true => Then::Waits("mutex `forks[0]`, held by thread 0.0".into()),
            false => Then::GoesOn,
        };
        t.mutex(thread, MutexLock, "pthread_mutex_lock(&forks[seat])", &fork).then = then;
    }
    t.bug("deadlock", &format!("all {} threads wait for ever", count + 1), None, None);
    t.witness(0, "waits for the end of thread 0.0", "pthread_join", None, Some(all[0]));
    for (i, &thread) in all.iter().enumerate() {
        let next = (i + 1) % count;
        let what = format!("waits for mutex `forks[{next}]`, held by thread 0.{next}");
        t.witness(thread, &what, "pthread_mutex_lock(&forks[(seat", None, Some(all[next]));
    }
    t.done()
}

/// A flag that is written without a lock.
pub fn race() -> Teller {
    use Operation::*;
    let source = "\
static bool ready;
static int value;

static void publish(int v)
{
\tvalue = v; /* naïve: 漢字 */
\tready = true;
}

static void *producer(void *unused)
{
    pthread_mutex_lock(&lock);
    publish(42);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_create(&t, NULL, producer, NULL);
    if (ready)
        printf(\"%d\\n\", value);
}
";
    let mut t = Teller::new("examples/publish.c", source);
    let a = t.thread("0.0", "producer");
    t.create(0, "pthread_create", a);
    t.step(a, Start, "static void *producer").preempts = true;
    t.mutex(a, MutexLock, "pthread_mutex_lock", "lock");
    let at = t.place("main", "if (ready)");
    t.bug(
        "data-race",
        "thread 0.0 writes `ready` and thread 0 reads it, with nothing that orders the two",
        Some(0),
        Some(at),
    );
    t.witness(0, "reads `ready`", "if (ready)", Some(0), None);
    t.witness(a, "writes `ready`", "ready = true", Some(2), None);
    let call = t.place("producer", "publish(42)");
    let bug = t.story.bug.as_mut().expect("a bug");
    bug.witnesses[1].stack[0].function = "publish".into();
    bug.witnesses[1].stack.push(call);
    bug.notes = vec!["global `ready` of 1 byte, defined at examples/publish.c:1".into()];
    t.done()
}

pub fn use_after_free() -> Teller {
    use Operation::*;
    let source = "\
static void *sum(void *argument)
{
    struct job *job = argument;
    job->answer = job->from + job->to;
    sem_post(&done);
    free(job);
    return NULL;
}

int main(void)
{
    struct job *job = calloc(1, sizeof *job);
    pthread_create(&worker, NULL, sum, job);
    sem_wait(&done);
    printf(\"the answer is %ld\\n\", job->answer);
}
";
    let mut t = Teller::new("job.c", source);
    let a = t.thread("0.0", "sum");
    t.create(0, "pthread_create", a);
    t.story.steps[0].then = Then::Waits("semaphore `done`".into());
    t.step(a, Start, "static void *sum");
    let step = t.step(a, SemPost, "sem_post");
    step.objects = vec![object("done", Space::Semaphore, Mode::Add, "0", "1")];
    step.affects = vec![0];
    t.step(a, Free, "free(job)").objects = vec![object("*job", Space::Memory, Mode::Write, "", "")];
    t.step(a, ThreadEnd, "return NULL").then = Then::Ended;
    let step = t.step(0, SemWait, "sem_wait");
    step.objects = vec![object("done", Space::Semaphore, Mode::Write, "1", "0")];
    step.then = Then::Failed;
    let at = t.place("main", "job->answer);");
    let bug = t.bug("use-after-free", "read of 8 bytes in a heap object that has been freed", Some(0), Some(at));
    bug.notes = vec![
        "the heap object of 24 bytes was allocated at job.c:12 in `main`".into(),
        "it was freed at job.c:6 in `sum`".into(),
    ];
    bug.locals = vec![("worker".into(), "thread 0.0".into())];
    t.done()
}

pub fn livelock() -> Teller {
    use Operation::*;
    let source = "\
static atomic_bool go;

static void *waiter(void *unused)
{
    while (!go)
        ;
    return unused;
}

int main(void)
{
    pthread_create(&t, NULL, waiter, NULL);
    pthread_join(t, NULL);
}
";
    let mut t = Teller::new("spin.c", source);
    let a = t.thread("0.0", "waiter");
    t.create(0, "pthread_create", a);
    t.story.steps[0].then = Then::Waits("the end of thread 0.0".into());
    t.step(a, Start, "static void *waiter");
    t.memory(a, Load, "while (!go)", ("go", "false", "false")).then = Then::Spins;
    let at = t.place("waiter", "while (!go)");
    t.bug("livelock", "a thread waits in a loop for what nobody can do any more", Some(a), Some(at));
    t.done()
}

pub fn leak() -> Teller {
    let source = "int main(void)\n{\n    char *kept = malloc(16);\n    kept = malloc(32);\n    free(kept);\n}\n";
    let mut t = Teller::new("leak.c", source);
    t.step(0, Operation::Free, "free(kept)").objects = vec![object("*kept", Space::Memory, Mode::Write, "", "")];
    t.step(0, Operation::Exit, "int main").then = Then::Failed;
    let at = t.place("main", "malloc(16)");
    t.bug("leak", "a heap object of 16 bytes is lost", None, Some(at));
    t.done()
}

/// Two hundred steps, of which a few matter; `threads` workers.
pub fn long(threads: usize) -> Teller {
    use Operation::*;
    let source = "\
static atomic_int total, noise;

static void *adder(void *unused)
{
    for (int i = 0; i < 10; i++)
        noise++;
    int seen = atomic_load_explicit(&total, memory_order_seq_cst); /* and a long line that goes on, and on, and on, beyond what any column holds */
    total = seen + 1;
    return unused;
}

int main(void)
{
    pthread_create(&t[i], NULL, adder, NULL);
    pthread_join(t[i], NULL);
    assert(total == THREADS);
}
";
    let mut t = Teller::new("src/deep/folder/adder.c", source);
    let all: Vec<usize> = (0..threads).map(|i| t.thread(&format!("0.{i}"), "adder")).collect();
    for &thread in &all {
        t.create(0, "pthread_create", thread);
    }
    let mut noise = 0;
    let each = 190 / threads;
    for (i, &thread) in all.iter().enumerate() {
        t.step(thread, Start, "static void *adder").preempts = i > 0;
        for _ in 0..each - 3 {
            let (before, after) = (noise.to_string(), (noise + 1).to_string());
            t.memory(thread, ReadModifyWrite, "noise++", ("noise", &before, &after));
            noise += 1;
        }
        t.memory(thread, Load, "seen = atomic", ("total", "0", "0"));
    }
    for (i, &thread) in all.iter().enumerate() {
        let before = if i == 0 { "0" } else { "1" };
        t.memory(thread, Store, "total = seen + 1", ("total", before, "1"));
        t.step(thread, ThreadEnd, "return unused").then = Then::Ended;
    }
    for i in 0..threads {
        let name = format!("thread 0.{i}");
        t.step(0, ThreadJoin, "pthread_join").objects = vec![object(&name, Space::Thread, Mode::Read, "", "")];
    }
    t.memory(0, Load, "assert(total", ("total", "1", "1")).then = Then::Failed;
    let at = t.place("main", "assert(total");
    t.bug("assertion", "assertion `total == THREADS` failed", Some(0), Some(at));
    t.done()
}

/// A condition variable whose signal comes before the wait.
pub fn lost_wakeup() -> Teller {
    use Operation::*;
    let source = "\
static void *consumer(void *unused)
{
    pthread_mutex_lock(&m);
    pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
    return unused;
}

static void *producer(void *unused)
{
    pthread_cond_signal(&c);
    return unused;
}

int main(void)
{
    pthread_create(&a, NULL, consumer, NULL);
    pthread_create(&b, NULL, producer, NULL);
    pthread_join(a, NULL);
}
";
    let mut t = Teller::new("wake.c", source);
    let a = t.thread("0.0", "consumer");
    let b = t.thread("0.1", "producer");
    t.create(0, "pthread_create(&a", a);
    t.create(0, "pthread_create(&b", b);
    t.story.steps[1].then = Then::Waits("the end of thread 0.0".into());
    t.step(b, Start, "static void *producer");
    t.step(b, CondSignal, "pthread_cond_signal").objects = vec![object("c", Space::Cond, Mode::Write, "", "")];
    t.step(b, ThreadEnd, "return unused").then = Then::Ended;
    t.step(a, Start, "static void *consumer");
    t.mutex(a, MutexLock, "pthread_mutex_lock", "m");
    let step = t.step(a, CondEnter, "pthread_cond_wait");
    step.objects = vec![object("c", Space::Cond, Mode::Write, "", ""), object("m", Space::Mutex, Mode::Write, "", "")];
    step.then = Then::Waits("a signal on `c`".into());
    t.bug("deadlock", "all 2 threads wait for ever", None, None);
    t.witness(0, "waits for the end of thread 0.0", "pthread_join", None, Some(a));
    t.witness(a, "waits for a signal on `c`", "pthread_cond_wait", None, None);
    t.done()
}

pub fn findings(verdict: Verdict, stories: Vec<Story>) -> Findings {
    let kinds = "assertion deadlock data-race livelock use-after-free out-of-bounds null-dereference double-free \
                 invalid-free uninitialised-read mutex-misuse thread-misuse crash";
    Findings {
        verdict,
        files: vec!["examples/workqueue.c".into()],
        properties: kinds.split_whitespace().map(str::to_string).collect(),
        strategy: "optimal".into(),
        threads: 3,
        jobs: 1,
        executions: 11_760,
        blocked: 0,
        cut: 0,
        states: None,
        bytes_per_state: None,
        chosen: None,
        transitions: 186_210,
        seconds: 0.5234,
        cpu_seconds: 0.52,
        peak_rss_bytes: 14 << 20,
        assumptions: vec![
            "sequential consistency at the level of visible operations".into(),
            "condition variables wake only by a signal (--spurious 0)".into(),
            "the arguments 2 2, and no input".into(),
        ],
        otherwise: None,
        provided: None,
        explored: None,
        advice: Vec::new(),
        stories,
    }
}

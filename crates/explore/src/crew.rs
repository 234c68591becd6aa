//! Many cores: the workers of one search, each with a machine of its own, and how they come by work.
//!
//! One worker begins. A worker that has nothing to do asks for work; whoever is busy looks now and then whether somebody
//! asks, and gives away a *task*: something of its own search that another one can do from the start of the program. The
//! search is over when nobody has anything left to do. What a task is, the strategies know.
//!
//! A search that ends soon is not worth a second thread: the others may begin later.

use std::cell::{Cell, RefCell};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use threadbare_core::{Machine, Random};

use crate::search::{Flow, Search, Totals};

/// How often a worker without work looks after the limits of the search.
const BETWEEN_TICKS: Duration = Duration::from_millis(50);

const SHORTEST_PAUSE: Duration = Duration::from_micros(500);
const LONGEST_PAUSE: Duration = Duration::from_millis(2);

/// A task is worth the way there if it has so many times as many steps.
const WORTH: u64 = 10;

/// Who takes a task goes its way first, step by step.
const LONGEST_WAY: usize = 1000;

/// From how many steps before its end a path gives away what costs redundant executions, at first and at least.
const SHORTEST_REACH: usize = 4;

/// When the workers have waited for more than one part in so many of their time, what costs redundant executions comes before
/// what does not.
const LITTLE_WAITING: u32 = 16;

/// But not in a search that may end soon: all tasks are small there.
const LONG: Duration = Duration::from_millis(100);

/// More redundant executions than one in so many are too many.
const FEW_REDUNDANT: u64 = 32;

/// A worker that died takes the search with it; what it held is not looked at any more.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Who may help with a search.
pub struct Help<'h, M, S> {
    /// How many workers there are, with the one that begins.
    pub jobs: usize,
    /// How long that one goes on by itself.
    pub after: Duration,
    /// A machine at the start of the program for another one, and whom it tells. `None` if there is no room for it.
    pub another: &'h (dyn Fn() -> Option<(M, S)> + Sync),
    /// For tests: give work away whenever there is some, wherever the dice say; beside what is in progress if this is odd.
    pub eager: Option<u64>,
}

/// A quarter more.
fn farther(reach: usize) -> usize {
    reach + 1 + reach / 4
}

/// What a search of several workers came to.
pub struct Shared<M, S> {
    pub totals: Totals,
    /// Those who helped, with what they were told.
    pub helpers: Vec<(M, S)>,
    /// What is explored hangs on the order of the search, since a bound was met or a thread was parked: one worker must begin
    /// again.
    pub again_alone: bool,
}

impl<M, S> Shared<M, S> {
    /// Of one worker.
    pub(crate) fn alone(totals: Totals) -> Self {
        Shared { totals, helpers: Vec::new(), again_alone: false }
    }
}

struct State<T> {
    tasks: Vec<T>,
    workers: usize,
    idle: usize,
    /// Those of them who do not ask for work at the moment.
    resting: usize,
}

pub(crate) struct Crew<T> {
    state: Mutex<State<T>>,
    news: Condvar,
    /// Somebody waits for whom there is no task.
    wanted: AtomicBool,
    over: AtomicBool,
    /// It was ended by somebody, not because nothing was left.
    stopped: AtomicBool,
    /// One worker must begin again: see `stay_alone`.
    again_alone: AtomicBool,
    /// Whether something is explored beside something in progress, and whether that may be.
    beside: AtomicBool,
    never_beside: AtomicBool,
    /// How far from its end a path gives away what costs redundant executions: farther as long as there are few.
    reach: AtomicUsize,
    /// How long workers have waited for tasks, all together, in nanoseconds.
    waited: AtomicU64,
    since: Instant,
    eager: bool,
    /// There is one worker, and it keeps what it has.
    alone: bool,
}

impl<T> Crew<T> {
    fn new(jobs: usize, eager: Option<u64>) -> Self {
        let reach = match eager {
            None => SHORTEST_REACH,
            Some(seed) if seed.is_multiple_of(2) => 0,
            Some(_) => usize::MAX,
        };
        Crew {
            state: Mutex::new(State { tasks: Vec::new(), workers: 1, idle: 0, resting: 0 }),
            news: Condvar::new(),
            wanted: AtomicBool::new(false),
            over: AtomicBool::new(false),
            stopped: AtomicBool::new(false),
            again_alone: AtomicBool::new(false),
            beside: AtomicBool::new(false),
            never_beside: AtomicBool::new(false),
            reach: AtomicUsize::new(reach),
            waited: AtomicU64::new(0),
            since: Instant::now(),
            eager: eager.is_some(),
            alone: jobs == 1 && eager.is_none(),
        }
    }

    fn note(&self, state: &State<T>) {
        self.wanted.store(state.idle > state.tasks.len() + state.resting, Ordering::Relaxed);
    }

    fn finish(&self) {
        self.over.store(true, Ordering::Relaxed);
        self.news.notify_all();
    }

    fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
        // With the lock, so that nobody goes to sleep in between.
        let _state = lock(&self.state);
        self.finish();
    }

    fn enlist(&self) {
        lock(&self.state).workers += 1;
    }

    fn leave(&self) {
        let mut state = lock(&self.state);
        state.workers -= 1;
        // Those who wait find out that it is over.
        self.news.notify_all();
    }
}

/// Whoever panics ends the search for all.
struct Guard<'c, T>(&'c Crew<T>);

impl<T> Drop for Guard<'_, T> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.stop();
        }
    }
}

/// A worker's side of it.
pub(crate) struct Hand<'c, T> {
    crew: &'c Crew<T>,
    /// The first one begins.
    number: usize,
    /// For the one who begins: calls the others, if they have not come yet.
    call: Option<(Instant, &'c dyn Fn())>,
    /// They have come, or are not going to.
    called: Cell<bool>,
    dice: Option<RefCell<Random>>,
    /// How long to wait before asking again: tasks that are too small cost more than they are worth.
    pause: Cell<Duration>,
}

impl<'c, T> Hand<'c, T> {
    fn new(crew: &'c Crew<T>, eager: Option<u64>, number: usize, call: Option<(Instant, &'c dyn Fn())>) -> Self {
        let dice = eager.map(|seed| RefCell::new(Random::new(seed.wrapping_add(number as u64))));
        Hand { crew, number, call, called: Cell::new(call.is_none()), dice, pause: Cell::default() }
    }

    pub fn begins(&self) -> bool {
        self.number == 0
    }

    pub fn number(&self) -> usize {
        self.number
    }

    /// Whether there is nobody else, now or later.
    pub fn is_alone(&self) -> bool {
        self.crew.alone
    }

    /// Whether to give something away. Costs next to nothing: asked once for each execution.
    #[inline]
    pub fn is_wanted(&self) -> bool {
        self.crew.wanted.load(Ordering::Relaxed) || self.crew.eager
    }

    /// Of which state to give something away, of those that have something: the first, unless chance is to decide. None so far
    /// away that going there takes longer than what there is to do.
    pub fn choose(&self, open: impl Iterator<Item = usize>) -> Option<usize> {
        let mut open = open.take_while(|&at| at <= LONGEST_WAY);
        let Some(dice) = &self.dice else { return open.next() };
        let all: Vec<usize> = open.collect();
        let mut dice = dice.borrow_mut();
        if all.is_empty() || dice.once_in(2) { None } else { Some(dice.pick(&all)) }
    }

    /// The same for what costs redundant executions. If there is nothing within reach, nothing is learned there.
    pub fn choose_beside(&self, open: impl Iterator<Item = usize>) -> Option<usize> {
        let at = self.choose(open);
        if at.is_none() && self.dice.is_none() {
            let reach = self.crew.reach.load(Ordering::Relaxed);
            self.crew.reach.store(farther(reach), Ordering::Relaxed);
        }
        at
    }

    /// How far from its end a path may give away what costs redundant executions.
    pub fn reach(&self) -> usize {
        self.crew.reach.load(Ordering::Relaxed)
    }

    /// Whether larger tasks would be welcome.
    pub fn wants_more(&self) -> bool {
        let elapsed = self.crew.since.elapsed();
        let waited = Duration::from_nanos(self.crew.waited.load(Ordering::Relaxed));
        elapsed > LONG && waited * LITTLE_WAITING > elapsed
    }

    /// Whether something may be explored beside what is in progress. If so, it is from now on.
    pub fn goes_beside(&self) -> bool {
        if self.crew.never_beside.load(Ordering::SeqCst) {
            return false;
        }
        self.crew.beside.store(true, Ordering::SeqCst);
        // Who has said so in between begins again.
        !self.crew.never_beside.load(Ordering::SeqCst)
    }

    /// From here on nothing may be explored beside what is in progress. If something was, one worker must begin again.
    pub fn never_beside(&self) -> Flow {
        self.crew.never_beside.store(true, Ordering::SeqCst);
        if self.crew.beside.load(Ordering::SeqCst) { self.stay_alone() } else { Flow::Continue }
    }

    /// A task of that kind is done: how many of its executions were redundant. Those from farther away may have
    /// exponentially more of them; a step at a time finds out for the price of what is known to be cheap.
    pub fn learn(&self, executions: u64, redundant: u64) {
        if self.crew.eager {
            return;
        }
        let reach = self.crew.reach.load(Ordering::Relaxed);
        let reach = match redundant * FEW_REDUNDANT > executions {
            true => (reach - reach / 4).max(SHORTEST_REACH),
            false => {
                // The next one is larger.
                self.pause.set(self.pause.get().min(SHORTEST_PAUSE));
                farther(reach)
            }
        };
        self.crew.reach.store(reach, Ordering::Relaxed);
    }

    pub fn give(&self, task: T) {
        let mut state = lock(&self.crew.state);
        state.tasks.push(task);
        self.crew.note(&state);
        self.crew.news.notify_one();
    }

    /// Whether somebody has ended the search.
    #[inline]
    pub fn is_over(&self) -> bool {
        self.crew.over.load(Ordering::Relaxed)
    }

    pub fn stop(&self) {
        self.crew.stop();
    }

    /// Asked now and then by whoever is busy.
    #[inline]
    pub fn tick(&self) -> Flow {
        if !self.called.get()
            && let Some((since, call)) = self.call
            && Instant::now() >= since
        {
            self.called.set(true);
            call();
        }
        if self.is_over() { Flow::Stop } else { Flow::Continue }
    }

    /// What is explored from here on hangs on the order of the search. Whoever is alone stays alone; several begin again with
    /// one.
    pub fn stay_alone(&self) -> Flow {
        if !self.called.replace(true) || lock(&self.crew.state).workers == 1 {
            return Flow::Continue;
        }
        self.crew.again_alone.store(true, Ordering::Relaxed);
        self.crew.stop();
        Flow::Stop
    }

    /// What it took to come to the last task, and what there was to do, in steps.
    pub fn weigh(&self, way: u64, done: u64) {
        let small = done < WORTH * way && !self.crew.eager;
        self.pause.set(match small {
            true => (self.pause.get() * 2).clamp(SHORTEST_PAUSE, LONGEST_PAUSE),
            false => Duration::ZERO,
        });
    }

    /// The next task, when there is one. `None` when the search is over.
    pub fn next(&self, tick: impl FnMut() -> Flow) -> Option<T> {
        self.next_or(tick, Vec::new)
    }

    /// The same for a search that may find more to do when nobody has anything left, with nobody at it.
    pub fn next_or(&self, mut tick: impl FnMut() -> Flow, more: impl Fn() -> Vec<T>) -> Option<T> {
        let crew = self.crew;
        let mut state = lock(&crew.state);
        state.idle += 1;
        let waits_since = Instant::now();
        let asks_at = waits_since + self.pause.get();
        let mut rests = !self.pause.get().is_zero();
        state.resting += usize::from(rests);
        loop {
            if rests && Instant::now() >= asks_at {
                rests = false;
                state.resting -= 1;
            }
            if crew.over.load(Ordering::Relaxed) {
                return None;
            }
            if let Some(task) = state.tasks.pop() {
                crew.waited.fetch_add(waits_since.elapsed().as_nanos() as u64, Ordering::Relaxed);
                state.idle -= 1;
                state.resting -= usize::from(rests);
                crew.note(&state);
                return Some(task);
            }
            if state.idle == state.workers {
                state.tasks = more();
                if state.tasks.is_empty() {
                    crew.finish();
                    return None;
                }
                crew.news.notify_all();
                continue;
            }
            crew.note(&state);
            let wait = if rests { asks_at - Instant::now().min(asks_at) } else { BETWEEN_TICKS };
            state = crew.news.wait_timeout(state, wait).unwrap_or_else(PoisonError::into_inner).0;
            if !crew.over.load(Ordering::Relaxed) {
                drop(state);
                if tick() == Flow::Stop {
                    crew.stop();
                }
                state = lock(&crew.state);
            }
        }
    }
}

/// Who explores: one worker, or several. `work` is what each of them does.
pub(crate) trait Workers<M, S> {
    /// So many there may be.
    fn most(&self) -> usize;

    fn explore<T: Send>(
        &self,
        first: (&mut M, &mut S),
        work: impl Fn(&mut M, &mut S, Option<&Hand<T>>) -> Totals + Sync,
    ) -> Shared<M, S>;
}

pub(crate) struct Alone;

impl<M, S> Workers<M, S> for Alone {
    fn most(&self) -> usize {
        1
    }

    fn explore<T: Send>(
        &self,
        (machine, search): (&mut M, &mut S),
        work: impl Fn(&mut M, &mut S, Option<&Hand<T>>) -> Totals + Sync,
    ) -> Shared<M, S> {
        Shared::alone(work(machine, search, None))
    }
}

impl<M: Send, S: Send> Workers<M, S> for Help<'_, M, S> {
    fn most(&self) -> usize {
        self.jobs.max(1)
    }

    fn explore<T: Send>(
        &self,
        first: (&mut M, &mut S),
        work: impl Fn(&mut M, &mut S, Option<&Hand<T>>) -> Totals + Sync,
    ) -> Shared<M, S> {
        if self.jobs <= 1 {
            return Alone.explore(first, work);
        }
        let crew = Crew::new(self.jobs, self.eager);
        let helpers = Mutex::new(Vec::new());
        let totals = std::thread::scope(|scope| {
            let call = || {
                for number in 1..self.jobs {
                    crew.enlist();
                    let (crew, helpers, work) = (&crew, &helpers, &work);
                    scope.spawn(move || {
                        let _guard = Guard(crew);
                        match (self.another)() {
                            None => crew.leave(),
                            Some((mut machine, mut search)) => {
                                let hand = Hand::new(crew, self.eager, number, None);
                                let totals = work(&mut machine, &mut search, Some(&hand));
                                lock(helpers).push((totals, machine, search));
                            }
                        }
                    });
                }
            };
            let _guard = Guard(&crew);
            let at_once = self.jobs > 1 && self.after.is_zero();
            if at_once {
                call();
            }
            let later = (self.jobs > 1 && !at_once).then(|| (Instant::now() + self.after, &call as &dyn Fn()));
            work(first.0, first.1, Some(&Hand::new(&crew, self.eager, 0, later)))
        });
        let mut shared = Shared { totals, helpers: Vec::new(), again_alone: crew.again_alone.load(Ordering::Relaxed) };
        for (totals, machine, search) in helpers.into_inner().unwrap_or_else(PoisonError::into_inner) {
            shared.totals.add(&totals);
            shared.helpers.push((machine, search));
        }
        shared.totals.complete &= !crew.stopped.load(Ordering::Relaxed);
        shared
    }
}

/// What a worker does all day. It explores from the start of the program, if it is the first one, and then task after
/// task until nothing is left or somebody ends the search.
pub(crate) fn task_after_task<T, M: Machine, S: Search<M>>(
    hand: Option<&Hand<T>>,
    search: &mut S,
    mut explore: impl FnMut(&mut S, Option<T>) -> Flow,
) -> Flow {
    let mut flow = match hand.is_none_or(Hand::begins) {
        true => explore(search, None),
        false => Flow::Continue,
    };
    let Some(hand) = hand else { return flow };
    while flow == Flow::Continue
        && let Some(task) = hand.next(|| search.tick())
    {
        flow = explore(search, Some(task));
    }
    if flow == Flow::Stop {
        hand.stop();
    }
    flow
}

/// A search that takes arrivals at a barrier to commute, and begins again where they turn out not to: `work` says so.
pub(crate) fn explore<T: Send, M: Machine, S>(
    workers: &impl Workers<M, S>,
    machine: &mut M,
    search: &mut S,
    work: impl Fn(&mut M, &mut S, Option<&Hand<T>>) -> (Totals, Arrivals) + Sync,
) -> Shared<M, S> {
    let mut ordered = false;
    loop {
        let overused = AtomicBool::new(false);
        let shared = workers.explore((machine, search), |machine, search, hand| {
            if ordered {
                machine.order_arrivals();
            }
            let (totals, arrivals) = work(machine, search, hand);
            overused.fetch_or(arrivals == Arrivals::Ordered, Ordering::Relaxed);
            totals
        });
        if ordered || !overused.into_inner() {
            return shared;
        }
        ordered = true;
    }
}

/// What a worker found out about arrivals at barriers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Arrivals {
    Commute,
    /// More threads use a barrier than it counts.
    Ordered,
}

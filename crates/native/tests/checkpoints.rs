//! A program that is taken back to a copy is what it was then: whoever goes back and forth at will sees what he saw on the
//! way, byte by byte.

use std::sync::Arc;

use threadbare_core::{Choice, Machine, Mark, Random, Tid};
use threadbare_native::{NativeMachine, Program, Setup};
use threadbare_vm::Sources;

/// All that steps change: variables, stacks, frames whose addresses are handed on, blocks of the heap that come and go,
/// thread-local variables, words of the arguments, input, output, objects of synchronisation; and large ones, of which only what was
/// written is copied, or smaller ones with pages that are first written after some copies were made.
const PROGRAM: &str = r#"
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t table = PTHREAD_RWLOCK_INITIALIZER;
static sem_t room;
static _Atomic int turns;
static _Thread_local int mine = 7;
static char **words;
static int entries[8], count;
static char ground[GROUND << 10];

static int deep(int n, int *sum)
{
    int here[8] = {n, n + 1};
    if (n == 0)
        return atomic_fetch_add(&turns, 1);
    *sum += here[n % 2];
    return deep(n - 1, &here[2]) + here[2];
}

static void *work(void *given)
{
    size_t size = 24 + (size_t)(long)given * 40 + ((long)given == 1 ? 300 << 10 : 0);
    char *block = malloc(size);
    int sum = 0;
    strcpy(block, "a block of the heap");
    mine += deep(3 + (int)(long)given, &sum);
    pthread_rwlock_rdlock(&table);
    int seen = entries[7];
    pthread_rwlock_unlock(&table);
    sem_wait(&room);
    pthread_mutex_lock(&lock);
    entries[count++] = mine + seen;
    words[1][0]++;
    ground[count * 99999 % sizeof ground]++;
    ground[(mine * 7 + count) % 25 * 4096]++;
    ground[count * 50]++;
    block[size - 1]++;
    block[size / 2] = (char)count;
    int c = getchar();
    printf("%s %d %d\n", block, mine > 0, c);
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    sem_post(&room);
    free(block);
    block = malloc(100);
    atomic_store(&turns, (int)(long)given);
    free(block);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[3];
    words = argv;
    sem_init(&room, 0, 1);
    for (long i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, work, (void *)i);
    pthread_mutex_lock(&lock);
    while (count < 2)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
    pthread_rwlock_wrlock(&table);
    entries[7] = 1;
    pthread_rwlock_unlock(&table);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return argc - 2;
}
"#;

fn setup() -> Setup {
    let arguments = vec!["program".to_string(), "word".to_string()];
    Setup { arguments, input: b"some input\n".to_vec(), ..Setup::default() }
}

fn live(machine: &NativeMachine) -> Vec<Tid> {
    (0..machine.thread_count()).map(|i| Tid(i as u16)).filter(|&tid| machine.is_live(tid)).collect()
}

/// What can be seen of a state.
fn seen(machine: &mut NativeMachine) -> String {
    let mut all = format!("{:?}\n", machine.output_since(0));
    for (end, held) in machine.memory() {
        all += &format!("up to {end:x}: {held:?}\n");
    }
    for tid in live(machine) {
        all += &format!("{tid:?} {:?} {:?}\n", machine.pending(tid), machine.local_fingerprint(tid));
    }
    all
}

fn enabled(machine: &mut NativeMachine) -> Vec<(Tid, Choice)> {
    let mut all = Vec::new();
    for tid in live(machine) {
        all.extend(machine.pending(tid).choices.enabled().map(|choice| (tid, choice)));
    }
    all
}

#[test]
fn what_is_taken_back_is_what_it_was() {
    const GROUND: &str = "TB_TEST_GROUND";
    if let Ok(ground) = std::env::var(GROUND) {
        return take_back(&ground);
    }
    // A process has one program.
    for ground in ["100", "400"] {
        let mut test = std::process::Command::new(std::env::current_exe().expect("this test"));
        let status = test.env(GROUND, ground).args(["--exact", "what_is_taken_back_is_what_it_was"]).status();
        assert!(status.expect("it starts").success(), "{ground} KiB");
    }
}

/// With so many KiB of variables.
fn take_back(ground: &str) {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("program.c");
    std::fs::write(&file, PROGRAM.replace("GROUND", ground)).expect("writable");
    let sources = Sources { files: vec![file], exploring: true, ..Sources::default() };
    let program = Arc::new(Program::load(&sources, None, Vec::new()).unwrap_or_else(|error| panic!("{error}")));
    let (mut ends, mut backs) = (0, 0);
    for (merges, verifies) in [(false, false), (true, false), (false, true), (true, true)] {
        threadbare_native::verify_copies(verifies);
        let mut machine = if merges { program.machine_for_search(setup()) } else { program.machine(setup()) };
        machine.keep_copies();
        let mut dice = Random::new(merges.into());
        let mut states = vec![seen(&mut machine)];
        for _ in 0..3_000 {
            let steps = enabled(&mut machine);
            let over = machine.ending().is_some() || steps.is_empty();
            ends += u32::from(over);
            if over || dice.below(40) == 0 {
                let depth = dice.below(states.len());
                machine.rewind(Mark(depth as u32));
                states.truncate(depth + 1);
                let now = seen(&mut machine);
                assert_eq!(now, states[depth], "after {depth} steps");
                backs += 1;
                continue;
            }
            let (tid, choice) = steps[dice.below(steps.len())];
            machine.step(tid, choice);
            assert!(!matches!(machine.ending(), Some(threadbare_core::Ending::Error(_))), "{:?}", machine.ending());
            states.push(seen(&mut machine));
        }
    }
    assert!(ends > 20 && backs > 100, "{ends} ends, {backs} times back");
}

//! One execution under the scheduler of `run`: how it ends, and that threads which wait in loops for ever are told from
//! those that only take their time.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use threadbare_core::Tid;
use threadbare_explore::{Course, Finish, single};
use threadbare_pl::lang::{Source, TbMachine, TbSetup, load};

/// How the model ends under the first seeds, all of which agree, and the most operations that this took.
fn finish(model: &str, operations: u64) -> (Finish, u64) {
    let program = Arc::new(load(&Source::new("model.tb", model), &[]).expect("a model"));
    let mut ends = (0..20).map(|seed| {
        let mut machine = TbMachine::new(program.clone(), TbSetup::default());
        let course = Course { seed, operations, interrupted: &AtomicBool::new(false) };
        match single(&mut machine, &course, |_, _| {}) {
            (Finish::Stuck(stuck, _), done) => (Finish::Stuck(stuck, 0), done),
            (Finish::Limit(_), done) => (Finish::Limit(Vec::new()), done),
            other => other,
        }
    });
    let first = ends.next().expect("twenty");
    ends.fold(first, |(finish, most), (other, done)| {
        assert_eq!(finish, other, "{model}");
        (finish, most.max(done))
    })
}

fn spins(finish: &Finish, spinning: &[u16], waiting: usize) -> bool {
    match finish {
        Finish::Stuck(stuck, _) => {
            stuck.waiting == waiting && stuck.spinning == spinning.iter().map(|&t| Tid(t)).collect::<Vec<_>>()
        }
        _ => false,
    }
}

#[test]
fn threads_that_wait_in_loops_for_ever_are_found() {
    let (end, most) = finish("shared go = 0\nthread a { while !go == 0 do () }\n", 100_000);
    assert!(spins(&end, &[1], 0) && most < 2_000, "{end:?} {most}");
    // One waits for the other, and a third for the mutex of the first.
    let model = "shared x = 0\nshared y = 0\nmutex m\n\
                 thread a { lock m; while !x == 0 do (); y := 1; unlock m }\n\
                 thread b { while !y == 0 do (); x := 1 }\n\
                 thread c { while !x == 0 do (); lock m }\n";
    let (end, most) = finish(model, 100_000);
    assert!(spins(&end, &[1, 2, 3], 0) && most < 5_000, "{end:?} {most}");
    let model = "shared x = 0\nmutex m\nthread a { lock m; x := 1; while !x == 1 do () }\nthread b { while !x == 0 do (); lock m }\n";
    let (end, most) = finish(model, 100_000);
    assert!(spins(&end, &[1], 1) && most < 5_000, "{end:?} {most}");
    // A long way round.
    let model = "shared x = 0\nthread a { let i = ref 0 in while !x == 0 do i := (!i + 1) % 700 }\n";
    let (end, most) = finish(model, 100_000);
    assert!(spins(&end, &[1], 0) && most < 10_000, "{end:?} {most}");
}

#[test]
fn threads_that_take_their_time_are_left_alone() {
    // Nothing happens for a long while, and then it does.
    let model = "shared x = 0\nshared y = 0\nthread a { while !x == 0 do () }\nthread b { while !x == 0 do () }\n\
                 thread c { let i = ref 0 in { while !i < 20000 do i := !i + 1 + !y; x := 1 } }\n";
    assert_eq!(finish(model, 1_000_000).0, Finish::Complete);
    // A choice may lead out of the loop, any time.
    let model = "shared x = 0\nthread a { while choose(0, 4000) > 0 && !x == 0 do () }\n";
    assert_eq!(finish(model, 1_000_000).0, Finish::Complete);
    // No end, but no round that comes back to where it was.
    let model = "shared x = 0\nthread a { let i = ref 0 in while !x == 0 do i := !i + 1 }\n";
    assert_eq!(finish(model, 50_000), (Finish::Limit(Vec::new()), 50_000));
    let model = "shared x = 0\nthread a { while true do x := 1 - !x }\nthread b { while !x == 2 do () }\n";
    assert_eq!(finish(model, 50_000), (Finish::Limit(Vec::new()), 50_000));
}

#[test]
fn executions_end_as_their_programs_do() {
    let model = "shared x = 0\nthread a { x := 1 }\nfinally { assert !x == 1 }\n";
    assert_eq!(finish(model, 100).0, Finish::Complete);
    assert_eq!(finish("thread a { assert 1 == 2 }\n", 100).0, Finish::Ended);
    assert_eq!(finish("shared x = 0\nthread a { assume !x == 1 }\n", 100).0, Finish::Cut);
    let (end, _) = finish("mutex m\nthread a { lock m; lock m }\n", 100);
    assert!(spins(&end, &[], 1), "{end:?}");
    let program = load(&Source::new("model.tb", "thread a { while true do () }\n"), &[]).expect("a model");
    let mut machine = TbMachine::new(Arc::new(program), TbSetup::default());
    let asked = Course { seed: 0, operations: 100, interrupted: &AtomicBool::new(true) };
    assert!(matches!(single(&mut machine, &asked, |_, _| {}).0, Finish::Ended | Finish::Interrupted(_)));
}

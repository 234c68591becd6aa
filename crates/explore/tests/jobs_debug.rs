#[path = "/tmp/jobs_copy_run.rs"]
#[allow(dead_code)]
mod jobs;
use threadbare_explore::{oracle, Strategy};
use threadbare_pl::{ModelMachine, generate};
#[test]
fn stats() {
    let last: u64 = std::env::var("LAST").map_or(6000, |s| s.parse().unwrap());
    let first: u64 = std::env::var("FIRST").map_or(1, |s| s.parse().unwrap());
    for name in ["optimal", "source"] {
        let strategy: Strategy = name.parse().unwrap();
        let (mut bad, mut n, mut blocked, mut ex) = (0, 0, 0, 0);
        for seed in first..last {
            let program = generate(seed, false);
            if oracle::traces(&mut ModelMachine::new(&program), 2_000).is_none() { continue; }
            n += 1;
            let (expected, _, ordered) = jobs::alone(&program, strategy, false);
            for k in 0..std::env::var("TIMES").map_or(3, |s| s.parse().unwrap()) {
            let (found, t) = jobs::together(&program, strategy, false, ordered, 1, seed + k * 1000);
            blocked += t.blocked; ex += t.executions;
            if found.traces != expected.traces { bad += 1; eprintln!("BAD {seed}"); }
            }
        }
        println!("{name}: {bad} of {n} bad, blocked {blocked} of {ex}");
    }
}

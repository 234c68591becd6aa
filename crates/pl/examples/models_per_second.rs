//! How fast the machine of the small language is by itself: random walks over a model, a mark before every step, and all
//! the way back at their ends.
//!
//!     cargo run --release -p threadbare-pl --example models_per_second programs/models/indexer.tb N=15

use std::sync::Arc;
use std::time::Instant;

use threadbare_core::{Machine, Random, Tid};
use threadbare_pl::lang::{Source, TbMachine, TbSetup, load};

const STEPS: u64 = 10_000_000;

fn main() {
    let mut words = std::env::args().skip(1);
    let file = words.next().expect("a model");
    let definitions: Vec<(String, String)> =
        words.map(|word| word.split_once('=').map(|(n, v)| (n.into(), v.into())).expect("NAME=value")).collect();
    let text = std::fs::read_to_string(&file).expect("a file that can be read");
    let program = load(&Source::new(file, text), &definitions).unwrap_or_else(|error| panic!("{error}"));
    let mut machine = TbMachine::new(Arc::new(program), TbSetup { go_on: true, ..TbSetup::default() });
    let start = machine.mark();
    let mut dice = Random::new(1);
    let threads = machine.thread_count();
    let clock = Instant::now();
    let (mut steps, mut walks) = (0, 0u64);
    while steps < STEPS {
        // The first thread that can go on, from a random one.
        let first = dice.below(threads);
        let ready = (0..threads).map(|t| Tid(((first + t) % threads) as u16)).find_map(|tid| {
            let pending = machine.is_live(tid).then(|| machine.pending(tid))?;
            pending.choices.enabled().next().map(|choice| (tid, choice))
        });
        match ready {
            Some((tid, choice)) => {
                machine.mark();
                machine.step(tid, choice);
                steps += 1;
            }
            None => {
                machine.rewind(start);
                walks += 1;
            }
        }
    }
    let seconds = clock.elapsed().as_secs_f64();
    println!("{steps} steps in {walks} walks, {:.1} ns each with its way back", seconds * 1e9 / steps as f64);
}

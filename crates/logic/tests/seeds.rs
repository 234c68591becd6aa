//! The example of "The Formal Verification of SYN-Sequences Generated in Dynamic Testing" (thesis, 2009), section 4.3: two
//! processes with four events each, of which the first three come in one order, the next four in any that keeps to
//! the processes, and the last one at the end. Its properties say at which place each event comes; the text that we have goes
//! on with the ninth place where the eighth and last event is meant.

use threadbare_core::graph::{ALL, Arc, Graph};
use threadbare_core::source::Source;
use threadbare_logic::{Labelled, Product, automaton_of_negation, find_run, parse};

/// How many events of each process have happened, and the process of the last one.
type Happened = (u8, u8, Option<u8>);

struct Events<'p> {
    /// The names in the formula of the events, by number.
    propositions: &'p [String],
}

impl Graph for Events<'_> {
    type Node = Happened;
    type Step = u8;

    fn initial(&mut self) -> Happened {
        (0, 0, None)
    }

    fn add_successors(&mut self, (a, b, last): Happened, arcs: &mut Vec<Arc<u8, Happened>>) {
        let marks = u128::from(u64::MAX);
        // Each event of process 0 and how many of process 1 it waits for, and the other way round.
        let before = arcs.len();
        if a < 4 && b >= [0, 0, 1, 1][usize::from(a)] {
            arcs.push(Arc { step: 0, to: (a + 1, b, Some(0)), marks });
        }
        if b < 4 && a >= [2, 2, 2, 4][usize::from(b)] {
            arcs.push(Arc { step: 1, to: (a, b + 1, Some(1)), marks });
        }
        if arcs.len() == before {
            arcs.push(Arc { step: 2, to: (a, b, last), marks });
        }
    }
}

impl Labelled for Events<'_> {
    fn letter(&mut self, (a, b, last): Happened) -> u64 {
        let event = match last {
            Some(0) => format!("p0.{}", a - 1),
            Some(_) => format!("p1.{}", b - 1),
            None => return 0,
        };
        self.propositions.iter().enumerate().fold(0, |letter, (i, text)| letter | u64::from(*text == event) << i)
    }
}

/// The steps of a run that breaks the formula, if there is one.
fn broken_by(text: &str) -> Option<Vec<u8>> {
    // X4 is `X X X X`.
    let mut formula = text.to_string();
    (1..9).for_each(|n| formula = formula.replace(&format!("X{n} "), &"X ".repeat(n)));
    let specification =
        parse(&Source::new("formula", formula)).unwrap_or_else(|complaint| panic!("{text}: {complaint}"));
    let propositions: Vec<String> = specification.propositions.iter().map(|p| p.text.clone()).collect();
    let automaton = automaton_of_negation(&specification.formula).expect("small");
    let mut graph = Events { propositions: &propositions };
    let run = find_run(&mut Product::new(&mut graph, &automaton), || false).expect("an answer");
    run.map(|run| run.prefix.iter().chain(&run.cycle).map(|step| step.step).filter(|step| *step < 2).collect())
}

#[test]
fn the_twelve_properties_of_the_example_hold() {
    for formula in [
        "X1 p0.0 && X2 p0.1 && X3 p1.0 && X4 (p0.2 || p1.1)",
        "X4 p0.2 -> X5 (p0.3 || p1.1)",
        "X4 p0.2 && X5 p0.3 -> X6 p1.1 && X7 p1.2",
        "X4 p0.2 && X5 p1.1 -> X6 (p0.3 || p1.2)",
        "X4 p0.2 && X5 p1.1 && X6 p0.3 -> X7 p1.2",
        "X4 p0.2 && X5 p1.1 && X6 p1.2 -> X7 p0.3",
        "X4 p1.1 -> X5 (p0.2 || p1.2)",
        "X4 p1.1 && X5 p0.2 -> X6 (p0.3 || p1.2)",
        "X4 p1.1 && X5 p0.2 && X6 p0.3 -> X7 p1.2",
        "X4 p1.1 && X5 p0.2 && X6 p1.2 -> X7 p0.3",
        "X4 p1.1 && X5 p1.2 -> X6 p0.2 && X7 p0.3",
        "X8 p1.3",
    ] {
        assert_eq!(broken_by(formula), None, "{formula}");
    }
}

#[test]
fn what_hangs_on_the_order_of_parallel_events_does_not_hold() {
    // p1.1 before p0.3, and p0.2 before p1.1: both orders are there.
    for (formula, process, event) in [("G !(p0.3 && F p1.1)", 1, 1), ("G !(p1.1 && F p0.2)", 0, 2)] {
        let run = broken_by(formula).unwrap_or_else(|| panic!("{formula} holds"));
        let at = run.iter().enumerate().filter(|(_, step)| **step == process).nth(event).expect("it happens").0;
        let other = |step: &&u8| **step != process;
        let before = run[..at].iter().filter(other).count();
        assert!(before > [2, 3][usize::from(process)], "{formula}: {run:?}");
    }
    // Happened before, in both ways in which it can be said.
    for formula in ["F (p0.1 && X F p1.0)", "G !(p1.0 && F p0.1)", "F (p1.2 && F p1.3)", "(!p1.3) U p0.3"] {
        assert_eq!(broken_by(formula), None, "{formula}");
    }
    assert_eq!(ALL >> 64, u128::from(u64::MAX), "marks of a graph are the lower half");
}

//! What the thesis shows: its example with edges, states and properties, and its experiments.

mod common;

use common::{formula, recording};
use threadbare_syn::lattice::{Budget, Kind, Lattice};
use threadbare_syn::{Answer, Evidence, Model, Outcome, Recording, picture, verify};

const EXAMPLE: &str = include_str!("../../../programs/syn/thesis.syn");

fn check(recording: &Recording, text: &str, model: Option<Model>) -> Answer {
    match verify(recording, &formula(text), model, 10_000_000).unwrap_or_else(|error| panic!("{text}: {error}")) {
        Outcome::Answer(answer) => answer,
        Outcome::TooMany(_) => panic!("{text}: too many states"),
        Outcome::Hangs(words) => panic!("{text}: {words}"),
    }
}

#[test]
fn the_example_has_the_edges_of_figure_3_3() {
    let recording = recording(EXAMPLE);
    let edges: Vec<(u32, u32)> = recording.order.edges().collect();
    // Between processes 1 → 4, 4 → 2, 3 → 7, as section 5.2 has them; 1 → 2 is implied by the first two.
    let mut expected = vec![(0, 1), (1, 4), (4, 2), (2, 3), (3, 7), (4, 5), (5, 6), (6, 7)];
    expected.sort_unstable_by_key(|&(from, to)| (to, from));
    assert_eq!(edges, expected);
}

/// Figure 3.4: the first three events one after the other, then every mix of two and two, then the last one.
#[test]
fn the_example_has_the_states_of_figure_3_4() {
    let recording = recording(EXAMPLE);
    for kind in [Kind::Stateless, Kind::Stateful] {
        let budget = Budget { states: 100, bytes: usize::MAX };
        let mut lattice =
            Lattice::new(&recording.sequence, &recording.versions, &recording.order, kind, (&[], 0), budget);
        let (_, nodes) = lattice.explicit().expect("few");
        assert_eq!(lattice.size(), 3 + 9 + 1);
        // And one behind the end.
        assert_eq!(nodes.len(), 14);
    }
    let drawn = picture::states(&recording, Model::Stateful, 100).expect("few");
    assert!(drawn.contains("a = 7, b = 3\\n1, 0") && drawn.contains("a = 11, b = 3\\n3, 3"), "{drawn}");
}

/// Section 4.3. From seven on the printed rows of X are one too long.
#[test]
fn the_example_has_its_twelve_properties() {
    let recording = recording(EXAMPLE);
    let at = |steps: usize, event: &str| format!("{} {event}", "X ".repeat(steps));
    let when = |parts: &[(usize, &str)]| parts.iter().map(|(n, event)| at(*n, event)).collect::<Vec<_>>().join(" & ");
    let properties = [
        format!("{} & {}", when(&[(1, "p0.0"), (2, "p0.1"), (3, "p1.0")]), at(4, "(p0.2 | p1.1)")),
        format!("({}) -> {}", at(4, "p0.2"), at(5, "(p0.3 | p1.1)")),
        format!("({}) -> ({})", when(&[(4, "p0.2"), (5, "p0.3")]), when(&[(6, "p1.1"), (7, "p1.2")])),
        format!("({}) -> {}", when(&[(4, "p0.2"), (5, "p1.1")]), at(6, "(p0.3 | p1.2)")),
        format!("({}) -> {}", when(&[(4, "p0.2"), (5, "p1.1"), (6, "p0.3")]), at(7, "p1.2")),
        format!("({}) -> {}", when(&[(4, "p0.2"), (5, "p1.1"), (6, "p1.2")]), at(7, "p0.3")),
        format!("({}) -> {}", at(4, "p1.1"), at(5, "(p0.2 | p1.2)")),
        format!("({}) -> {}", when(&[(4, "p1.1"), (5, "p0.2")]), at(6, "(p0.3 | p1.2)")),
        format!("({}) -> {}", when(&[(4, "p1.1"), (5, "p0.2"), (6, "p0.3")]), at(7, "p1.2")),
        format!("({}) -> {}", when(&[(4, "p1.1"), (5, "p0.2"), (6, "p1.2")]), at(7, "p0.3")),
        format!("({}) -> ({})", when(&[(4, "p1.1"), (5, "p1.2")]), when(&[(6, "p0.2"), (7, "p0.3")])),
        at(8, "p1.3"),
    ];
    for property in &properties {
        for model in [Model::Stateless, Model::Stateful] {
            assert!(check(&recording, property, Some(model)).holds, "{property}");
        }
    }
    // With one X more, nothing is left to happen.
    assert!(!check(&recording, &at(9, "p1.3"), None).holds);
}

/// Section 5.1. The first formula holds as it is printed, since `a` is 4 at the start and `b` is accessed later; in the thesis it
/// is false because `a` is a constant there. What it is to say, that `a` stays 4 or 7 until `b` is accessed, is false.
#[test]
fn the_two_specifications() {
    let recording = recording(EXAMPLE);
    assert!(check(&recording, "F ((a=4 | a=7) & X F (vid=b))", None).holds);
    for (text, model) in [
        ("(a=4 | a=7) U vid=b", Model::Stateful),
        ("F (run=1 & p1.evnt=1 & X F (run=0 & p0.evnt=3))", Model::Stateless),
    ] {
        let answer = check(&recording, text, None);
        assert!(!answer.holds && answer.model == model, "{text}");
        let Some(Evidence::Line { events, .. }) = answer.evidence else { panic!("a linearisation") };
        let place = |event: u32| events.iter().position(|&other| other == event);
        assert!(events.len() == 8 && place(3) < place(5), "{events:?}");
    }
}

/// Section 4.4, of all three types.
#[test]
fn examples_of_the_three_types() {
    let recording = recording(EXAMPLE);
    for (text, model, holds) in [
        ("F (a=4) & F (a=7) & G !(a=7 & F (a=4))", Model::Stateful, true),
        ("EF (EX w(a,2) & EX r(b))", Model::Stateless, true),
        ("F (w(a,1) & X a=7)", Model::Stateful, true),
        ("EF (r(b) & EX a=11)", Model::Stateful, true),
        ("F r(b) & G !(r(b) & F w(a,1))", Model::Stateless, true),
        ("EF (r(a,1) & EX r(b))", Model::Stateless, true),
        ("F (p0.evnt=1 & X (p0.evnt=2))", Model::Stateless, true),
        ("w(a,1) < r(b)", Model::PartialOrder, true),
        ("w(a,1) || r(b)", Model::PartialOrder, false),
        ("may(r(a,1) ~> r(b))", Model::PartialOrder, true),
        ("p0.1 ~> p1.0", Model::PartialOrder, true),
        ("define Loop = r(b) & F r(a,2)  G !(Loop & X F (Loop & X F Loop))", Model::Stateless, true),
    ] {
        let answer = check(&recording, text, None);
        assert_eq!((answer.holds, answer.model), (holds, model), "{text}");
    }
    for text in ["EF r(b) & A[G (r(b) -> X F r(a,2))]", "!A[!F (p1.0 & X p1.1)]"] {
        assert!(check(&recording, text, Some(Model::PartialOrder)).holds, "{text}");
    }
}

/// Chapter 6: processes that hardly meet, with many updates, of the stated sizes.
fn independent(sizes: [usize; 4]) -> String {
    let mut text = String::new();
    for (process, (size, name)) in sizes.into_iter().zip(["a", "b", "c", "d"]).enumerate() {
        let writes = size / 2;
        let values: Vec<String> = (0..=writes).map(|value| value.to_string()).collect();
        text += &format!("var {name} = {}\nprocess p{process}:\n", values.join(", "));
        for event in 0..size {
            let op = if event % 2 == 0 { "r" } else { "w" };
            text += &format!("  {op}({name},{})\n", event.div_ceil(2));
        }
    }
    text
}

#[test]
fn the_experiments() {
    let started = std::time::Instant::now();
    let states = [Model::Stateless, Model::Stateful];
    for (sizes, text, models, holds) in [
        ([5, 10, 10, 10], "F (w(a,1) & X (a=1 | a=2))", &states[1..], true),
        ([5, 10, 10, 10], "F (r(a,0) & X (op=r | w(a,1)))", &states[..], false),
        ([6, 10, 10, 10], "EF (EX w(a,2) & EX r(b))", &states[..], true),
        ([6, 10, 10, 10], "G !(F w(a,2) & F r(b))", &[Model::PartialOrder][..], true),
        ([10, 10, 10, 10], "F r(a,0) & F w(a,1) & G !(w(a,1) & F r(a,0))", &states[..], true),
        ([10, 10, 10, 10], "G (r(a,0) -> X F w(a,1))", &[Model::PartialOrder][..], true),
    ] {
        let recording = recording(&independent(sizes));
        for &model in models {
            assert_eq!(check(&recording, text, Some(model)).holds, holds, "{text} {model:?}");
        }
    }
    assert!(started.elapsed().as_secs() < 20, "each is well under a second");
}

/// Six processes of seven events that do not meet: 8^6 states, all of them looked at.
#[test]
fn large_lattices_and_hopeless_ones() {
    let text: String = (0..6).map(|p| format!("process q{p}:\n{}\n", format!(" r(v{p},0)").repeat(7))).collect();
    let recording = recording(&text);
    let answer = check(&recording, "G (p0.6 -> !X p0.0)", Some(Model::Stateless));
    assert!(answer.holds && answer.states == 262_144, "{}", answer.states);
    let Ok(Outcome::TooMany(stopped)) = verify(&recording, &formula("G !r(v0,0) | F r(v1)"), None, 1_000) else {
        panic!("a formula that holds needs all states")
    };
    assert_eq!((stopped.limit, stopped.model), (1_000, Model::Stateless));
    assert!((recording.most_states() - 262_144f64.log10()).abs() < 1e-9);
}

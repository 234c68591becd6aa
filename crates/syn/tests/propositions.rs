//! What propositions mean, by the words of the manual, and values that nobody knows.

mod common;

use common::{branching, cases, formula, linear, linearisations, recording, small, word};
use threadbare_core::Random;
use threadbare_core::source::Span;
use threadbare_logic::semantics::holds;
use threadbare_logic::{Form, Kind, Proposition, Specification};
use threadbare_syn::proposition::{Meaning, meaning, of_event};
use threadbare_syn::sequence::{Op, Value};
use threadbare_syn::{EventId, Outcome, Recording, Sequence, text, verify};

/// What an event does, part by part, with versions and values: an update reads the version before, and writes its own.
fn deeds(sequence: &Sequence, event: EventId) -> Vec<(&'static str, String, u32, Option<Value>)> {
    let mut deeds = Vec::new();
    for part in &sequence.event(event).parts {
        let name = sequence.names[part.object as usize].clone();
        let mut add = |op, version| {
            let value = sequence.find_variable(&name).and_then(|variable| sequence.value(variable, version));
            deeds.push((op, name.clone(), version, value));
        };
        if part.op == Op::Update {
            add("r", part.version - 1);
            add("w", part.version);
        }
        add(part.op.name(), part.version);
    }
    deeds
}

type Like = Box<dyn Fn(&str, &str, u32, Option<Value>) -> bool>;

/// Each proposition about events holds where some deed of the event is so; with `!=`, where none is.
#[test]
fn propositions_are_what_the_manual_says() {
    let (mut dice, mut fits) = (Random::new(21), 0);
    let compare = |sign: &str, a: Value, b: Value| match sign {
        "=" | "!=" => a == b,
        "<" => a < b,
        "<=" => a <= b,
        ">" => a > b,
        _ => a >= b,
    };
    for case in 0..cases(200) {
        let recording = small(&mut dice);
        let sequence = &recording.sequence;
        for _ in 0..20 {
            let (n, v) = (dice.below(4) as u32, format!("v{}", dice.below(2)));
            let op = dice.pick(&["r", "w", "rw", "lock", "send"]);
            let sign = dice.pick(&["=", "!=", "<", "<=", ">", ">="]);
            let equal = if sign == "!=" { "!=" } else { "=" };
            let number = Value::from(n);
            let (words, like): (String, Like) = match dice.below(7) {
                0 => (format!("{op}({v})"), Box::new(move |o, x, _, _| o == op && x == v)),
                1 => (format!("{op}({v},{n})"), Box::new(move |o, x, k, _| o == op && x == v && k == n)),
                2 => (format!("*({v},{n})"), Box::new(move |_, x, k, _| x == v && k == n)),
                3 => (format!("op{equal}{op}"), Box::new(move |o, _, _, _| o == op)),
                4 => (format!("vid{equal}{v}"), Box::new(move |_, x, _, _| x == v)),
                5 => (format!("ver{sign}{n}"), Box::new(move |_, _, k, _| compare(sign, k.into(), number))),
                _ => (
                    format!("val{sign}{n}"),
                    Box::new(move |_, _, _, value| value.is_some_and(|value| compare(sign, value, number))),
                ),
            };
            let proposition = Proposition { text: words.clone(), form: Form::Word, span: Span::default() };
            let meant = meaning(sequence, &proposition).unwrap_or_else(|error| panic!("{words}: {error}"));
            for event in 0..sequence.events.len() as EventId {
                let some = deeds(sequence, event).iter().any(|(o, x, k, value)| like(o, x, *k, *value));
                let expected = some != words.contains("!=");
                let found = of_event(&meant, sequence, event);
                assert_eq!(found, Some(expected), "case {case}: {words} {}", sequence.called(event));
                fits += usize::from(expected);
            }
        }
    }
    assert!(fits > 10 * cases(200), "{fits}");
}

#[test]
fn updates_read_and_write() {
    let recording = recording("var a = 0, 1, 5\nprocess p: rw(a,1) r(a,1)\nprocess q: w(a,2)");
    for (words, expected) in [
        ("F w(a,1)", true),
        ("G !w(a)", false),
        ("F (r(a,0) & w(a,1))", true),
        ("F (r(a) & rw(a) & op=r & op=w & op=rw)", true),
        ("G !(p.0 & op!=r)", true),
        ("w(a,1) < w(a,2)", true),
        ("r(a,0) < r(a,1)", true),
        ("F (p.0 & val=0 & val=1)", true),
        ("F (p.0 & ver=0 & ver=1)", true),
        ("F (p.0 & rw(a,0))", false),
    ] {
        let Ok(Outcome::Answer(answer)) = verify(&recording, &formula(words), None, 99) else { panic!("{words}") };
        assert_eq!(answer.holds, expected, "{words}");
    }
}

/// The verdict with every choice of values: what they agree on, if they do.
fn by_choices(recording: &Recording, judge: &dyn Fn(&Sequence) -> bool) -> Option<bool> {
    let places: Vec<(usize, usize)> = recording
        .sequence
        .variables
        .iter()
        .enumerate()
        .flat_map(|(v, variable)| {
            let unknown = variable.values.iter().enumerate().filter(|(_, value)| value.is_none());
            unknown.map(move |(version, _)| (v, version)).collect::<Vec<_>>()
        })
        .collect();
    let mut sequence = recording.sequence.clone();
    let mut told = Vec::new();
    for choice in 0..5usize.pow(places.len() as u32) {
        for (number, &(v, version)) in places.iter().enumerate() {
            let value = choice / 5usize.pow(number as u32) % 5;
            sequence.variables[v].values[version] = Some(value as Value - 1);
        }
        told.push(judge(&sequence));
    }
    told.iter().all(|one| *one == told[0]).then_some(told[0])
}

/// A formula is answered if and only if the answer is the same whatever the values are that nobody knows.
#[test]
fn unknown_values_are_any_values() {
    let (mut dice, mut told) = (Random::new(22), [0; 3]);
    for case in 0..cases(200) {
        let mut recording = small(&mut dice);
        let mut left = 1 + dice.below(3);
        for variable in &mut recording.sequence.variables {
            for value in &mut variable.values {
                if left > 0 && dice.once_in(2) {
                    (*value, left) = (None, left - 1);
                }
            }
        }
        let sequence = &recording.sequence;
        let lines = linearisations(&common::closure(sequence), 1_000).expect("few");
        for round in 0..10 {
            let size = 1 + dice.below(6);
            let propositions = common::propositions(&mut dice, sequence, true);
            let meanings_in = |sequence: &Sequence, propositions: &[Proposition]| -> Vec<Meaning> {
                propositions.iter().map(|p| meaning(sequence, p).unwrap_or_else(|e| panic!("{e}"))).collect()
            };
            let (specification, expected) = match round % 3 {
                // LTL by its definition on every linearisation.
                0 | 1 => {
                    let specification = Specification { formula: linear(&mut dice, size), propositions };
                    let meant = meanings_in(sequence, &specification.propositions);
                    let expected = by_choices(&recording, &|sequence| {
                        lines.iter().all(|line| holds(&specification.formula, &word(sequence, &meant, line)))
                    });
                    (specification, expected)
                }
                // CTL and relations as they are answered where everything is known, which other tests hold against their definitions.
                _ => {
                    let specification = match dice.once_in(2) {
                        true => {
                            let sign = dice.pick(&["<", "||", "~>"]);
                            let not = dice.pick(&["", "!"]);
                            let [p, q] = [&propositions[0], &propositions[1]].map(|p| p.text.clone());
                            formula(&format!("{not}({p} {sign} {q})"))
                        }
                        false => Specification { formula: branching(&mut dice, size), propositions },
                    };
                    let expected = by_choices(&recording, &|filled| {
                        let Recording { versions, order, .. } = &recording;
                        let (versions, order) = (versions.clone(), order.clone());
                        let known = Recording { sequence: filled.clone(), versions, order };
                        common::answer(&known, &specification, None).holds
                    });
                    (specification, expected)
                }
            };
            let outcome = verify(&recording, &specification, None, usize::MAX).unwrap_or_else(|e| panic!("{e}"));
            let shown = || {
                let words = format!("{:#}", specification.formula.display(&specification.propositions));
                format!("case {case}: {words}\n{}", text::write(sequence))
            };
            let found = match outcome {
                Outcome::Answer(answer) => Some(answer.holds),
                Outcome::Hangs(_) => None,
                Outcome::TooMany(_) => panic!("there is no limit"),
            };
            assert_eq!(found, expected, "{}", shown());
            told[expected.map_or(2, usize::from)] += 1;
            if let (Kind::Proposition(_), None) = (&specification.formula.kind, expected) {
                told[2] -= 1;
            }
        }
    }
    assert!(told.iter().all(|&count| count > cases(200) / 4), "{told:?}");
}

/// Many of them are no matter where they cannot tip the scales, and are told where they may.
#[test]
fn many_unknown_values() {
    let mut text = String::from("var a = 5");
    (1..=60).for_each(|_| text += ", _");
    text += "\nprocess p:";
    (1..=60).for_each(|n| text += &format!(" w(a,{n})"));
    let recording = recording(&text);
    for (words, expected) in [
        ("F a=5", Some(true)),
        ("a!=5 | F (p.1 & X p.2)", Some(true)),
        ("G !(p.3 & a=5 & p.4)", Some(true)),
        ("G a=5", None),
        ("a=5 <-> F a=6", None),
        ("F val=5", None),
        ("a=4 & F val=7", Some(false)),
    ] {
        let outcome = verify(&recording, &formula(words), None, 999).unwrap_or_else(|error| panic!("{error}"));
        match (outcome, expected) {
            (Outcome::Answer(answer), Some(holds)) => assert_eq!(answer.holds, holds, "{words}"),
            (Outcome::Hangs(why), None) => assert!(why.contains("not known"), "{why}"),
            _ => panic!("{words}"),
        }
    }
}

#[test]
fn what_an_answer_hangs_on_is_told() {
    let recording = recording("var a = _, 5\nprocess p: w(a,1)\nprocess q: r(b,0)");
    for (words, told) in [
        ("F a=5", None),
        ("G (w(a) -> a=5)", None),
        ("F val=5", None),
        (
            "G a<7",
            Some(
                "it hangs on the value of `a` in version 0, which is not known: it holds if that is 6, and does not if it is 7",
            ),
        ),
        ("a=4 || p.0", Some("`a` in version 0")),
        ("(a=4 <-> a=4)", None),
        ("a=3 | a<3 | a>3", None),
    ] {
        let outcome = verify(&recording, &formula(words), None, 99).unwrap_or_else(|error| panic!("{words}: {error}"));
        match (outcome, told) {
            (Outcome::Answer(answer), None) => assert!(answer.holds, "{words}"),
            (Outcome::Hangs(why), Some(part)) => assert!(why.contains(part), "{words}: {why}"),
            (Outcome::Hangs(why), None) => panic!("{words}: {why}"),
            _ => panic!("{words}: answered"),
        }
    }
}

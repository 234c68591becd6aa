//! Formulas on models against brute force: LTL on every linearisation, CTL on the graph of all sets of events.

mod common;

use common::{
    answer, branching, cases, closure, formula, letter, linear, linearisations, models, propositions, small, word,
};
use rustc_hash::FxHashMap;
use threadbare_core::Random;
use threadbare_logic::semantics::{Lasso, Letter, holds};
use threadbare_logic::{Binary, Expr, Kind, Quantifier, Specification, Unary};
use threadbare_syn::proposition::{Meaning, about_event, meaning, of_event};
use threadbare_syn::{EventId, Evidence, Model, Sequence, text};

#[test]
fn ltl_is_what_holds_on_every_linearisation() {
    let (mut dice, mut broken) = (Random::new(7), 0);
    for case in 0..cases(200) {
        let recording = small(&mut dice);
        let sequence = &recording.sequence;
        let order = closure(sequence);
        let lines = linearisations(&order, 1_000).expect("few");
        for _ in 0..10 {
            let size = 1 + dice.below(7);
            let values = dice.once_in(2);
            let propositions = propositions(&mut dice, sequence, values);
            let specification = Specification { formula: linear(&mut dice, size), propositions };
            let meanings: Vec<Meaning> = specification
                .propositions
                .iter()
                .map(|p| meaning(sequence, p).unwrap_or_else(|e| panic!("{e}")))
                .collect();
            let expected = lines.iter().all(|line| holds(&specification.formula, &word(sequence, &meanings, line)));
            let shown = || {
                format!(
                    "case {case}: {:#}\n{}",
                    specification.formula.display(&specification.propositions),
                    text::write(sequence)
                )
            };
            for model in models(&meanings) {
                let answer = answer(&recording, &specification, model);
                assert_eq!(answer.holds, expected, "{model:?} {}", shown());
                if let Some(Evidence::Line { events, .. }) = &answer.evidence {
                    assert!(lines.contains(events), "{}", shown());
                    assert!(!holds(&specification.formula, &word(sequence, &meanings, events)), "{}", shown());
                }
                assert_eq!(answer.evidence.is_some(), !expected, "{}", shown());
            }
            broken += usize::from(!expected);
        }
    }
    assert!(broken > cases(200));
}

/// Sets of events that can have happened, each with the last one: what CTL means there, by its definition.
struct Brute<'s> {
    sequence: &'s Sequence,
    meanings: &'s [Meaning],
    order: Vec<Vec<bool>>,
    known: FxHashMap<(*const Expr, Vec<EventId>, bool), bool>,
}

impl Brute<'_> {
    /// The events that have happened, in any order but for the last one; whether it is over.
    fn next(&self, done: &[EventId], over: bool) -> Vec<(Vec<EventId>, bool)> {
        if over || done.len() == self.order.len() {
            return vec![(done.to_vec(), true)];
        }
        let can = |&event: &usize| {
            !done.contains(&(event as EventId))
                && (0..self.order.len()).all(|other| !self.order[other][event] || done.contains(&(other as EventId)))
        };
        (0..self.order.len())
            .filter(can)
            .map(|event| {
                let mut next = done.to_vec();
                next.sort_unstable();
                next.push(event as EventId);
                (next, false)
            })
            .collect()
    }

    fn holds(&mut self, expr: &Expr, done: &[EventId], over: bool) -> bool {
        let key = (expr as *const Expr, done.to_vec(), over);
        if let Some(&known) = self.known.get(&key) {
            return known;
        }
        let value = self.by_definition(expr, done, over);
        self.known.insert(key, value);
        value
    }

    fn by_definition(&mut self, expr: &Expr, done: &[EventId], over: bool) -> bool {
        match &expr.kind {
            Kind::Constant(value) => *value,
            Kind::Proposition(p) => letter(self.sequence, self.meanings, done, over) >> p & 1 == 1,
            Kind::Unary(Unary::Not, a) => !self.holds(a, done, over),
            Kind::Binary(op, a, b) => {
                let (a, b) = (self.holds(a, done, over), self.holds(b, done, over));
                match op {
                    Binary::And => a && b,
                    Binary::Or => a || b,
                    Binary::Implies => !a || b,
                    _ => a == b,
                }
            }
            Kind::Path(quantifier, body) => {
                let nexts = self.next(done, over);
                let behind = |brute: &mut Self, expr: &Expr| {
                    let mut each = nexts.iter().map(|(done, over)| brute.holds(expr, done, *over));
                    if *quantifier == Quantifier::All { each.all(|x| x) } else { each.any(|x| x) }
                };
                // At the end there is one way to go on: to stay. There the fixpoints are what holds now.
                match &body.kind {
                    Kind::Unary(Unary::Next, a) => behind(self, a),
                    Kind::Unary(Unary::Finally, a) => self.holds(a, done, over) || !over && behind(self, expr),
                    Kind::Unary(_, a) => self.holds(a, done, over) && (over || behind(self, expr)),
                    Kind::Binary(Binary::Until, a, b) => {
                        self.holds(b, done, over) || self.holds(a, done, over) && !over && behind(self, expr)
                    }
                    Kind::Binary(Binary::WeakUntil, a, b) => {
                        self.holds(b, done, over) || self.holds(a, done, over) && (over || behind(self, expr))
                    }
                    Kind::Binary(_, a, b) => {
                        self.holds(b, done, over) && (self.holds(a, done, over) || over || behind(self, expr))
                    }
                    _ => unreachable!("CTL"),
                }
            }
            _ => unreachable!("CTL"),
        }
    }
}

#[test]
fn ctl_is_what_holds_on_the_graph() {
    let (mut dice, mut true_ones, mut paths) = (Random::new(8), 0, 0);
    for case in 0..cases(200) {
        let recording = small(&mut dice);
        let sequence = &recording.sequence;
        for _ in 0..10 {
            let size = 1 + dice.below(7);
            let values = dice.once_in(2);
            let propositions = propositions(&mut dice, sequence, values);
            let formula = Expr::new(Kind::Path(
                dice.pick(&[Quantifier::All, Quantifier::Some]),
                Box::new(Expr::unary(dice.pick(&[Unary::Finally, Unary::Globally]), branching(&mut dice, size))),
            ));
            let specification = Specification { formula, propositions };
            let meanings: Vec<Meaning> = specification
                .propositions
                .iter()
                .map(|p| meaning(sequence, p).unwrap_or_else(|e| panic!("{e}")))
                .collect();
            let mut brute =
                Brute { sequence, meanings: &meanings, order: closure(sequence), known: FxHashMap::default() };
            let expected = brute.holds(&specification.formula, &[], false);
            true_ones += usize::from(expected);
            for model in models(&meanings) {
                let answer = answer(&recording, &specification, model);
                let shown = || {
                    format!(
                        "case {case}: {:#}\n{}",
                        specification.formula.display(&specification.propositions),
                        text::write(sequence)
                    )
                };
                assert_eq!(answer.holds, expected, "{model:?} {}", shown());
                if let Some(Evidence::Line { events, .. }) = &answer.evidence {
                    paths += 1;
                    let may = |(i, &event): (usize, &EventId)| {
                        (0..brute.order.len()).all(|other| {
                            !brute.order[other][event as usize] || events[..i].contains(&(other as EventId))
                        })
                    };
                    assert!(events.iter().enumerate().all(may), "{}", shown());
                }
            }
        }
    }
    assert!(true_ones > 100 && paths > 100, "{true_ones} {paths}");
}

/// CTL and LTL joined: what is true or false of the whole stands in the formula as such, and that holds on every linearisation.
#[test]
fn joined_formulas_hold_on_every_linearisation() {
    /// Whether it holds on this linearisation.
    fn on_line(brute: &mut Brute<'_>, expr: &Expr, lasso: &Lasso) -> bool {
        match &expr.kind {
            Kind::Path(..) => brute.holds(expr, &[], false),
            Kind::Unary(Unary::Not, a) => !on_line(brute, a, lasso),
            Kind::Binary(op, a, b) if !op.is_temporal() => {
                let (a, b) = (on_line(brute, a, lasso), on_line(brute, b, lasso));
                match op {
                    Binary::And => a && b,
                    Binary::Or => a || b,
                    Binary::Implies => !a || b,
                    _ => a == b,
                }
            }
            _ => holds(expr, lasso),
        }
    }
    fn joined(dice: &mut Random, size: usize) -> Expr {
        let ever = [Unary::Finally, Unary::Globally];
        match dice.below(if size == 0 { 2 } else { 4 }) {
            0 => Expr::unary(dice.pick(&ever), linear(dice, 3)),
            1 => {
                let body = Expr::unary(dice.pick(&ever), branching(dice, 3));
                Expr::new(Kind::Path(dice.pick(&[Quantifier::All, Quantifier::Some]), Box::new(body)))
            }
            2 => Expr::unary(Unary::Not, joined(dice, size - 1)),
            _ => {
                let op = dice.pick(&[Binary::And, Binary::Or, Binary::Implies, Binary::Iff]);
                Expr::binary(op, joined(dice, size - 1), joined(dice, size - 1))
            }
        }
    }
    let (mut dice, mut true_ones, mut mixed) = (Random::new(12), 0, 0);
    for case in 0..cases(200) {
        let recording = small(&mut dice);
        let sequence = &recording.sequence;
        let order = closure(sequence);
        let lines = linearisations(&order, 1_000).expect("few");
        for _ in 0..5 {
            let propositions = propositions(&mut dice, sequence, case % 2 == 0);
            let specification = Specification { formula: joined(&mut dice, 3), propositions };
            let meanings: Vec<Meaning> = specification
                .propositions
                .iter()
                .map(|p| meaning(sequence, p).unwrap_or_else(|e| panic!("{e}")))
                .collect();
            let mut brute = Brute { sequence, meanings: &meanings, order: order.clone(), known: FxHashMap::default() };
            let formula = &specification.formula;
            let expected = lines.iter().all(|line| on_line(&mut brute, formula, &word(sequence, &meanings, line)));
            for model in models(&meanings) {
                let answer = answer(&recording, &specification, model);
                let shown = format!("{:#}", formula.display(&specification.propositions));
                assert_eq!(answer.holds, expected, "case {case} {model:?}: {shown}\n{}", text::write(sequence));
            }
            true_ones += usize::from(expected);
            mixed += usize::from(!formula.is_linear());
        }
    }
    assert!(true_ones > cases(200) / 2 && mixed > cases(200), "{true_ones} {mixed}");
}

/// `p < q` among other formulas for NuSMV is CTL, which says the same.
#[test]
fn happens_before_is_ctl() {
    let (mut dice, mut true_ones) = (Random::new(13), 0);
    for case in 0..cases(200) {
        let recording = small(&mut dice);
        for _ in 0..10 {
            let mut side = || {
                let at = dice.below(recording.sequence.events.len());
                let event = &recording.sequence.events[at];
                let the = format!("p{}.{}", event.process, event.index);
                let other = propositions(&mut dice, &recording.sequence, false).swap_remove(0).text;
                match dice.below(3) {
                    0 => the,
                    1 => format!("({the} | {other})"),
                    _ => format!("(!{the} & {other})"),
                }
            };
            let (p, q) = (side(), side());
            if p.contains("evnt") || q.contains("evnt") {
                continue;
            }
            let relation = answer(&recording, &formula(&format!("{p} < {q}")), None).holds;
            let (p, q) = (format!("({p} & *(*))"), format!("({q} & *(*))"));
            let said = formula(&format!("AF {p} & AF {q} & !EF ({q} & EF {p})"));
            assert_eq!(answer(&recording, &said, Some(Model::Stateless)).holds, relation, "case {case}: {p} {q}");
            true_ones += usize::from(relation);
        }
    }
    assert!(true_ones > 50, "{true_ones}");
}

/// A side of a relation, in words: propositions with `! & |`, those about how far a process is among them.
fn side(dice: &mut Random, sequence: &Sequence, values: bool, size: usize) -> String {
    if size <= 1 {
        let process = dice.below(sequence.processes.len());
        let sign = dice.pick(&["=", "!=", "<", "<=", ">", ">="]);
        return match dice.below(3) {
            0 => format!("p{process}.evnt{sign}{}", dice.below(4)),
            _ => propositions(dice, sequence, values).swap_remove(0).text,
        };
    }
    match dice.below(3) {
        0 => format!("!({})", side(dice, sequence, values, size - 1)),
        1 => {
            format!("({} & {})", side(dice, sequence, values, size / 2), side(dice, sequence, values, size - size / 2))
        }
        _ => {
            format!("({} | {})", side(dice, sequence, values, size / 2), side(dice, sequence, values, size - size / 2))
        }
    }
}

/// A relation means one thing, from the graph and on both kinds of states, whatever is negated and asked for: an event is like `p` if `p`
/// holds right behind it, and `p0.evnt = 3` is the event of that number.
#[test]
fn relations_with_negation_and_counters_mean_one_thing() {
    let (mut dice, mut told) = (Random::new(9), [[0; 2]; 4]);
    for case in 0..cases(200) {
        let recording = small(&mut dice);
        let sequence = &recording.sequence;
        let order = closure(sequence);
        let lines = linearisations(&order, 1_000).expect("few");
        for (number, relation) in ["<", "||", "~>", "may"].into_iter().enumerate().cycle().take(20) {
            let values = dice.once_in(3);
            let mut words = || {
                let size = 1 + dice.below(3);
                side(&mut dice, sequence, values, size)
            };
            let (left, right) = (words(), words());
            let words = match relation {
                "may" => format!("may({left} ~> {right})"),
                _ => format!("{left} {relation} {right}"),
            };
            let specification = formula(&words);
            let meanings: Vec<Meaning> = specification
                .propositions
                .iter()
                .map(|p| about_event(&meaning(sequence, p).unwrap_or_else(|e| panic!("{e}"))))
                .collect();
            let Kind::Relation(_, p, q) = &specification.formula.kind else { panic!("a relation: {words}") };
            // Right behind the last of these events.
            let is = |expr: &Expr, done: &[EventId]| {
                let letter = letter(sequence, &meanings, done, false);
                holds(expr, &Lasso { prefix: vec![], cycle: vec![letter] })
            };
            let matching = |expr: &Expr, line: &Vec<EventId>| -> Vec<bool> {
                (1..=line.len()).map(|count| is(expr, &line[..count])).collect()
            };
            let before = |line: &Vec<EventId>| {
                let (p, q) = (matching(p, line), matching(q, line));
                let last = p.iter().rposition(|p| *p);
                last.is_some_and(|last| q.iter().position(|q| *q).is_some_and(|first| last < first))
            };
            let next = |line: &Vec<EventId>| {
                let (p, q) = (matching(p, line), matching(q, line));
                p.iter().zip(&q[1..]).any(|(p, q)| *p && *q)
            };
            let parallel = |line: &Vec<EventId>| {
                (0..line.len()).any(|count| {
                    let (done, one) = (&line[..count], line[count]);
                    let can = |event: EventId| {
                        !line[..=count].contains(&event)
                            && (0..order.len()).all(|o| !order[o][event as usize] || done.contains(&(o as EventId)))
                    };
                    let after = |event: EventId| [done, &[event]].concat();
                    is(p, &after(one)) && (0..order.len() as EventId).any(|other| can(other) && is(q, &after(other)))
                })
            };
            let expected = match relation {
                "<" => lines.iter().all(before),
                "||" => lines.iter().any(parallel),
                "~>" => lines.iter().all(next),
                _ => lines.iter().any(next),
            };
            for model in models(&meanings) {
                let answer = answer(&recording, &specification, model);
                assert_eq!(answer.holds, expected, "case {case}, {model:?}: {words}\n{}", text::write(sequence));
                if let (true, "||", Some(events)) =
                    (answer.holds, relation, answer.evidence.as_ref().and_then(Evidence::line))
                {
                    let may = |(i, &event): (usize, &EventId)| {
                        (0..order.len()).all(|o| !order[o][event as usize] || events[..i].contains(&(o as EventId)))
                    };
                    assert!(events.iter().enumerate().all(may), "case {case}: {words}\n{}", text::write(sequence));
                }
            }
            told[number][usize::from(expected)] += 1;
        }
    }
    assert!(told.iter().flatten().all(|&count| count > 5), "{told:?}");
}

/// The size of a lattice lies between what is said of it without a look at its states.
#[test]
fn a_hopeless_lattice_is_known_by_its_size() {
    let (mut dice, mut exact) = (Random::new(11), 0);
    for case in 0..cases(200) {
        let recording = small(&mut dice);
        let states = answer(&recording, &formula("AG true"), Some(Model::Stateless)).states as f64;
        let (least, most) = (10f64.powf(recording.least_states()), 10f64.powf(recording.most_states()));
        let shown = || format!("case {case}: {least} {states} {most}\n{}", text::write(&recording.sequence));
        assert!(least <= states + 0.01 && states <= most + 0.01, "{}", shown());
        exact += usize::from((least - states).abs() < 0.01);
    }
    assert!(exact > 20, "{exact}");
}

/// A formula that says what all executions are like can only be broken by more of them; the others are not known to be.
#[test]
fn what_is_universal_fails_where_fewer_executions_break_it() {
    for (words, universal) in [
        ("G !w(a)", true),
        ("!F w(a)", true),
        ("w(a) < r(a)", true),
        ("w(a) ~> r(a)", true),
        ("!(w(a) || r(a))", true),
        ("!may(w(a) ~> r(a)) & AG (w(a) -> AF r(a))", true),
        ("w(a) || r(a)", false),
        ("!(w(a) < r(a))", false),
        ("w(a) || r(a) -> w(a) < r(a)", true),
        ("(w(a) || r(a)) <-> w(a) < r(a)", false),
        ("AG EF r(a)", false),
        ("E[F r(a)]", false),
        ("!E[F r(a)]", true),
    ] {
        assert_eq!(formula(words).formula.is_universal(), universal, "{words}");
    }
}

/// On the partial order itself a path is a chain that cannot be made longer.
#[test]
fn chains_are_paths_of_the_order() {
    let (mut dice, mut broken) = (Random::new(10), 0);
    for case in 0..cases(200) {
        let recording = small(&mut dice);
        let sequence = &recording.sequence;
        let behind = recording.order.behind();
        let mut chains: Vec<Vec<EventId>> = Vec::new();
        let firsts = (0..sequence.events.len() as EventId).filter(|&event| recording.order.before(event).is_empty());
        let mut open: Vec<Vec<EventId>> = firsts.map(|event| vec![event]).collect();
        while let Some(chain) = open.pop() {
            match &behind[chain[chain.len() - 1] as usize] {
                list if list.is_empty() => chains.push(chain),
                list => open.extend(list.iter().map(|&event| [chain.clone(), vec![event]].concat())),
            }
        }
        for _ in 0..5 {
            let size = 1 + dice.below(6);
            let specification = Specification {
                propositions: propositions(&mut dice, sequence, false),
                formula: linear(&mut dice, size),
            };
            let meanings: Vec<Meaning> = specification
                .propositions
                .iter()
                .map(|p| meaning(sequence, p).unwrap_or_else(|e| panic!("{e}")))
                .collect();
            let letter = |&event: &EventId| {
                (0..)
                    .zip(&meanings)
                    .fold(0, |l, (bit, m)| l | Letter::from(of_event(m, sequence, event) == Some(true)) << bit)
            };
            let on = |chain: &Vec<EventId>| {
                let letters: Vec<Letter> = chain.iter().map(letter).collect();
                holds(&specification.formula, &Lasso { cycle: vec![letters[letters.len() - 1]], prefix: letters })
            };
            let found = answer(&recording, &specification, Some(Model::PartialOrder)).holds;
            assert_eq!(found, chains.iter().all(on), "case {case}\n{}", text::write(sequence));
            broken += usize::from(!found);
        }
    }
    assert!(broken > 100, "{broken}");
}

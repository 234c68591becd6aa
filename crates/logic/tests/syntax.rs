//! What is read, and what is refused with which words at which place.

mod random;

use proptest::prelude::*;
use random::each_formula;
use threadbare_core::source::{Complaint, Source};
use threadbare_logic::{Expr, Kind, Specification, parse, parse_file};

fn read(text: &str) -> Result<Specification, Box<Complaint>> {
    parse(&Source::new("formula", text))
}

/// As it is shown again, fully understood.
fn shown(text: &str) -> String {
    let specification = read(text).unwrap_or_else(|complaint| panic!("{text}: {complaint}"));
    specification.formula.display(&specification.propositions).to_string()
}

#[test]
fn operators_have_the_forms_that_people_type() {
    for (forms, same) in [
        (&["G p", "[] p", "□p", "always p", "G(p)", "[]p", "◻ p"][..], "G p"),
        (&["F p", "<> p", "◇p", "eventually p", "◊p"], "F p"),
        (&["X p", "○p", "next p"], "X p"),
        (&["GF p", "G F p", "[]<> p", "□◇p", "always eventually p"], "G F p"),
        (&["!p", "~p", "¬p", "not p"], "!p"),
        (&["p && q", "p & q", "p /\\ q", "p ∧ q", "p and q", "p&&q"], "p && q"),
        (&["p || q", "p | q", "p \\/ q", "p ∨ q", "p or q"], "p || q"),
        (&["p -> q", "p => q", "p → q", "p implies q", "p->q"], "p -> q"),
        (&["p <-> q", "p <=> q", "p ↔ q", "p ⇔ q"], "p <-> q"),
        (&["p U q", "p until q", "(p) U (q)"], "p U q"),
        (&["p R q", "p V q", "p release q"], "p R q"),
        (&["p W q", "p weakuntil q"], "p W q"),
        (&["true", "1", "⊤"], "true"),
        (&["false", "0", "⊥"], "false"),
    ] {
        for form in forms {
            assert_eq!(shown(form), same, "{form}");
        }
    }
}

#[test]
fn what_binds_tighter_needs_no_parentheses() {
    for (text, same) in [
        ("G p -> F q", "(G p) -> (F q)"),
        ("!p U q", "(!p) U q"),
        ("p U q && r", "(p U q) && r"),
        ("p && q || r && s", "(p && q) || (r && s)"),
        ("p -> q || r", "p -> (q || r)"),
        ("p -> q -> r", "p -> (q -> r)"),
        ("p U q U r", "p U (q U r)"),
        ("p U q R r", "p U (q R r)"),
        ("p <-> q -> r", "p <-> (q -> r)"),
        ("p && q && r", "(p && q) && r"),
        ("G p && q", "(G p) && q"),
        ("p <-> q <-> r", "(p <-> q) <-> r"),
    ] {
        assert_eq!(read(text).expect(text).formula.display(&[]).to_string(), shown_without(same), "{text}");
    }
}

fn shown_without(text: &str) -> String {
    read(text).expect(text).formula.display(&[]).to_string()
}

#[test]
fn propositions_are_kept_as_they_are_written() {
    let text = "G ({count <= 1 && s[0] == '}'} -> excl() || t1@critical U worker[2].blocked) && {  count <=  1 && s[0] == '}' }";
    let specification = read(text).expect("good");
    let texts: Vec<String> = specification.propositions.iter().map(ToString::to_string).collect();
    assert_eq!(texts, ["{count <= 1 && s[0] == '}'}", "excl()", "t1@critical", "worker[2].blocked"]);
    let first = specification.propositions[0].span;
    assert_eq!(&text[first.from as usize..first.to as usize], "count <= 1 && s[0] == '}'");
    assert_eq!(shown("F 0.1@done"), "F 0.1@done");
    assert_eq!(shown("F {struct_of((struct s){1, 2})}"), "F {struct_of((struct s){1, 2})}");
}

#[test]
fn what_is_wrong_is_said_where_it_is() {
    for (text, column, words) in [
        ("", 1, "a formula expected, not the end"),
        ("G", 2, "a formula expected, not the end"),
        ("G (p -> F q", 12, "`)` or an operator expected, not the end"),
        ("G p)", 4, "the end of the formula or an operator expected, not `)`"),
        ("p && && q", 6, "a formula expected, not `&&`"),
        ("p U", 4, "a formula expected, not the end"),
        ("U p", 1, "a formula expected, not the operator `U`"),
        ("p q", 3, "the end of the formula or an operator expected, not `q`; an expression of C stands in braces"),
        ("G {x == 1", 3, "this brace is never closed"),
        ("F { }", 3, "there is nothing between these braces"),
        ("x == 1", 3, "`=` means nothing here; comparisons and arithmetic stand in braces"),
        ("count < 2", 7, "`<` means nothing here"),
        ("G p $", 5, "`$` means nothing here"),
        ("AG p", 1, "`AG` is an operator of CTL, and this is LTL"),
        ("F 7", 3, "`7` is neither true nor false"),
        ("p: G q", 1, "a formula expected, not the name of one, `p:`; named formulas stand in a file"),
        ("G p }", 5, "`}` means nothing here; it closes no brace"),
    ] {
        let complaint = read(text).expect_err(text);
        let said = [vec![complaint.message.clone()], complaint.notes.clone()].concat().join("; ");
        assert!(said.starts_with(words), "{text}: {said}");
        let at = complaint.span.expect("somewhere");
        assert_eq!(at.from + 1, column, "{text}: {said}");
    }
}

#[test]
fn files_have_named_formulas() {
    let text = "# What must hold.\nexclusion: G !(t1@critical && t2@critical)\n\nresponse:   // in the end\n  G (request\n     -> F granted)\n";
    let all = parse_file(&Source::new("spec.ltl", text)).expect("good");
    let shown: Vec<String> = all
        .iter()
        .map(|one| format!("{}: {}", one.name, one.specification.formula.display(&one.specification.propositions)))
        .collect();
    assert_eq!(shown, ["exclusion: G !(t1@critical && t2@critical)", "response: G (request -> F granted)"]);
    for (text, words) in [
        ("", "there is no formula in it"),
        ("G p", "a name with a colon expected, not `G`"),
        ("a: G p\na: F p", "there is a formula `a` already"),
        ("a: G\nb: F p", "a formula expected, not the name of one, `b:`"),
        ("a: G p q", "a name with a colon expected, not `q`"),
    ] {
        let complaint = parse_file(&Source::new("spec.ltl", text)).expect_err(text);
        assert!(complaint.message.starts_with(words), "{text}: {complaint}");
    }
}

#[test]
fn large_formulas_are_refused_before_they_use_up_the_stack() {
    for text in
        ["G ".repeat(100_000) + "p", "(".repeat(100_000), "p && ".repeat(100_000) + "p", "p -> ".repeat(100_000) + "p"]
    {
        let complaint = read(&text).expect_err("too large");
        assert_eq!(complaint.message, "this formula is too large");
        assert!(complaint.notes[0].contains("at most 800 operators"), "{:?}", complaint.notes);
    }
    let many: Vec<String> = (0..65).map(|i| format!("p{i}")).collect();
    assert!(read(&many.join(" && ")).expect_err("too many").message.contains("at most 64 propositions"));
}

fn same(a: &Expr, b: &Expr) -> bool {
    match (&a.kind, &b.kind) {
        (Kind::Unary(x, a), Kind::Unary(y, b)) => x == y && same(a, b),
        (Kind::Binary(x, a, c), Kind::Binary(y, b, d)) => x == y && same(a, b) && same(c, d),
        (a, b) => a == b,
    }
}

/// With propositions that are numbered in the order in which they come up.
fn renumbered(expr: &Expr, known: &mut Vec<u8>) -> Expr {
    match &expr.kind {
        Kind::Path(..) | Kind::Relation(..) => unreachable!("LTL has neither"),
        Kind::Constant(_) => expr.clone(),
        Kind::Proposition(p) => {
            let number = known.iter().position(|other| other == p).unwrap_or_else(|| {
                known.push(*p);
                known.len() - 1
            });
            Expr::new(Kind::Proposition(number as u8))
        }
        Kind::Unary(op, a) => Expr::unary(*op, renumbered(a, known)),
        Kind::Binary(op, a, b) => {
            let a = renumbered(a, known);
            Expr::binary(*op, a, renumbered(b, known))
        }
    }
}

#[test]
fn what_is_shown_is_read_as_the_same() {
    each_formula(2_000, 12, |formula| {
        let text = formula.display(&[]).to_string();
        let again = read(&text).map_err(|complaint| TestCaseError::fail(format!("{text}: {complaint}")))?;
        prop_assert!(same(&again.formula, &renumbered(formula, &mut Vec::new())), "{}", text);
        Ok(())
    });
}

/// Whatever is typed, there is an answer.
#[test]
fn nothing_that_is_typed_is_a_panic() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let pieces = proptest::sample::select(vec![
        "G", "F", "X", "U", "W", "R", "(", ")", "{", "}", "p", "q(", ")", "[", "]", "[]", "<>", "->", "<->", "!", "&&",
        "|", "'", "\"", "\\", "@", ".", ":", "#", "//", "\n", " ", "0", "1", "12", "□", "é", "\u{0}", "A", "true",
        "and",
    ]);
    let texts = proptest::collection::vec(pieces, 0..20).prop_map(|pieces| pieces.concat());
    runner
        .run(&texts, |text| {
            for result in [read(&text).map(|_| ()), parse_file(&Source::new("f", text.as_str())).map(|_| ())] {
                if let Err(complaint) = result
                    && let Some(span) = complaint.span
                {
                    prop_assert!(span.from <= span.to && span.to as usize <= text.len(), "{}: {:?}", text, span);
                    prop_assert!(text.is_char_boundary(span.from as usize), "{}: {:?}", text, span);
                }
            }
            Ok(())
        })
        .expect("an answer");
}

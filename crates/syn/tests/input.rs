//! Input of all formats: what is wrong with it is told with its place, and nothing makes us panic.

mod common;

use common::{formula, recording};
use threadbare_core::Random;
use threadbare_core::source::{Complaint, Source};
use threadbare_logic::parse_sequence_file;
use threadbare_syn::smv::{Spec, smv};
use threadbare_syn::{Evidence, Model, Outcome, Recording, picture, read, text, verify};

fn refused(file: &str, text: &str) -> (Source, Complaint) {
    let source = Source::new(file, text);
    let result = read(&source).and_then(|sequence| Recording::new(sequence, &source));
    let Err(complaint) = result else { panic!("accepted:\n{text}") };
    (source, *complaint)
}

#[test]
fn mistakes_are_told_with_their_places() {
    for (file, text, line, column, message) in [
        ("a.syn", "var a = 4, x", 1, 12, "a value expected, not `x`"),
        ("a.syn", "var a 4", 1, 7, "`=` expected, not `4`"),
        ("a.syn", "r(a,0)", 1, 1, "`var` or `process` expected, not `r`"),
        ("a.syn", "process p0\n  r(a,0)", 2, 4, "`:` expected, not `(`"),
        ("a.syn", "process:\n  r(a,0) q(a,0)", 2, 10, "an event expected, not `q`"),
        ("a.syn", "process:\n  r(a 0)", 2, 7, "`,` expected, not `0`"),
        ("a.syn", "process:\n  r(a,0", 2, 8, "`)` expected, not the end"),
        ("a.syn", "process:\n  r(a,-1)", 2, 7, "versions are numbers"),
        ("a.syn", "process:\n  r(a,0) [line=7]", 2, 17, "`:` expected, not `]`"),
        ("a.syn", "process:\n  r(a,0) [when=7]", 2, 11, "`pc`, `line` or `label` expected"),
        ("a.syn", "process p:\nprocess p:", 2, 9, "there is a process `p` already"),
        ("a.syn", "process p1: r(a,0)\nprocess: r(a,0)", 2, 8, "there is a process `p1` already"),
        (
            "a.json",
            "{\"processes\": [{\"name\": \"p1\", \"events\": []},\n {\"events\": []}]}",
            2,
            2,
            "there is a process `p1` already",
        ),
        ("a.syn", "process: receive(c,1)", 1, 10, "p0.0 receive(c,1) receives what nobody sends"),
        ("a.syn", "process: send(c,1) send(c,1)", 1, 20, "p0.1 send(c,1) sends message 1 into `c` a second time"),
        ("a.syn", "process: send(c,2)", 1, 10, "p0.0 send(c,2) sends message 2 into `c`, but nobody sends message 1"),
        ("a.syn", "process: send(c,0)", 1, 10, "p0.0 send(c,0) sends message 0 into `c`"),
        (
            "a.syn",
            "process: send(c,1) send(c,2) receive(c,2)",
            1,
            30,
            "receives message 2 of `c`, but nobody receives message 1",
        ),
        ("a.syn", "process: w(x,1)+w(x,1)", 1, 10, "`w(x,1)` is twice in one event"),
        ("a.syn", "process: r(x,0)+r(x,0)", 1, 10, "`r(x,0)` is twice in one event"),
        ("a.syn", "process: w(x,1)+rw(x,1)", 1, 10, "`w(x,1)` and `rw(x,1)` in one event make one version"),
        ("a.syn", "process: send(c,1) w(c,1)", 1, 20, "`c` is a mailbox, and p0.1 w(c,1) is no message"),
        ("a.syn", "var c = 5\nprocess: send(c,1)", 1, 5, "`c` is a mailbox, and has no values"),
        ("a.csv", "p,w,c,5\np,send,c", 1, 1, "`c` is a mailbox, and p.0 w(c,1) is no message"),
        ("a.syn", "process: r(\"a,0)", 1, 12, "this quote is never closed"),
        ("a.syn", "process: w(a,0)", 1, 10, "p0.0 w(a,0) writes version 0 of `a`"),
        ("a.syn", "process: r(a,1)", 1, 10, "p0.0 r(a,1) reads version 1 of `a`, which nobody writes"),
        ("a.syn", "process: w(a,1)\nprocess: w(a,1)", 2, 10, "p1.0 w(a,1) writes version 1 of `a` a second time"),
        ("a.syn", "process: w(a,2) w(a,2)", 1, 17, "p0.1 w(a,2) writes version 2 of `a` a second time"),
        ("a.syn", "process: w(a,1) w(a,3)", 1, 17, "writes version 3 of `a`, but nobody writes version 2"),
        ("a.syn", "process: w(a,4000000)", 1, 10, "nobody writes version 1"),
        ("a.syn", "var a = 1, 2\nprocess: r(a,0)", 1, 5, "`a` has 2 values, and 1 version, the first"),
        ("a.syn", "process: r(a,1) w(a,1)", 1, 10, "2 events come before each other in a circle"),
        (
            "a.syn",
            "process: r(a,1) w(b,1)\nprocess: r(b,1) w(a,1)",
            1,
            10,
            "4 events come before each other in a circle",
        ),
        ("a.syn", "process: r(a,0)+r(a,1)+w(a,1)", 1, 10, "in versions that do not go together"),
        ("a.csv", "p,r,a\np,x,a", 2, 3, "there is no operation `x`"),
        ("a.csv", "p,r", 1, 1, "the object is missing"),
        ("a.csv", "p,r,a,1\np,r,a,2", 2, 1, "2 is read from `a`, which was 1"),
        ("a.csv", "p,receive,c", 1, 1, "message 1 is received from `c`, and none was sent before"),
        ("a.csv", "process,op,object,when", 1, 19, "there is no column `when`"),
        ("a.csv", "p,r,a,1,2", 1, 9, "5 fields, and there are only 4 columns"),
        ("a.json", "{\"processes\": [\n 7]}", 2, 2, "a process is needed, not a number"),
        ("a.json", "{\"processes\": []", 1, 17, "`,` or `}` expected, not the end"),
    ] {
        let (source, complaint) = refused(file, text);
        let at = complaint.span.map(|span| source.at(span)).map(|at| (at.line, at.column));
        assert!(complaint.message.contains(message), "{text}\n{}", complaint.message);
        assert_eq!(at, Some((line, column)), "{text}\n{}", complaint.message);
    }
    let (_, cycle) = refused("a.syn", "process: r(a,1) w(b,1)\nprocess: r(b,1) w(a,1)");
    assert!(cycle.notes.iter().any(|note| note == "p1.1 w(a,1) at 2:17 comes before p0.0 r(a,1)"), "{:?}", cycle.notes);
}

/// Every mistake in JSON has a line and a column, and is told in our own words.
#[test]
fn json_messages_have_places_and_our_words() {
    let event = |text: &str| format!("{{\"processes\": [\n{{\"events\": [\n{text}]}}]}}");
    for (text, line, column, message) in [
        (event(r#"{"op": "r"}"#), 3, 1, "`object` is missing"),
        (event(r#"{"op": "x", "object": "a", "version": 0}"#), 3, 8, "there is no operation `x`"),
        (event(r#"{"op": "r", "object": "a", "version": -1}"#), 3, 39, "versions are numbers from 0"),
        (event(r#"{"op": "r", "object": "a", "version": 0.5}"#), 3, 39, "`0.5` is no whole number"),
        (
            event(r#"{"op": "r", "object": "a", "version": "0"}"#),
            3,
            39,
            "the number of a version is needed, not a text",
        ),
        (
            event(r#"{"op": "r", "object": "", "version": 0}"#),
            3,
            23,
            "the name of an object is needed, and this is empty",
        ),
        (event(r#"{"op": "r", "object": "a", "version": 0, "line": "q.c"}"#), 3, 50, "a file with a line is needed"),
        (
            event(r#"{"op": "r", "object": "a", "version": 0, "when": 1}"#),
            3,
            42,
            "there is no field `when` in an event",
        ),
        (event(r#"{"op": "r", "op": "r"}"#), 3, 13, "the field `op` is there twice"),
        (event(r#"{"op": "r", "parts": []}"#), 3, 1, "an event has `parts`, or an `op` of its own"),
        (event(r#"{"parts": []}"#), 3, 11, "an event has at least one part"),
        (event(r#"{"op": "r\q"}"#), 3, 10, "this means nothing in a text"),
        (event(r#"{"op": "r}"#), 3, 8, "this quote is never closed"),
        (event(r#"{op: "r"}"#), 3, 2, "the name of a field in quotes expected, not `op`"),
        (event("nothing"), 3, 1, "a value expected, not `nothing`"),
        (event("{\"op\": 01}"), 3, 8, "`01` is no number"),
        // What the sequence itself says has a place as well.
        (event(r#"{"op": "r", "object": "a", "version": 1}"#), 3, 1, "reads version 1 of `a`, which nobody writes"),
        ("{}".to_string(), 1, 1, "`processes` is missing"),
        ("{\"processes\": []} x".to_string(), 1, 19, "the end expected, not `x`"),
        (
            r#"{"processes": [{"name": "", "events": []}]}"#.to_string(),
            1,
            25,
            "the name of a process is needed, and this is empty",
        ),
        (
            r#"{"processes": [{"name": "p", "events": []}, {"name": "p", "events": []}]}"#.to_string(),
            1,
            54,
            "there is a process `p` already",
        ),
        (r#"{"variables": {"a": 4}, "processes": []}"#.to_string(), 1, 21, "a list of values is needed, not a number"),
        (format!("{}{}", "{\"processes\": ", "[".repeat(300)), 1, 114, "too deep"),
    ] {
        let (source, complaint) = refused("a.json", &text);
        let at = complaint.span.map(|span| source.at(span)).map(|at| (at.line, at.column));
        assert!(complaint.message.contains(message), "{text}\n{}", complaint.message);
        assert_eq!(at, Some((line, column)), "{text}\n{}", complaint.message);
    }
}

/// Names that differ stay apart, whatever is in them, and come back from the text.
#[test]
fn names_with_quotes_and_breaks_of_lines_stay_apart() {
    let log = "process,op,object\n\"a\"\"b\",w,\"x\ny\"\n\"a'b\",w,\"x'y\"\n\"a\nb\",w,\"x y\"\n\"c\\n\",w,\"x\\ny\"\n\"d, e\",r,\"x y\"\n";
    let source = Source::new("log.csv", log);
    let first = read(&source).expect("a good log");
    assert_eq!((first.processes.len(), first.variables.len()), (5, 4));
    let written = text::write(&first);
    let source = Source::new("log.syn", written.as_str());
    let again = read(&source).unwrap_or_else(|error| panic!("{error}\n{written}"));
    assert_eq!((&again.processes, &again.names), (&first.processes, &first.names), "{written}");
    let recording = Recording::new(again, &source).expect("consistent");
    for words in [r#""a\"b".w("x\ny")"#, r#""d, e".0"#, r#"w("x y") < "d, e".r(*)"#, r#"vid="x\\ny""#, "F run=\"a'b\""]
    {
        let holds = verify(
            &recording,
            &formula(&format!("E[F ({words})]").replace("E[F (w(", "(w(").replace("*))]", "*))")),
            None,
            1000,
        );
        assert!(matches!(holds, Ok(Outcome::Answer(answer)) if answer.holds), "{words}");
    }
}

/// Logs as spreadsheets write them.
#[test]
fn csv_is_that_of_rfc_4180() {
    let log = "\u{feff}Process,OP,Object,Value\r\n\"p\"\"1\",WRITE,\"a,\nb\",5\r\nq,Read,\"a,\nb\",5\r\nq,V,s,\r\n";
    let sequence = read(&Source::new("LOG.CSV", log)).expect("a good log");
    assert_eq!(
        text::write(&sequence),
        "var \"a,\\nb\" = _, 5\n\nprocess \"p\\\"1\":\n  w(\"a,\\nb\",1)\n\nprocess q:\n  r(\"a,\\nb\",1)\n  post(s,1)\n"
    );
    for (file, text) in [
        ("a.syn", "\u{feff}process: r(a,0)"),
        ("a.syn", "// p, r, a\nprocess: r(a,0)"),
        ("a.txt", "# p, r, a\np, r, a\n"),
        ("a.json", "\u{feff}{\"processes\": [{\"events\": [{\"op\": \"R\", \"object\": \"a\", \"version\": 0}]}]}"),
    ] {
        assert!(read(&Source::new(file, text)).is_ok(), "{text}");
    }
    let (source, complaint) = refused("a.csv", "p,r,\"a\nb\"c\"\n");
    let at = complaint.span.map(|span| source.at(span)).map(|at| (at.line, at.column));
    assert_eq!((at, complaint.message.contains("written twice")), (Some((2, 3)), true), "{complaint}");
}

/// The ends of a mailbox are no variables that somebody may have named so.
#[test]
fn mailboxes_are_kept_apart_from_variables() {
    let recording =
        recording("process: send(c,1) w(\"c (in)\",1) w(\"c (message 1)\",1)\nprocess: receive(c,1) r(\"c (in)\",1)");
    assert!(matches!(verify(&recording, &formula("send(c) < receive(c)"), None, 9), Ok(Outcome::Answer(a)) if a.holds));
}

#[test]
fn a_file_without_events_is_refused() {
    for (file, text) in [
        ("a.syn", ""),
        ("a.syn", "var a = 1\nprocess p:"),
        ("a.csv", "process,op,object\n"),
        ("a.json", "{\"processes\": []}"),
    ] {
        assert_eq!(refused(file, text).1.message, "there are no events in it", "{text}");
    }
}

/// Names in quotes, numbers below zero, threads by their names.
#[test]
fn formulas_have_quoted_names_and_negative_numbers() {
    let recording = recording(
        "var \"a  b\" = 1, -3\nprocess \"main loop\": w(\"a  b\",1) [label=\"thread end\"]\nprocess 0.1: r(\"a  b\",1) w(\"f(x)\",1)",
    );
    for (words, expected) in [
        ("F w(\"a  b\")", true),
        ("F w( \"a  b\" , 1 )", true),
        ("F \"a  b\" = - 3", true),
        ("F {\"a  b\" = -  3}", true),
        ("F \"a  b\"=-3", true),
        ("F \"a  b\" < - 3", false),
        ("F \"a  b\".Ver >= 1", true),
        ("\"main loop\".0 < 0.1.0", true),
        ("F (\"main loop\".w(*) & X 0.1.0)", true),
        ("F \"main loop\".*(*)", true),
        ("F w(\"f(x)\")", true),
        ("G (label=\"thread end\" -> X vid=\"a  b\")", true),
        ("F run=\"main loop\"", true),
        ("F \"main loop\".evnt = 0", true),
        ("F 0.1.w(*)", true),
    ] {
        let outcome =
            verify(&recording, &formula(words), None, 1000).unwrap_or_else(|error| panic!("{words}: {error}"));
        let Outcome::Answer(answer) = outcome else { panic!("few states") };
        assert_eq!(answer.holds, expected, "{words}");
    }
    let shown = formula("F w(\"a  b\")");
    assert_eq!(format!("{:#}", shown.formula.display(&shown.propositions)), "F w(\"a  b\")");
}

#[test]
fn formulas_are_refused_with_their_places() {
    let recording = recording("var a = 1, 2\nprocess: w(a,1) lock(m,1)\nprocess: r(a,1)");
    for (text, model, column, message) in [
        ("G r(c)", None, 3, "nothing is called `c`"),
        ("F p3.0", None, 3, "there is no process `p3`"),
        ("F p0.2", None, 3, "process `p0` has no event 2"),
        ("G !p0.evnt=3", None, 4, "process `p0` has no event 3"),
        ("G !label=nope", None, 4, "no event has the label `nope`"),
        ("G label!=nope", None, 3, "no event has the label `nope`"),
        ("G !pc=5", None, 4, "no event has `pc = 5`"),
        ("G !line=5", None, 4, "no event has `line = 5`"),
        ("G !evnt=5", None, 4, "no event has `evnt = 5`"),
        ("G !ver=5", None, 4, "no event has `ver = 5`"),
        ("G !r(a,7)", None, 4, "`a` has no version 7"),
        ("G !*(*,7)", None, 4, "nothing has a version 7"),
        ("G !aVer=2", None, 4, "`a` has no version 2"),
        ("G !run=7", None, 4, "there is no process `7`"),
        ("G !run=nobody", None, 4, "there is no process `nobody`"),
        ("r(a) & ver=1 < lock(m)", None, 1, "`r(a)` is asked of the start here, where no event has happened yet"),
        ("!(w(a) || r(a) | lock(m))", None, 18, "`lock(m)` is asked of the start here"),
        ("F x(a)", None, 3, "there is no operation `x`"),
        ("F m = 1", None, 3, "the value of `m` is not known"),
        ("F a = 1", Some(Model::Stateless), 3, "asks for what a variable is"),
        ("G (r(a) || w(a))", None, 3, "a relation between events is about the whole execution"),
        ("F r(a) || w(a)", None, 1, "an event is needed on both sides of a relation"),
        ("EF r(a) & G EF w(a)", None, 11, "an operator of time without `A` or `E`"),
        ("E[F r(a) & EX w(a)]", None, 2, "neither LTL nor CTL"),
        ("r(a) < w(a) < r(a)", None, 13, "an operator or the end expected, not `<`"),
        ("op < r(a)", None, 1, "`op` is no event"),
        ("F op >= 3", None, 3, "there is no operation `3`"),
        ("F ver >= x", None, 7, "a number or a name is needed behind `>=`"),
        ("F p1.1", None, 3, "process `p1` has no event 1"),
        ("F w(\"a)", None, 3, "this quote is never closed"),
        ("F w(\"c\")", None, 3, "nothing is called `c`"),
    ] {
        let source = Source::new("formula", text);
        let result =
            parse_sequence_file(&source).and_then(|list| verify(&recording, &list[0].specification, model, 1000));
        let Err(complaint) = result else { panic!("{text} is accepted") };
        assert!(complaint.message.contains(message), "{text}: {}", complaint.message);
        assert_eq!(complaint.span.map(|span| source.at(span).column), Some(column), "{text}: {}", complaint.message);
    }
}

/// Processes are called by their names, by what they are where that is clear, and by their numbers where that is no name of another.
#[test]
fn processes_have_names_roles_and_numbers() {
    let recorded = recording(
        "process 0 main: w(a,1) w(a,2)\nprocess 0.0 work: r(a,2)\nprocess 0.1 work: w(a,3) [line=\"a b.c\":7, label=end]",
    );
    let odd = recording("process p1: w(a,1)\nprocess p2: r(a,1)\nprocess worker: w(a,2)");
    let numbers = recording("process 17: w(a,1)\nprocess 42: r(a,1)");
    let mail = recording("process: send(c,1) w(b,1)\nprocess: receive(c,1)");
    for (recording, words, expected) in [
        (&recorded, "main.1 < 0.0.0", Ok(true)),
        (&recorded, "main.w(a) < 0.1.w(a)", Ok(true)),
        (&recorded, "F main.evnt = 1", Ok(true)),
        (&recorded, "F run = main", Ok(true)),
        (&recorded, "F run = 0.1", Ok(true)),
        (&recorded, "G !p2.0", Ok(false)),
        (&recorded, "F work.0", Err("2 processes are `work`: `0.0`, `0.1`")),
        (&recorded, "F line = 7", Ok(true)),
        (&odd, "p1.w(*) < p2.r(*)", Ok(true)),
        (&odd, "F p0.0", Err("there is no process `p0`")),
        (&odd, "F p0.w(a)", Err("there is no process `p0`")),
        (&numbers, "G (run=42 -> r(a))", Ok(true)),
        (&numbers, "F run=1", Err("there is no process `1`")),
        (&mail, "F c=4", Err("`c` is a mailbox, which has neither a value nor a version")),
        (&mail, "F cVer=1", Err("`c` is a mailbox, which has neither a value nor a version")),
        (&mail, "G !send(c,2)", Err("`c` has no message 2")),
        // Relations, LTL and CTL may be joined.
        (&odd, "(w(a,1) < r(a,1)) | F w(b)", Err("nothing is called `b` in this sequence")),
        (&odd, "(r(a,1) < w(a,1)) | F w(a,2)", Ok(true)),
        (&odd, "(w(a,1) < r(a,1)) -> G !w(a,2)", Ok(false)),
        (&odd, "!((w(a,1) < r(a,1)) & G !w(a,2))", Ok(true)),
        (&odd, "EF w(a,2) & F w(a,2) & w(a,1) < w(a,2)", Ok(true)),
        (
            &odd,
            "F (w(a,1) < w(a,2))",
            Err(
                "a relation between events is about the whole execution, and no operator of time stands in front of it",
            ),
        ),
    ] {
        let outcome = verify(recording, &formula(words), None, 1000);
        match (outcome, expected) {
            (Ok(Outcome::Answer(answer)), Ok(holds)) => assert_eq!(answer.holds, holds, "{words}"),
            (Err(error), Err(message)) => assert_eq!(error.message, message, "{words}"),
            (Err(error), Ok(_)) => panic!("{words}: {error}"),
            (Ok(_), _) => panic!("{words}: accepted"),
        }
    }
}

/// What shows an answer is what decides it.
#[test]
fn only_what_decides_is_shown() {
    let recording = recording("process: w(a,1) w(a,2)\nprocess: w(b,1)");
    for (words, holds, shown) in [
        ("E[F w(b)] & (w(a,1) || w(a,2)) -> G w(b)", true, true),
        ("EF w(b) & (w(a,1) < w(a,2)) | G w(b)", true, false),
        ("(w(a,2) < w(a,1)) & F w(b)", false, true),
    ] {
        let Ok(Outcome::Answer(answer)) = verify(&recording, &formula(words), None, 99) else { panic!("{words}") };
        assert_eq!((answer.holds, answer.evidence.is_some()), (holds, shown), "{words}: {:?}", answer.evidence);
        assert!(!matches!(answer.evidence, Some(Evidence::Line { .. })), "{words}: {:?}", answer.evidence);
    }
}

/// Every integer of C is a value.
#[test]
fn large_numbers() {
    let most = u64::MAX;
    for (file, content) in [
        ("a.syn", format!("var a = _, {most}\nprocess: w(a,1)")),
        ("a.csv", format!("p, w, a, {most}")),
        (
            "a.json",
            format!(
                r#"{{"variables": {{"a": [null, {most}]}}, "processes": [{{"events": [{{"op": "w", "object": "a", "version": 1}}]}}]}}"#
            ),
        ),
    ] {
        let source = Source::new(file, content);
        let sequence = read(&source).unwrap_or_else(|error| panic!("{file}: {error}"));
        assert!(text::write(&sequence).contains(&format!("var a = _, {most}\n")), "{file}");
        let recording = Recording::new(sequence, &source).expect("consistent");
        let outcome = verify(&recording, &formula(&format!("F val = {most}")), None, 9);
        assert!(matches!(outcome, Ok(Outcome::Answer(answer)) if answer.holds), "{file}");
    }
}

/// A definition stands for its formula, also in others.
#[test]
fn definitions() {
    let source = Source::new(
        "x.spec",
        "define A1 = w(a,1)\ndefine Both = A1 & F r(a); # or not\nfirst: F Both\nG (A1 -> X !A1)",
    );
    let list = parse_sequence_file(&source).expect("a good file");
    let shown: Vec<String> =
        list.iter().map(|s| format!("{:#}", s.specification.formula.display(&s.specification.propositions))).collect();
    assert_eq!(shown, ["F (w(a,1) & F r(a))", "G (w(a,1) -> X !w(a,1))"]);
    assert_eq!((list[0].name.as_deref(), list[1].name.as_deref()), (Some("first"), None));
    let source = Source::new("x.spec", "define A1 = w(a,1)\ndefine A1 = r(a)\nF A1");
    assert!(parse_sequence_file(&source).is_err());
    for (text, message) in [
        ("define D1 = r(a) & X D1\nF D1", "the definition of `D1` is recursive: it uses itself"),
        ("define A1 = F C1\ndefine B1 = r(a)\ndefine C1 = B1\nG A1", "`C1` is used before its definition"),
        ("define R = r(a)\nF R", "`R` is an operator, and cannot be defined"),
        ("define A1 = r(a) & X B1\ndefine B1 = F A1\nF B1", "`B1` is used before its definition"),
        ("F B1\ndefine B1 = r(a)", "`B1` is used before its definition"),
    ] {
        let error = parse_sequence_file(&Source::new("x.spec", text)).expect_err(text);
        assert_eq!(error.message, message);
    }
    // Each doubles the one before it.
    let mut bomb = String::from("define d0 = r(a) & r(b)\n");
    (1..60).for_each(|n| bomb += &format!("define d{n} = d{} & d{}\n", n - 1, n - 1));
    assert!(parse_sequence_file(&Source::new("x.spec", bomb + "F d59")).is_err());
}

/// A log in which a mailbox, a lock and a semaphore order what happens.
#[test]
fn logs_have_versions() {
    let log = "process,op,object,value,line\nmain,w,job,5,q.c:3\nmain,send,box,,q.c:4\nworker,receive,box,,\nworker,r,job,5,\n\
        main,lock,m,,\nmain,unlock,m,,\nworker,lock,m,,\nworker,w,job,6,\nmain,send,box,,\nmain,V,s,,\nworker,P,s,,\n";
    let source = Source::new("log.csv", log);
    let recording = Recording::new(read(&source).expect("a good log"), &source).expect("it happened");
    let written = text::write(&recording.sequence);
    assert!(written.contains("var job = _, 5, 6") && written.contains("  w(job,1) [line=q.c:3]"), "{written}");
    assert!(
        written.contains("process worker:\n  receive(box,1)\n  r(job,1)\n  lock(m,3)\n  w(job,2)\n  wait(s,2)"),
        "{written}"
    );
    let holds =
        |text: &str| match verify(&recording, &formula(text), None, 1000).unwrap_or_else(|e| panic!("{text}: {e}")) {
            Outcome::Answer(answer) => answer.holds,
            Outcome::TooMany(_) => panic!("few states"),
            Outcome::Hangs(words) => panic!("{words}"),
        };
    // The second message waits for nobody.
    assert!(holds("send(box,1) < receive(box,1)") && holds("send(box,2) || receive(box,1)"));
    assert!(holds("main.w(job) < worker.r(job)") && holds("unlock(m) < lock(m,3)") && holds("post(s) < wait(s)"));
    let json = r#"{"variables": {"job": [null, 5]}, "processes": [{"name": "main", "events": [{"op": "w", "object": "job", "version": 1}]}]}"#;
    let source = Source::new("log.json", json);
    let recording = Recording::new(read(&source).expect("good"), &source).expect("consistent");
    assert_eq!(text::write(&recording.sequence), "var job = _, 5\n\nprocess main:\n  w(job,1)\n");
}

const GOOD: [(&str, &str); 5] = [
    ("a.syn", include_str!("../../../programs/syn/thesis.syn")),
    (
        "a.json",
        r#"{"error": "crash", "variables": {"a": [4, null]}, "processes": [{"events": [{"op": "w", "object": "a", "version": 1, "line": "q.c:1"}]}, {"events": [{"parts": [{"op": "r", "object": "a", "version": 1}, {"op": "lock", "object": "m", "version": 1}]}]}]}"#,
    ),
    ("a.csv", "process,op,object,value,line\np,w,a,5,q.c:1\nq,r,a,5,\nq,send,c,,\np,recv,c,,\n\"p\",w,\"a\",6,\n"),
    ("b.csv", "\u{feff}Process,OP,Object\r\n\"p \"\"1\",WRITE,\"a,\nb\"\r\n# and\r\nq,R,\"a,\nb\"\r\n"),
    (
        "b.syn",
        "error \"dead\\u0007lock\"\nvar \"a \\\"b\" = 1, _\nprocess \"p\\n0\" \"the first\": w(\"a \\\"b\",1)+lock(m[0],1) [label=\"on exit\", line=\"q r.c\":3]\n\
         process 0.1: r(\"a \\\"b\",1) // last\n",
    ),
];

/// Broken files: each is taken or refused, and a place is in the text.
#[test]
fn mutated_files_do_no_harm() {
    let mut dice = Random::new(12);
    let words = [
        "process",
        "var",
        "r(a,0)",
        "w(a,1)",
        ",",
        ":",
        "\"",
        "[",
        "]",
        "=",
        "99999999999999999999",
        "-",
        "+",
        "ä",
        "\u{0}",
        "(",
        "\n",
        "_",
        "#",
    ];
    let formulas = [
        "G (r(a) -> F w(a,1))",
        "EF (a=7 & p0.evnt>=1)",
        "p0.1 < r(b)",
        "G (val!=5 | line=q.c:1) -> F a=5",
        "define X1 = r(a); may(X1 ~> *(b))",
        "A[G (op=r | vid=a) U p1.3]",
        "F (w(\"a \\\"b\", 1) & X 0.1.0) & \"a \\\"b\" >= - 2",
    ];
    let (mut taken, count) = (0, 100_000);
    let mutate = |dice: &mut Random, text: &str| {
        let mut bytes = text.as_bytes().to_vec();
        for _ in 0..1 + dice.below(4) {
            let at = dice.below(bytes.len() + 1);
            match dice.below(4) {
                0 if at < bytes.len() => _ = bytes.remove(at),
                1 if at < bytes.len() => bytes[at] = b' ' + dice.below(95) as u8,
                2 => _ = bytes.splice(at..at, dice.pick(&words).bytes()),
                _ => {
                    let end = at + dice.below(bytes.len() - at + 1);
                    let part = bytes[at..end.min(at + 20)].to_vec();
                    let to = dice.below(bytes.len() + 1);
                    bytes.splice(to..to, part);
                }
            }
        }
        String::from_utf8_lossy(&bytes).into_owned()
    };
    for _ in 0..count {
        let (file, text) = dice.pick(&GOOD);
        let source = Source::new(file, mutate(&mut dice, text));
        let in_text = |source: &Source, complaint: &Complaint| {
            complaint.span.is_none_or(|span| span.from as usize <= source.text.len() && source.at(span).line > 0)
        };
        let recording = match read(&source).and_then(|sequence| Recording::new(sequence, &source)) {
            Ok(recording) => recording,
            Err(complaint) => {
                assert!(in_text(&source, &complaint), "{}\n{complaint}", source.text);
                continue;
            }
        };
        taken += 1;
        let good = dice.pick(&formulas);
        let asked = Source::new("formula", if dice.once_in(2) { good.to_string() } else { mutate(&mut dice, good) });
        let Ok(list) = parse_sequence_file(&asked) else { continue };
        for stated in &list {
            let model = dice.pick(&[None, Some(Model::PartialOrder), Some(Model::Stateless), Some(Model::Stateful)]);
            if let Err(complaint) = verify(&recording, &stated.specification, model, 1000) {
                assert!(in_text(&asked, &complaint), "{}\n{complaint}", asked.text);
            }
            let _ = smv(
                &recording,
                model.unwrap_or(Model::Stateless),
                &[Spec { name: None, specification: &stated.specification }],
            );
        }
        let _ = (picture::dot(&recording, &[]), picture::svg(&recording, &[]));
    }
    assert!(taken * 20 > count, "{taken} of {count}");
}

#[test]
fn models_for_nusmv() {
    let recording = recording(GOOD[0].1);
    let [ltl, ctl, before] = ["F (r(b) & X a=11)", "E[!w(a,2) W r(b)]", "w(a,1) < r(b)"].map(formula);
    let specs = [&ltl, &ctl, &before].map(|specification| Spec { name: Some("it"), specification });
    let text = smv(&recording, Model::Stateful, &specs).expect("it can be said");
    for part in [
        "MODULE seq0(run)  -- p0\n  VAR\n    evnt : -1..4;",
        "        next(run) = 0 & evnt < 3 : evnt + 1;",
        "    aVer : 0..2;",
        "  CONSTANTS none, o0_a, o1_b, op_r, op_w;",
        "        next(run) = 0 & p0.evnt = 2 : 2;",
        "        p1.evnt = -1 : aVer = 0 & p0.evnt >= 1;",
        "    f0_0 := (run = 1 & p1.evnt = 1) | (run = 1 & p1.evnt = 2);  -- r(b)",
        "    f0_1 := aVal = 11;  -- a=11",
        "  LTLSPEC F (((f0_0) & (X (f0_1))));",
        "  CTLSPEC !(A [(!(f1_1)) U (!((! (f1_0)) | (f1_1)))]);",
        "  LTLSPEC F ((f2_0) & run >= 0 & run < 2) & F",
        "(next(run) = 2 <-> over)",
    ] {
        assert!(text.contains(part), "{part}\n\n{text}");
    }
    let joined = formula("!(p0.evnt=1 < r(b)) & EF p0.evnt=1 | !(r(b) || w(a,1))");
    let text =
        smv(&recording, Model::Stateless, &[Spec { name: None, specification: &joined }]).expect("it can be said");
    for part in
        ["f0_0 := p0.evnt = 1;", "f0_0e := (run = 0 & p0.evnt = 1);", "CTLSPEC ((((! ((AF ((f0_0e) & run", "EF (f0_0)"]
    {
        assert!(text.contains(part), "{part}\n\n{text}");
    }
    let directly = formula("!(w(a,1) ~> r(b))");
    let refused = smv(&recording, Model::Stateless, &[Spec { name: None, specification: &directly }]);
    assert!(refused.is_err_and(|complaint| complaint.message.contains("`~>` can be said to NuSMV by itself only")));
    let text = smv(&recording, Model::PartialOrder, &[]).expect("it can be said");
    assert!(
        text.contains("init(eid) := {0};") && text.contains("eid = 4 : {2, 5};") && text.contains("eid = 7 : {7};"),
        "{text}"
    );
    assert!(
        smv(&recording, Model::PartialOrder, &specs[2..]).is_err()
            && smv(&recording, Model::Stateless, &specs[..1]).is_err()
    );
}

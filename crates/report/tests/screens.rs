//! Every screen as people see it. `cargo insta review`, or INSTA_UPDATE=always, takes a change over.

mod stories;

use stories::*;
use threadbare_core::{Chosen, ThreadName, Verdict};
use threadbare_report::{Style, bug, dot, findings as screen, json, json_error};

fn at(width: usize) -> Style {
    Style { width, ..Style::default() }
}

/// The screen of one bug; no line may be wider than the terminal.
fn bug_at(teller: &Teller, style: &Style) -> String {
    let text = bug(&teller.story, &teller.sources(), style, Some("threadbare.trace"));
    for line in text.lines() {
        assert!(unicode_width::UnicodeWidthStr::width(line) <= style.width || style.colours, "too wide: {line}");
    }
    text
}

#[test]
fn bugs_at_80() {
    insta::assert_snapshot!("lost-update-80", bug_at(&lost_update(), &at(80)));
    insta::assert_snapshot!("check-then-act-80", bug_at(&check_then_act(), &at(80)));
    insta::assert_snapshot!("deadlock-2-80", bug_at(&philosophers(2), &at(80)));
    insta::assert_snapshot!("lost-wakeup-80", bug_at(&lost_wakeup(), &at(80)));
    insta::assert_snapshot!("race-80", bug_at(&race(), &at(80)));
    insta::assert_snapshot!("use-after-free-80", bug_at(&use_after_free(), &at(80)));
    insta::assert_snapshot!("livelock-80", bug_at(&livelock(), &at(80)));
    insta::assert_snapshot!("leak-80", bug_at(&leak(), &at(80)));
    insta::assert_snapshot!("long-2-80", bug_at(&long(2), &at(80)));
}

#[test]
fn bugs_at_120_and_200() {
    insta::assert_snapshot!("lost-update-120", bug_at(&lost_update(), &at(120)));
    insta::assert_snapshot!("deadlock-3-120", bug_at(&philosophers(3), &at(120)));
    insta::assert_snapshot!("long-4-120", bug_at(&long(4), &at(120)));
    insta::assert_snapshot!("race-200", bug_at(&race(), &at(200)));
    insta::assert_snapshot!("deadlock-7-200", bug_at(&philosophers(7), &at(200)));
}

#[test]
fn many_threads_in_a_narrow_terminal() {
    insta::assert_snapshot!("deadlock-7-80", bug_at(&philosophers(7), &at(80)));
    insta::assert_snapshot!("long-7-80", bug_at(&long(7), &at(80)));
}

#[test]
fn every_width_holds() {
    for width in [72, 79, 80, 100, 119, 160, 200, 250] {
        for unicode in [false, true] {
            for full in [false, true] {
                let style = Style { unicode, full, ..at(width) };
                for teller in [lost_update(), check_then_act(), race(), use_after_free(), livelock(), leak(), long(3)] {
                    bug_at(&teller, &style);
                }
                (2..=8).for_each(|count| drop(bug_at(&philosophers(count), &style)));
            }
        }
    }
}

#[test]
fn in_ascii_and_in_colours() {
    let ascii = Style { unicode: false, ..at(80) };
    let text = bug_at(&lost_update(), &ascii);
    assert!(text.is_ascii(), "{text}");
    insta::assert_snapshot!("lost-update-ascii", text);
    assert!(bug_at(&philosophers(3), &ascii).is_ascii());
    let text = bug_at(&lost_update(), &Style { colours: true, ..at(80) });
    insta::assert_snapshot!("lost-update-colours", text.replace('\x1b', "␛"));
}

#[test]
fn everything_when_asked() {
    let text = bug_at(&long(2), &Style { full: true, ..at(120) });
    assert!(!text.contains("left out") && text.lines().count() > 200, "{}", text.lines().count());
    insta::assert_snapshot!("check-then-act-full", bug_at(&check_then_act(), &Style { full: true, ..at(120) }));
}

#[test]
fn verdicts_without_a_bug() {
    let sources = Default::default();
    let proved = findings(Verdict::Proved, Vec::new());
    insta::assert_snapshot!("proved-80", screen(&proved, &sources, &at(80), &[]));
    insta::assert_snapshot!("proved-120", screen(&proved, &sources, &at(120), &[]));
    let mut bounded = findings(Verdict::Bounded("executions of at most 10000 visible operations".into()), Vec::new());
    bounded.advice = vec!["raise --depth-bound (now 10000)".into()];
    bounded.blocked = 12;
    bounded.cut = 3;
    insta::assert_snapshot!("bounded-80", screen(&bounded, &sources, &at(80), &[]));
    let mut unknown = findings(Verdict::Unknown("the time limit of 30 s".into()), Vec::new());
    unknown.explored = Some(0.08);
    unknown.advice =
        vec!["raise --time-limit (now 30 s)".into(), "make the program smaller: fewer threads or rounds".into()];
    insta::assert_snapshot!("unknown-80", screen(&unknown, &sources, &at(80), &[]));
}

#[test]
fn several_bugs() {
    let tellers = [lost_update(), check_then_act()];
    let stories = tellers.iter().map(|teller| teller.story.clone()).collect();
    let found = findings(Verdict::Violated, stories);
    let [first, second] = &tellers;
    let sources = first.sources().with("examples/bank.c", second.source());
    insta::assert_snapshot!("several-100", screen(&found, &sources, &at(100), &["first.trace".into()]));
}

#[test]
fn json_has_the_fields_of_its_page() {
    let mut teller = lost_update();
    teller.story.schedule.0[2].chosen = Chosen::Thread(ThreadName::parse("0.1").expect("a name"));
    let found = findings(Verdict::Violated, vec![teller.story.clone(), philosophers(2).story]);
    let text = json(&found, &teller.sources());
    assert_eq!(text.lines().count(), 1);
    let value: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let page = include_str!("../../../docs/json.md");
    let bug = value["bugs"][0].as_object().expect("an object");
    for field in value.as_object().expect("an object").keys().chain(bug.keys()) {
        assert!(page.contains(&format!("| `{field}` |")), "docs/json.md does not describe `{field}`");
    }
    insta::assert_snapshot!("json-violated", format!("{value:#}"));
    let proved = findings(Verdict::Bounded("executions of at most 10 visible operations".into()), Vec::new());
    insta::assert_snapshot!("json-bounded", json(&proved, &teller.sources()));
    let error = json_error("inline assembly", Some(("a.c", 3)), &teller.sources());
    insta::assert_snapshot!("json-error", error);
}

#[test]
fn dot_is_what_graphviz_reads() {
    for (name, teller) in [
        ("lost-update", lost_update()),
        ("check-then-act", check_then_act()),
        ("deadlock", philosophers(3)),
        ("race", race()),
        ("long", long(4)),
    ] {
        let graph = dot(&teller.story, &teller.sources(), &at(100));
        insta::assert_snapshot!(format!("{name}.dot"), graph);
        accepts(name, &graph);
    }
}

/// Graphviz takes it; where Graphviz is not installed, that is said and not tested.
fn accepts(name: &str, graph: &str) {
    use std::io::Write;
    use std::process::{Command, Stdio};
    let run =
        Command::new("dot").arg("-Tsvg").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let Ok(mut child) = run else {
        eprintln!("{name}: skipped, there is no `dot` here (scripts/setup.sh graph installs it)");
        return;
    };
    child.stdin.take().expect("piped").write_all(graph.as_bytes()).expect("dot reads");
    let output = child.wait_with_output().expect("dot ends");
    let words = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && words.is_empty(), "{name}: {words}");
    assert!(String::from_utf8_lossy(&output.stdout).contains("</svg>"));
}

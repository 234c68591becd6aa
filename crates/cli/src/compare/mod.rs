//! `threadbare compare`: the same programs under several strategies, each in a process of its own, as a table, as CSV and as
//! plots. Strategies that prove and strategies that find a bug cannot both be right: that is a fault of ours.

mod beside;
pub mod entries;
mod markdown;
mod measure;
mod page;
mod plot;
mod table;

use std::path::Path;
use std::process::ExitCode;

use crate::arguments::{ComparePlan, Format};
use crate::run::INTERRUPTED_BY_USER;
use crate::told::is_model;
use crate::{limits, listing, report, screen};
use measure::{Measure, Point, Task, measure};

/// A parameter, a macro or an option, with the values that it takes.
struct Sweep {
    name: String,
    values: Vec<i64>,
    /// It is an option of `check`.
    option: bool,
}

/// The values of `N=2..8`, or of `N=10..60/10`, where only every tenth counts; nothing, if that is no range.
fn range(definition: &str) -> Result<Option<(String, Vec<i64>)>, String> {
    let Some((name, (first, last))) =
        definition.split_once('=').and_then(|(name, value)| Some((name, value.split_once("..")?)))
    else {
        return Ok(None);
    };
    let number = |text: &str| text.trim().parse::<i64>().map_err(|_| format!("`{definition}` is no range of numbers"));
    let (last, step) = last.split_once('/').unwrap_or((last, "1"));
    let (first, last, step) = (number(first)?, number(last)?, number(step)?);
    if step < 1 {
        return Err(format!("`{definition}`: a step is 1 at least"));
    }
    if first > last || (last - first) / step > 1000 {
        return Err(format!("`{definition}`: the first value is the smaller one, and there are at most 1,000"));
    }
    Ok(Some((name.trim().into(), (first..=last).step_by(step as usize).collect())))
}

/// `N=2..8` is a sweep, everything else a definition for all.
fn definitions(plan: &ComparePlan) -> Result<(Option<Sweep>, Vec<String>), String> {
    let mut sweeps = Vec::new();
    let mut fixed = Vec::new();
    for definition in &plan.definitions {
        match range(definition)? {
            Some((name, values)) => sweeps.push(Sweep { name, values, option: false }),
            None => fixed.push(definition.clone()),
        }
    }
    if let Some(text) = &plan.vary {
        let there_are = || entries::numbers().collect::<Vec<_>>().join(", ");
        let (name, values) = range(text)?.ok_or_else(|| {
            format!(
                "--vary wants an option and its numbers, as in context-bound=0..4; `{text}` is neither. There are {}",
                there_are()
            )
        })?;
        let name = name.trim_start_matches('-');
        if !entries::numbers().any(|option| option.trim_start_matches('-') == name) {
            return Err(format!("--vary cannot vary --{name}; there are {}", there_are()));
        }
        sweeps.push(Sweep { name: name.into(), values, option: true });
    }
    match sweeps.len() {
        0 | 1 => Ok((sweeps.pop(), fixed)),
        _ => Err("only one parameter can take several values".into()),
    }
}

pub fn compare(plan: &ComparePlan) -> ExitCode {
    let fail = |message: &str| listing::failure(Format::Human, message, None, 2);
    let beside = plan.beside.as_deref().map_or(Ok(Vec::new()), |file| beside::read(file, &plan.strategies));
    let ((sweep, fixed), beside) = match definitions(plan).and_then(|found| Ok((found, beside?))) {
        Ok(found) => found,
        Err(error) => return fail(&error),
    };
    let option = sweep.as_ref().is_some_and(|sweep| sweep.option);
    let points: Vec<Option<Point>> = match &sweep {
        Some(Sweep { name, values, .. }) => {
            values.iter().map(|&value| Some(Point { name: name.clone(), value })).collect()
        }
        None => vec![None],
    };
    // Better to know now than when all is done.
    let files = [&plan.csv, &plan.svg, &plan.html, &plan.markdown].into_iter().flatten();
    for file in files.filter(|file| *file != Path::new("-")) {
        if let Err(error) = std::fs::OpenOptions::new().append(true).create(true).open(file) {
            return fail(&cannot_write(file, &error));
        }
    }
    limits::catch_interrupts();
    let mut all: Vec<Measure> = Vec::new();
    let entries = &plan.strategies.0;
    let total = plan.files.len() * points.len() * entries.len();
    let mut done = 0;
    for file in &plan.files {
        for point in &points {
            for entry in entries {
                table::progress(done, total, file, point.as_ref(), &entry.to_string());
                let (point, model) = (point.clone(), is_model(file));
                let task = Task { plan, file, point, option, entry, fixed: &fixed, model };
                let one = Measure::not_tried(&task);
                let late = |before: &Measure| {
                    (&before.program, &before.strategy) == (&one.program, &one.strategy) && before.verdict == "unknown"
                };
                let leave_out = limits::is_interrupted() || plan.give_up && all.iter().any(late);
                all.push(if leave_out { one } else { measure(&task) });
                done += 1;
            }
            let Some(last) = all.last() else { continue };
            let found = beside::of(&beside, &last.program, point.as_ref());
            all.extend(found);
        }
    }
    table::end_of_progress();
    let markdown = || markdown::markdown(&all, plan.show, plan.time_limit);
    match &plan.markdown {
        Some(file) if file == Path::new("-") => screen::print(&markdown()),
        _ => screen::print(&table::table(&all)),
    }
    let written = write(plan.csv.as_deref(), || table::csv(&all))
        .and_then(|()| write(plan.svg.as_deref(), || plot::svg(&all, plan.show)))
        .and_then(|()| write(plan.markdown.as_deref().filter(|file| *file != Path::new("-")), markdown))
        .and_then(|()| write(plan.html.as_deref(), || page::html(&all, plan.show)));
    if let Err(error) = written {
        return fail(&error);
    }
    let disagreements = disagreements(&all);
    if !disagreements.is_empty() {
        let text = format!(
            "{}\nThis is a fault of Threadbare, not of the program. Please report it.",
            disagreements.join("\n")
        );
        return listing::failure(Format::Human, &text, None, 70);
    }
    if limits::is_interrupted() {
        report::message("interrupted: what comes later was not tried");
        return ExitCode::from(INTERRUPTED_BY_USER);
    }
    // What could not be checked at all.
    let failed = all.iter().filter_map(|one| one.error.as_ref()).map(|(code, _)| *code).max();
    if plan.markdown.is_some() && failed.is_some() {
        all.iter().filter_map(|one| one.error.as_ref()).for_each(|(_, why)| report::message(why));
    }
    ExitCode::from(failed.unwrap_or(0))
}

fn write(file: Option<&Path>, text: impl FnOnce() -> String) -> Result<(), String> {
    let Some(file) = file else { return Ok(()) };
    std::fs::write(file, text()).map_err(|error| cannot_write(file, &error))
}

fn cannot_write(file: &Path, error: &std::io::Error) -> String {
    format!("cannot write {}: {}", file.display(), report::why(error))
}

/// Some prove what others refute: a line for each program, value and what is checked.
fn disagreements(all: &[Measure]) -> Vec<String> {
    let same = |a: &Measure, b: &Measure| (&a.program, &a.point, &a.checks) == (&b.program, &b.point, &b.checks);
    let mut found = Vec::new();
    for (number, first) in all.iter().enumerate() {
        if all[..number].iter().any(|earlier| same(earlier, first)) {
            continue;
        }
        let group = || all.iter().filter(|one| same(one, first));
        let names = |list: Vec<String>| match list.as_slice() {
            [one] => (one.clone(), "s"),
            list => (list.join(", "), ""),
        };
        let proofs: Vec<String> =
            group().filter(|one| one.verdict == "proved").map(|one| format!("`{}`", one.strategy)).collect();
        let bugs: Vec<String> = group()
            .filter(|one| one.verdict == "violated" || !one.kind.is_empty())
            .map(|one| format!("`{}` ({})", one.strategy, one.kind))
            .collect();
        if proofs.is_empty() || bugs.is_empty() {
            continue;
        }
        let point = first.point.as_ref().map_or(String::new(), |point| format!(" with {point}"));
        let ((proofs, prove), (bugs, find)) = (names(proofs), names(bugs));
        found.push(format!("{}{point}: {proofs} prove{prove} it, and {bugs} find{find} a bug", first.program));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arguments::Shown;

    fn one(strategy: &str, verdict: &str, value: i64) -> Measure {
        let point = Some(Point { name: "N".into(), value });
        Measure {
            program: "p.c".into(),
            point,
            strategy: strategy.into(),
            verdict: verdict.into(),
            ..Measure::default()
        }
    }

    fn counted(strategy: &str, value: i64, executions: u64) -> Measure {
        Measure {
            executions: Some(executions),
            blocked: Some(1),
            transitions: Some(9 * executions),
            seconds: Some(0.01),
            peak_bytes: Some(1 << 20),
            ..one(strategy, "proved", value)
        }
    }

    #[test]
    fn a_proof_and_a_bug_of_one_program_disagree() {
        let mut all =
            vec![one("a", "proved", 1), one("b", "violated", 1), one("c", "bounded", 1), one("b", "violated", 2)];
        all[1].kind = "deadlock".into();
        let found = disagreements(&all);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0], "p.c with N = 1: `a` proves it, and `b` (deadlock) finds a bug");
        all.extend([one("d", "proved", 1), Measure { kind: "crash".into(), ..one("e", "violated", 1) }]);
        let found = disagreements(&all);
        assert_eq!(found, ["p.c with N = 1: `a`, `d` prove it, and `b` (deadlock), `e` (crash) find a bug"]);
        all.truncate(4);
        assert!(disagreements(&all[1..]).is_empty());
        all[1].checks = "-O 2".into();
        assert!(disagreements(&all).is_empty(), "they check different code");
    }

    #[test]
    fn a_range_may_have_steps() {
        assert_eq!(range("N=2..4"), Ok(Some(("N".into(), vec![2, 3, 4]))));
        assert_eq!(range("depth-bound=10..35/10"), Ok(Some(("depth-bound".into(), vec![10, 20, 30]))));
        assert_eq!(range("N=4"), Ok(None));
        for wrong in ["N=4..2", "N=1..9/0", "N=1..9999", "N=1..b", "N=1..9/x"] {
            assert!(range(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn plots_and_pages_stand_by_themselves() {
        let mut all = Vec::new();
        for n in 2..6 {
            for (strategy, factor) in [("optimal", 1), ("dfs", 20)] {
                all.push(counted(strategy, n, factor * (1 << n)));
            }
        }
        let (svg, html, csv) = (plot::svg(&all, None), page::html(&all, None), table::csv(&all));
        assert!(svg.starts_with("<svg") && svg.contains("dfs") && !svg.contains("NaN"));
        assert!(
            html.contains("<svg") && html.contains("</table>") && !html.contains("<link") && !html.contains("src=")
        );
        assert_eq!(csv.lines().count(), 9);
        assert!(csv.starts_with("program,parameter,value,strategy,verdict,kind,executions,"));
    }

    #[test]
    fn without_a_range_there_are_bars() {
        let all: Vec<Measure> = [("optimal", 3), ("dfs", 4000)]
            .map(|(strategy, executions)| Measure { point: None, ..counted(strategy, 0, executions) })
            .to_vec();
        let svg = plot::svg(&all, Some(Shown::Transitions));
        assert!(svg.contains("36,000") && svg.contains("transitions") && !svg.contains("NaN"), "{svg}");
        // 10 ms for 27 and for 36,000 transitions.
        let svg = plot::svg(&all, Some(Shown::Pace));
        assert!(svg.contains("370 µs") && svg.contains("0.3 µs") && svg.contains("time of a transition"), "{svg}");
    }

    #[test]
    fn figures_from_elsewhere_stand_beside() {
        let mut all = vec![counted("optimal", 2, 4), one("dfs", "unknown", 2)];
        let text = table::csv(&[Measure { strategy: "Tool".into(), ..counted("", 2, 3047) }]);
        all.iter_mut().for_each(|one| one.program = "folder/p.c".into());
        let figures = beside::parse(&text, "f.csv").expect("what we write ourselves");
        all.extend(beside::of(&figures, "folder/p.c", all[0].point.as_ref()));
        let limit = std::time::Duration::from_secs(60);
        let text = markdown::markdown(&all, Some(Shown::Runs), limit);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "| N | `optimal` | `dfs` | Tool |");
        assert_eq!(lines[2], "| 2 | 5 · 10 ms | > 60 s | 3,048 · 10 ms |");
        let text = markdown::markdown(&all, None, limit);
        assert!(
            text.contains("| 2 | Tool | proved | 3,047 | 1 |") && text.contains("| 2 | `dfs` | not in time |"),
            "{text}"
        );
    }

    /// Figures of an earlier version are those of other strategies, whatever their names.
    #[test]
    fn figures_of_the_same_name_are_told_apart() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("before.csv");
        std::fs::write(&file, table::csv(&[counted("optimal", 2, 9), counted("Tool", 2, 10)])).expect("room");
        let names = |strategies: &str| {
            let found = beside::read(&file, &strategies.parse().expect("strategies")).expect("figures");
            found.into_iter().map(|one| one.strategy).collect::<Vec<_>>()
        };
        assert_eq!(names("dfs"), ["optimal", "Tool"]);
        assert_eq!(names("optimal,dfs"), ["optimal (before)", "Tool"]);
    }

    #[test]
    fn a_file_of_figures_must_have_the_columns() {
        let error = beside::parse("program,strategy\np.c,Tool\n", "f.csv").expect_err("columns are missing");
        assert!(error.contains("f.csv") && error.contains("`parameter`"), "{error}");
    }
}

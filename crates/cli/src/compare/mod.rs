//! `threadbare compare`: the same programs under several strategies, each in a process of its own, as a table, as CSV and as
//! plots. Strategies that prove and strategies that find a bug cannot both be right: that is a fault of ours.

mod measure;
mod page;
mod plot;
mod table;

use std::path::Path;
use std::process::ExitCode;

use crate::arguments::{ComparePlan, Format};
use crate::told::is_model;
use crate::{listing, report, screen};
use measure::{Measure, Point, Task, measure};

/// A parameter with the values that it takes.
struct Sweep {
    name: String,
    values: Vec<i64>,
}

/// `N=2..8` is a sweep, everything else a definition for all.
fn definitions(plan: &ComparePlan) -> Result<(Option<Sweep>, Vec<String>), String> {
    let mut sweep = None;
    let mut fixed = Vec::new();
    for definition in &plan.definitions {
        let range = definition.split_once('=').and_then(|(name, value)| Some((name, value.split_once("..")?)));
        let Some((name, (first, last))) = range else {
            fixed.push(definition.clone());
            continue;
        };
        let number =
            |text: &str| text.trim().parse::<i64>().map_err(|_| format!("`{definition}` is no range of numbers"));
        let (first, last) = (number(first)?, number(last)?);
        if first > last || last - first > 1000 {
            return Err(format!("`{definition}`: the first value is the smaller one, and there are at most 1,000"));
        }
        if sweep.is_some() {
            return Err("only one parameter can take several values".into());
        }
        sweep = Some(Sweep { name: name.trim().into(), values: (first..=last).collect() });
    }
    Ok((sweep, fixed))
}

pub fn compare(plan: &ComparePlan) -> ExitCode {
    let fail = |message: &str| listing::failure(Format::Human, message, None, 2);
    let (sweep, fixed) = match definitions(plan) {
        Ok(found) => found,
        Err(error) => return fail(&error),
    };
    if plan.svg.is_some() && sweep.as_ref().is_none_or(|sweep| sweep.values.len() < 2) {
        return fail("a plot needs a parameter with several values, e.g. -D N=2..6");
    }
    let points: Vec<Option<Point>> = match &sweep {
        Some(Sweep { name, values }) => values.iter().map(|&value| Some(Point { name: name.clone(), value })).collect(),
        None => vec![None],
    };
    let mut all: Vec<Measure> = Vec::new();
    let total = plan.files.len() * points.len() * plan.strategies.len();
    for file in &plan.files {
        for point in &points {
            for &strategy in &plan.strategies {
                table::progress(all.len(), total, file, point.as_ref(), &strategy.to_string());
                let task = Task { plan, file, point: point.clone(), strategy, fixed: &fixed, model: is_model(file) };
                all.push(measure(&task));
            }
        }
    }
    table::end_of_progress();
    screen::print(&table::table(&all));
    let written = write(plan.csv.as_deref(), || table::csv(&all))
        .and_then(|()| write(plan.svg.as_deref(), || plot::svg(&all)))
        .and_then(|()| write(plan.html.as_deref(), || page::html(&all)));
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
    // What could not be checked at all.
    let failed = all.iter().filter_map(|one| one.error.as_ref()).map(|(code, _)| *code).max();
    ExitCode::from(failed.unwrap_or(0))
}

fn write(file: Option<&Path>, text: impl FnOnce() -> String) -> Result<(), String> {
    let Some(file) = file else { return Ok(()) };
    std::fs::write(file, text()).map_err(|error| format!("cannot write {}: {}", file.display(), report::why(&error)))
}

/// One of them proves what another one refutes.
fn disagreements(all: &[Measure]) -> Vec<String> {
    let mut found = Vec::new();
    for proof in all.iter().filter(|one| one.verdict == "proved") {
        let same = |other: &&Measure| other.program == proof.program && other.point == proof.point;
        for bug in all.iter().filter(same).filter(|other| other.verdict == "violated") {
            let point = proof.point.as_ref().map_or(String::new(), |point| format!(" with {point}"));
            found.push(format!(
                "{}{point}: `{}` proves it, and `{}` finds a bug ({})",
                proof.program, proof.strategy, bug.strategy, bug.kind
            ));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

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

    #[test]
    fn a_proof_and_a_bug_of_one_program_disagree() {
        let all = [one("a", "proved", 1), one("b", "violated", 1), one("c", "bounded", 1), one("b", "violated", 2)];
        let found = disagreements(&all);
        assert_eq!(found.len(), 1);
        assert!(found[0].contains("with N = 1") && found[0].contains("`a` proves") && found[0].contains("`b` finds"));
        assert!(disagreements(&all[1..]).is_empty());
    }

    #[test]
    fn plots_and_pages_stand_by_themselves() {
        let mut all = Vec::new();
        for n in 2..6 {
            for (strategy, factor) in [("optimal", 1), ("dfs", 20)] {
                let executions = factor * (1 << n);
                all.push(Measure {
                    executions,
                    transitions: 9 * executions,
                    seconds: 0.01,
                    ..one(strategy, "proved", n)
                });
            }
        }
        let (svg, html, csv) = (plot::svg(&all), page::html(&all), table::csv(&all));
        assert!(svg.starts_with("<svg") && svg.contains("dfs") && !svg.contains("NaN"));
        assert!(
            html.contains("<svg") && html.contains("</table>") && !html.contains("<link") && !html.contains("src=")
        );
        assert_eq!(csv.lines().count(), 9);
        assert!(csv.starts_with("program,parameter,value,strategy,verdict,kind,executions,"));
    }
}

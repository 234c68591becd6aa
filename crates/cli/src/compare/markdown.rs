//! The comparison as tables in Markdown. With one quantity to show: a row for each value and a column for each strategy, with
//! that quantity and the time in each cell. Else a row for each search, with all quantities.

use std::fmt::Write as _;
use std::time::Duration;

use super::measure::Measure;
use super::plot::Quantity;
use super::table::{COLUMNS, by_program, cells, duration, strategies};
use crate::arguments::Shown;

pub fn markdown(all: &[Measure], shown: Option<Shown>, limit: Duration) -> String {
    let programs = by_program(all);
    // Programs that do not vary are the rows of one table.
    let one_table = shown.is_some() && all.iter().all(|one| one.point.is_none());
    let tables: Vec<&[Measure]> = if one_table { vec![all] } else { programs.clone() };
    let mut text = String::new();
    for (number, rows) in tables.iter().enumerate() {
        if number > 0 {
            text.push('\n');
        }
        if programs.len() > 1 && !one_table {
            let _ = writeln!(text, "`{}`\n", rows[0].program);
        }
        match shown {
            Some(shown) => pivot(&mut text, rows, &Quantity::of(shown), limit),
            None => list(&mut text, rows),
        }
    }
    text
}

/// Our own strategies as one would type them.
fn name(one: &Measure) -> String {
    if one.is_from_elsewhere() { one.strategy.clone() } else { format!("`{}`", one.strategy) }
}

fn list(text: &mut String, rows: &[Measure]) {
    let parameter = rows[0].point.as_ref().map(|point| point.name.as_str());
    // Numbers to the right; a column that nobody fills is left out.
    let filled: Vec<usize> =
        (0..COLUMNS.len()).filter(|&column| rows.iter().any(|one| !cells(one)[column].is_empty())).collect();
    let heads = parameter.into_iter().chain(filled.iter().map(|&column| COLUMNS[column]));
    let _ = writeln!(text, "| {} |", heads.collect::<Vec<_>>().join(" | "));
    let lines = parameter.map(|_| "---:").into_iter().chain(filled.iter().map(|&c| if c < 2 { "---" } else { "---:" }));
    let _ = writeln!(text, "|{}|", lines.collect::<Vec<_>>().join("|"));
    for one in rows {
        let value = one.point.as_ref().map(|point| point.value.to_string());
        let mut row = cells(one);
        row[0] = name(one);
        let row = value.into_iter().chain(filled.iter().map(|&column| row[column].clone()));
        let _ = writeln!(text, "| {} |", row.collect::<Vec<_>>().join(" | "));
    }
}

fn pivot(text: &mut String, rows: &[Measure], quantity: &Quantity, limit: Duration) {
    let first = rows[0].point.as_ref().map_or("program", |point| point.name.as_str());
    let names = strategies(rows);
    let of = |name: &String| rows.iter().find(|one| one.strategy == *name).expect("it is from there");
    let heads: Vec<String> = names.iter().map(|strategy| name(of(strategy))).collect();
    let _ = writeln!(text, "| {first} | {} |", heads.join(" | "));
    let _ = writeln!(text, "|---|{}", "---:|".repeat(names.len()));
    for group in rows.chunk_by(|a, b| (&a.program, &a.point) == (&b.program, &b.point)) {
        let value = group[0].point.as_ref().map_or(format!("`{}`", group[0].program), |p| p.value.to_string());
        let cells = names.iter().map(|name| {
            let one = group.iter().find(|one| one.strategy == *name);
            one.map_or(String::new(), |one| cell(one, quantity, limit))
        });
        let _ = writeln!(text, "| {value} | {} |", cells.collect::<Vec<_>>().join(" | "));
    }
}

fn cell(one: &Measure, quantity: &Quantity, limit: Duration) -> String {
    match one.verdict.as_str() {
        "unknown" if one.is_from_elsewhere() => {
            one.seconds.map_or("not in time".into(), |s| format!("> {}", duration(s)))
        }
        "unknown" => format!("> {} s{}", limit.as_secs(), if one.kind.is_empty() { "" } else { " ✗" }),
        "error" => "refused".into(),
        "" if !one.is_from_elsewhere() => "not tried".into(),
        verdict => {
            let counted = (quantity.value)(one).map(quantity.written);
            let parts: Vec<String> = counted.into_iter().chain(one.seconds.map(duration)).collect();
            let mark = if verdict == "violated" { " ✗" } else { "" };
            parts.join(" · ") + mark
        }
    }
}

//! The comparison for the terminal, and as CSV.

use std::fmt::Write as _;
use std::io::{IsTerminal, Write as _};
use std::path::Path;

use super::measure::{Measure, Point};

/// Says on a terminal which process runs.
pub fn progress(done: usize, total: usize, file: &Path, point: Option<&Point>, strategy: &str) {
    if std::io::stderr().is_terminal() {
        let point = point.map_or(String::new(), |point| format!(", {point}"));
        eprint!("\r\x1b[K{} of {total}: {}{point}, {strategy}", done + 1, file.display());
        let _ = std::io::stderr().flush();
    }
}

pub fn end_of_progress() {
    if std::io::stderr().is_terminal() {
        eprint!("\r\x1b[K");
    }
}

/// With commas: 1,234,567.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

pub fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 1e-5 => format!("{:.1} µs", s * 1e6),
        s if s < 0.001 => format!("{:.0} µs", s * 1e6),
        s if s < 0.01 => format!("{:.1} ms", s * 1e3),
        s if s < 1.0 => format!("{:.0} ms", s * 1e3),
        s if s < 100.0 => format!("{s:.2} s"),
        s if s >= 86_400.0 => format!("{:.0} h", s / 3600.0),
        s => format!("{s:.0} s"),
    }
}

/// The verdict, and what kind of bug it is.
pub fn verdict(one: &Measure) -> String {
    match (one.verdict.as_str(), one.kind.as_str()) {
        ("unknown", "") => "not in time".into(),
        ("unknown", kind) => format!("{kind}, not in time"),
        ("", _) if !one.is_from_elsewhere() => "not tried".into(),
        (verdict, "") => verdict.into(),
        (_, kind) => format!("violated: {kind}"),
    }
}

/// The cells of a row, without the parameter.
pub const COLUMNS: [&str; 8] =
    ["strategy", "verdict", "executions", "redundant", "transitions", "states", "time", "memory"];

pub fn cells(one: &Measure) -> [String; 8] {
    let counted = |number: Option<u64>| number.map_or(String::new(), grouped);
    [
        one.strategy.clone(),
        verdict(one),
        counted(one.executions),
        counted(one.blocked),
        counted(one.transitions),
        counted(one.states),
        one.seconds.map_or(String::new(), duration),
        one.peak_bytes.map_or(String::new(), |bytes| format!("{} MiB", bytes >> 20)),
    ]
}

/// The strategies in their order.
pub fn strategies(all: &[Measure]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for one in all {
        if !names.contains(&one.strategy) {
            names.push(one.strategy.clone());
        }
    }
    names
}

/// The programs in their order, each with its rows.
pub fn by_program(all: &[Measure]) -> Vec<&[Measure]> {
    all.chunk_by(|a, b| a.program == b.program).collect()
}

pub fn table(all: &[Measure]) -> String {
    let mut text = String::new();
    for rows in by_program(all) {
        let parameter = rows[0].point.as_ref().map_or("", |point| point.name.as_str());
        let mut lines: Vec<Vec<String>> = vec![std::iter::once(parameter).chain(COLUMNS).map(String::from).collect()];
        let mut last = None;
        for one in rows {
            // A value stands only beside the first of its rows.
            let value =
                one.point.as_ref().filter(|point| last != Some(*point)).map_or(String::new(), |p| p.value.to_string());
            last = one.point.as_ref();
            lines.push(std::iter::once(value).chain(cells(one)).collect());
        }
        let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..lines[0].len()).map(width).collect();
        let _ = writeln!(text, "{}", rows[0].program);
        for (number, line) in lines.iter().enumerate() {
            let mut row = String::new();
            for (column, (cell, &width)) in line.iter().zip(&widths).enumerate() {
                if width == 0 {
                    continue;
                }
                // Words to the left, numbers to the right.
                let words = (1..=2).contains(&column);
                let _ = if words { write!(row, "  {cell:<width$}") } else { write!(row, "  {cell:>width$}") };
            }
            let new_value = number > 1 && !line[0].is_empty() && rows[0].point.is_some();
            if number == 1 {
                let used = widths.iter().filter(|&&width| width > 0);
                let _ = writeln!(text, "  {}", "─".repeat(used.clone().sum::<usize>() + 2 * (used.count() - 1)));
            } else if new_value && rows.iter().filter(|one| one.point == rows[0].point).count() > 1 {
                text.push('\n');
            }
            let _ = writeln!(text, "{}", row.trim_end());
        }
        let mut errors: Vec<&str> =
            rows.iter().filter_map(|one| one.error.as_ref()).map(|(_, why)| why.as_str()).collect();
        errors.dedup();
        errors.iter().for_each(|why| {
            let _ = writeln!(text, "  error: {why}");
        });
        text.push('\n');
    }
    text
}

pub const COLUMNS_OF_CSV: [&str; 12] = [
    "program",
    "parameter",
    "value",
    "strategy",
    "verdict",
    "kind",
    "executions",
    "redundant",
    "transitions",
    "states",
    "cpu_seconds",
    "peak_rss_bytes",
];

pub fn csv(all: &[Measure]) -> String {
    let mut text = COLUMNS_OF_CSV.join(",") + "\n";
    let quoted = |word: &str| match word.contains([',', '"', '\n']) {
        true => format!("\"{}\"", word.replace('"', "\"\"")),
        false => word.to_string(),
    };
    let number = |number: Option<u64>| number.map_or(String::new(), |number| number.to_string());
    for one in all {
        let (name, value) =
            one.point.as_ref().map_or((String::new(), String::new()), |p| (quoted(&p.name), p.value.to_string()));
        let cells = [
            quoted(&one.program),
            name,
            value,
            quoted(&one.strategy),
            one.verdict.clone(),
            one.kind.clone(),
            number(one.executions),
            number(one.blocked),
            number(one.transitions),
            number(one.states),
            one.seconds.map_or(String::new(), |seconds| seconds.to_string()),
            number(one.peak_bytes),
        ];
        text += &(cells.join(",") + "\n");
    }
    text
}

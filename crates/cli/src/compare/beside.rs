//! Figures from elsewhere, to be put beside ours: a file as `--csv` writes them, of an earlier version, another machine or
//! another tool. Where a figure is missing, its cell is empty.

use std::path::Path;

use super::entries::Entries;
use super::measure::{ELSEWHERE, Measure, Point};
use super::table::COLUMNS_OF_CSV;

/// What bears the name of a strategy that is measured now gets that of the file, too.
pub fn read(file: &Path, measured: &Entries) -> Result<Vec<Measure>, String> {
    let cannot = |error| format!("cannot read {}: {}", file.display(), crate::report::why(&error));
    let mut all = parse(&std::fs::read_to_string(file).map_err(cannot)?, &file.display().to_string())?;
    let stem = file.file_stem().unwrap_or_default().display();
    for one in &mut all {
        if measured.0.iter().any(|entry| entry.to_string() == one.strategy) {
            one.strategy = format!("{} ({stem})", one.strategy);
        }
    }
    Ok(all)
}

pub fn parse(text: &str, file: &str) -> Result<Vec<Measure>, String> {
    let mut lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let header: Vec<String> = lines.next().map_or(Vec::new(), |(_, line)| cells(line));
    let at = |name: &str| {
        let found = header.iter().position(|column| column == name);
        found.ok_or_else(|| format!("{file} has no column `{name}`; there are {}", COLUMNS_OF_CSV.join(", ")))
    };
    let columns: Vec<usize> = COLUMNS_OF_CSV.iter().map(|name| at(name)).collect::<Result<_, _>>()?;
    let row = |(number, line): (usize, &str)| {
        let cells = cells(line);
        let place = format!("{file}, line {}", number + 1);
        if cells.len() != header.len() {
            return Err(format!("{place}: {} cells under {} columns", cells.len(), header.len()));
        }
        let cell = |column: usize| cells[columns[column]].as_str();
        let number = |column: usize| match cell(column) {
            "" => Ok(None),
            text => text.parse::<f64>().map(Some).map_err(|_| format!("{place}: `{text}` is no number")),
        };
        let whole = |column| number(column).map(|found| found.map(|value| value as u64));
        let value = number(2)?;
        Ok(Measure {
            program: cell(0).into(),
            point: value.map(|value| Point { name: cell(1).into(), value: value as i64 }),
            strategy: cell(3).into(),
            checks: format!("{ELSEWHERE}{}", cell(3)),
            verdict: cell(4).into(),
            kind: cell(5).into(),
            executions: whole(6)?,
            blocked: whole(7)?,
            transitions: whole(8)?,
            states: whole(9)?,
            seconds: number(10)?,
            peak_bytes: whole(11)?,
            error: None,
        })
    };
    lines.map(row).collect()
}

/// Those of a program, at a value; folders do not matter.
pub fn of(all: &[Measure], program: &str, point: Option<&Point>) -> Vec<Measure> {
    fn without_folders(program: &str) -> &str {
        let end = program.find(' ').unwrap_or(program.len());
        program[..end].rfind('/').map_or(program, |slash| &program[slash + 1..])
    }
    let same = |one: &&Measure| {
        without_folders(&one.program) == without_folders(program)
            && one.point.as_ref().map(|point| point.value) == point.map(|point| point.value)
    };
    let ours = |one: &Measure| Measure { program: program.into(), point: point.cloned(), ..one.clone() };
    all.iter().filter(same).map(ours).collect()
}

fn cells(line: &str) -> Vec<String> {
    let mut cells = vec![String::new()];
    let mut quoted = false;
    for letter in line.chars() {
        match letter {
            '"' => quoted = !quoted,
            ',' if !quoted => cells.push(String::new()),
            letter => cells.last_mut().expect("there is one").push(letter),
        }
    }
    cells
}

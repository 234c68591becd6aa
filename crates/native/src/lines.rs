//! The lines of addresses in the program, from its debug information: `llvm-symbolizer` knows them.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use rustc_hash::FxHashMap;
use threadbare_core::Place;

/// Bytes of code that are looked back for a line.
const NEARBY: u64 = 256;

/// What comes before the first statement of a function has the line where it begins, and no column.
fn has_line(places: &[Place]) -> bool {
    places.first().is_some_and(|place| place.line > 0 && place.column > 0)
}

pub struct Lines {
    child: Option<(Child, ChildStdin, BufReader<ChildStdout>)>,
    known: FxHashMap<u64, Vec<Place>>,
}

impl Lines {
    /// It waits for questions from here on.
    pub fn new(mut command: Command, object: &Path) -> Lines {
        command.arg(format!("--obj={}", object.display())).args(["--output-style=LLVM", "--functions=short"]);
        let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
        let parts = child.ok().and_then(|mut child| {
            let (input, output) = (child.stdin.take()?, child.stdout.take()?);
            Some((child, input, BufReader::new(output)))
        });
        Lines { child: parts, known: FxHashMap::default() }
    }

    /// The place of the instruction before an address of the object, and the calls through which it was inlined.
    pub fn places(&mut self, offset: u64) -> Vec<Place> {
        if let Some(known) = self.known.get(&offset) {
            return known.clone();
        }
        // Instructions that the compiler made up have no line: the nearest one before that has one serves, and else the nearest one behind.
        let first = offset.checked_sub(1).and_then(|at| self.ask(at)).unwrap_or_default();
        let function = |places: &[Place]| places.last().map(|place| place.function.clone());
        let serves = |places: &Vec<Place>| has_line(places) && function(places) == function(&first);
        let found = if has_line(&first) || first.is_empty() {
            None
        } else {
            let before = (2..=NEARBY.min(offset)).map(|n| offset - n);
            before.chain(offset..offset + NEARBY).filter_map(|at| self.ask(at)).find(serves)
        };
        let found = found.unwrap_or(first);
        self.known.insert(offset, found.clone());
        found
    }

    fn ask(&mut self, offset: u64) -> Option<Vec<Place>> {
        let (_, input, output) = self.child.as_mut()?;
        writeln!(input, "{offset:#x}").ok()?;
        input.flush().ok()?;
        let mut places = Vec::new();
        let mut line = String::new();
        let mut read = |line: &mut String| {
            line.clear();
            output.read_line(line).ok().filter(|&n| n > 0)
        };
        // Function and place in turns, then an empty line.
        loop {
            read(&mut line)?;
            let function = line.trim_end().to_string();
            if function.is_empty() {
                return Some(places);
            }
            read(&mut line)?;
            let mut parts = line.trim_end().rsplitn(3, ':');
            let (column, number, file) = (parts.next()?, parts.next()?, parts.next()?);
            if !file.starts_with("??") {
                let (line, column) = (number.parse().unwrap_or(0), column.parse().unwrap_or(0));
                places.push(Place { file: file.into(), line, column, function });
            }
        }
    }
}

impl Drop for Lines {
    fn drop(&mut self) {
        if let Some((mut child, input, _)) = self.child.take() {
            drop(input);
            let _ = child.wait();
        }
    }
}

//! `threadbare replay --step`: the program one step at a time, forwards and backwards, along a recording or anywhere else.

use std::fmt::Write as _;
use std::io::{BufRead, Write as _};
use std::process::ExitCode;

use threadbare_core::{Choice, Ending, Place, Tid};

use crate::listing;
use crate::replay::{expected, take};
use crate::screen;
use crate::story::{Telling, can_take, faults_of};
use crate::terminal::{Key, Keys};
use crate::told::Told;
use crate::trace::TraceStep;

const HELP: &str = "\
space, n, right   the next step: of the recording, or of the running thread
b, p, left        one step back
0 1 2 ...         a step of that thread (the number in front of it); one that
                  cannot go on says why
l                 the steps so far
o                 what the program has printed so far
?                 this
q                 quit
`7!` is step 7, and a preemption: another thread was running, and could have
gone on. `>` stands before the thread that took the last step.
Line by line (where the standard input is no terminal) also: the name of a
thread (0.1), a choice behind a thread (`1 0`), `g 12` to go to step 12.
";

#[derive(Clone, PartialEq, Eq, Debug)]
enum Command {
    Next,
    Back,
    Thread(String, Option<u32>),
    Go(usize),
    Steps,
    Output,
    Help,
    Quit,
    Unknown(String),
}

/// Where commands come from.
enum Source {
    Keys(Keys),
    Lines(std::io::StdinLock<'static>),
}

pub fn simulate<M: Told>(machine: &mut M, telling: &mut Telling<M>, recording: &[TraceStep]) -> ExitCode {
    let mut source = match Keys::open() {
        Some(keys) => Source::Keys(keys),
        None => Source::Lines(std::io::stdin().lock()),
    };
    let mut simulation = Simulation { machine, telling, recording, left_at: None };
    let mut message = "? tells the keys".to_string();
    loop {
        let clear = if matches!(source, Source::Keys(_)) && !screen::is_dumb() { "\x1b[2J\x1b[H" } else { "" };
        let text = format!("{clear}{}{message}\n", simulation.view());
        // Nobody is left to look where the output is closed.
        if std::io::stdout().write_all(text.as_bytes()).and_then(|()| std::io::stdout().flush()).is_err() {
            return ExitCode::SUCCESS;
        }
        let Some(command) = source.next(&mut simulation) else { return ExitCode::SUCCESS };
        message = match command {
            Command::Quit => return ExitCode::SUCCESS,
            command => simulation.perform(command),
        };
    }
}

impl Source {
    fn next<M: Told>(&mut self, simulation: &mut Simulation<'_, M>) -> Option<Command> {
        match self {
            Source::Lines(input) => {
                let mut line = String::new();
                (input.read_line(&mut line).ok()? > 0).then(|| parse(line.trim()))
            }
            Source::Keys(keys) => Some(match keys.next()? {
                Key::Right | Key::Char(' ' | '\r' | '\n') => Command::Next,
                Key::Left => Command::Back,
                // Ctrl-C and Ctrl-D
                Key::Char('\u{3}' | '\u{4}') => Command::Quit,
                Key::Char(digit) if digit.is_ascii_digit() => {
                    let choices = simulation.choices_of(digit as usize - '0' as usize);
                    let mut choice = None;
                    if choices.len() > 1 {
                        let list: Vec<String> = choices.iter().map(|choice| choice.0.to_string()).collect();
                        print!("which choice: {}? ", list.join(" "));
                        let _ = std::io::stdout().flush();
                        choice = match keys.next()? {
                            Key::Char(c) => c.to_digit(10),
                            _ => None,
                        };
                    }
                    Command::Thread(digit.to_string(), choice)
                }
                Key::Char(c) => parse(&c.to_string()),
            }),
        }
    }
}

fn parse(line: &str) -> Command {
    let words: Vec<&str> = line.split_whitespace().collect();
    match words.as_slice() {
        [] | ["n" | "next"] => Command::Next,
        ["b" | "p" | "back"] => Command::Back,
        ["q" | "quit"] => Command::Quit,
        ["l"] => Command::Steps,
        ["o"] => Command::Output,
        ["?" | "h" | "help"] => Command::Help,
        ["g", number] => number.parse().map_or_else(|_| Command::Unknown(line.into()), Command::Go),
        [thread] if thread.starts_with(|c: char| c.is_ascii_digit()) => Command::Thread((*thread).into(), None),
        [thread, choice] if thread.starts_with(|c: char| c.is_ascii_digit()) => match choice.parse() {
            Ok(choice) => Command::Thread((*thread).into(), Some(choice)),
            Err(_) => Command::Unknown(line.into()),
        },
        _ => Command::Unknown(line.into()),
    }
}

struct Simulation<'a, M: Told> {
    machine: &'a mut M,
    telling: &'a mut Telling<M>,
    recording: &'a [TraceStep],
    /// How many steps there were when another one than the recording's was taken.
    left_at: Option<usize>,
}

impl<M: Told> Simulation<'_, M> {
    fn position(&self) -> usize {
        self.telling.story.steps.len()
    }

    /// The next step of the recording, while that is being followed.
    fn recorded(&self) -> Option<&TraceStep> {
        self.recording.get(self.position()).filter(|_| self.left_at.is_none())
    }

    fn perform(&mut self, command: Command) -> String {
        match command {
            Command::Next => self.next(),
            Command::Back => {
                if self.back() {
                    String::new()
                } else {
                    "this is the start".into()
                }
            }
            Command::Thread(name, choice) => self.step_of(&name, choice),
            Command::Go(to) => {
                while self.position() > to && self.back() {}
                let mut message = String::new();
                while self.position() < to && message.is_empty() {
                    message = self.next();
                }
                message
            }
            Command::Steps => {
                let story = &self.telling.story;
                story.steps.iter().enumerate().map(|(number, step)| listing::step(story, number, step)).collect()
            }
            Command::Output => self.telling.story.steps.iter().map(|step| step.output.as_str()).collect(),
            Command::Help => HELP.into(),
            Command::Unknown(word) => format!("`{word}`? ? tells the keys"),
            Command::Quit => String::new(),
        }
    }

    fn back(&mut self) -> bool {
        let went = self.telling.back(self.machine);
        if self.left_at.is_some_and(|left| self.position() <= left) {
            self.left_at = None;
        }
        went
    }

    fn next(&mut self) -> String {
        if let Some(recorded) = self.recorded().cloned() {
            return match take(self.machine, self.telling, &recorded, false) {
                Ok(()) => String::new(),
                Err(found) => {
                    self.left_at = Some(self.position());
                    format!("the program goes another way: the recording has {}; found: {found}", expected(&recorded))
                }
            };
        }
        let pending = self.machine.all_pending();
        let last = self.telling.last();
        let running = pending.iter().find(|p| Some(p.tid) == last && p.choices.any_enabled());
        let Some(next) = running.or_else(|| pending.iter().find(|p| p.choices.any_enabled())) else {
            return self.over();
        };
        let (tid, choice) = (next.tid, next.choices.enabled().next().unwrap_or_default());
        self.leave();
        self.telling.step(self.machine, tid, choice);
        String::new()
    }

    /// A step that the recording does not have.
    fn leave(&mut self) {
        if !self.recording.is_empty() && self.left_at.is_none() {
            self.left_at = Some(self.position());
        }
    }

    fn over(&self) -> String {
        match self.machine.ending() {
            Some(Ending::Exit(status)) => format!("the process has ended with status {status}"),
            Some(Ending::Error(_)) => "the execution has ended with an error".into(),
            None => "no thread can go on".into(),
        }
    }

    /// The thread that the user calls so: by its number in the list, or by its name.
    fn find(&self, name: &str) -> Option<Tid> {
        match name.parse::<usize>() {
            Ok(number) => (number < self.machine.thread_count()).then_some(Tid(number as u16)),
            Err(_) => threadbare_core::ThreadName::parse(name).and_then(|name| self.machine.names().find(&name)),
        }
    }

    fn choices_of(&mut self, number: usize) -> Vec<Choice> {
        let tid = Tid(number as u16);
        if number >= self.machine.thread_count() || !self.machine.is_live(tid) {
            return Vec::new();
        }
        self.machine.pending(tid).choices.enabled().take(10).collect()
    }

    fn step_of(&mut self, name: &str, choice: Option<u32>) -> String {
        let Some(tid) = self.find(name) else { return format!("there is no thread {name}") };
        let choices = self.choices_of(tid.index());
        let choice = match (choice, choices.as_slice()) {
            (Some(choice), _) => Choice(choice),
            (None, [one]) => *one,
            (None, []) => Choice(0),
            (None, several) => {
                let list: Vec<String> = several.iter().map(|choice| choice.0.to_string()).collect();
                return format!("there is a choice: say `{name} CHOICE` with one of {}", list.join(", "));
            }
        };
        if let Err(refusal) = can_take(self.machine, tid, choice) {
            return refusal.0;
        }
        let step = self.recorded().and_then(TraceStep::to_step);
        let planned = step.and_then(|step| Telling::<M>::resolve(self.machine, &step).ok());
        if planned != Some((tid, choice)) {
            self.leave();
        }
        self.telling.step(self.machine, tid, choice);
        String::new()
    }

    /// The last step, what it left behind, and what each thread does next.
    fn view(&mut self) -> String {
        let mut text = String::new();
        let number = self.position();
        let of = match self.recording.len() {
            0 => String::new(),
            n if self.left_at.is_none() => format!(" of {n}"),
            _ => ", away from the recording".into(),
        };
        let _ = writeln!(text, "--- step {number}{of}");
        if let Some(step) = self.telling.story.steps.last() {
            text += &listing::step(&self.telling.story, number - 1, step);
            text += &source_line(step.stack.first());
        }
        for fault in faults_of(self.machine) {
            let bug = self.telling.bug(self.machine, &fault);
            text += &listing::bug(&self.telling.story, &bug);
        }
        if let Some(Ending::Exit(status)) = self.machine.ending() {
            let _ = writeln!(text, "the process has ended with status {status}");
        }
        let last = self.telling.last();
        for pending in self.machine.all_pending() {
            let tid = pending.tid;
            let mark = if Some(tid) == last { ">" } else { " " };
            let thread = &self.telling.story.threads[tid.index()];
            let _ = write!(text, "{mark}{:>2}  thread {} `{}`: next ", tid.0, thread.name, thread.start);
            text += &self.telling.next(self.machine, tid);
            if !pending.choices.any_enabled() {
                let _ = write!(text, " -- waits for {}", self.machine.waits_for(tid));
            }
            text.push('\n');
            text += &source_line(self.telling.place(self.machine, tid).as_ref());
            let locals = self.telling.locals(self.machine, tid);
            if !locals.is_empty() {
                let _ = writeln!(text, "       here {}", locals.join(", "));
            }
        }
        if let Some(recorded) = self.recorded() {
            let _ = writeln!(text, "the recording goes on with {}", expected(recorded));
        }
        text
    }
}

fn source_line(place: Option<&Place>) -> String {
    let Some(place) = place.filter(|place| !place.file.is_empty()) else { return String::new() };
    let source = std::fs::read_to_string(&place.file).unwrap_or_default();
    match source.lines().nth(place.line.saturating_sub(1) as usize) {
        Some(line) => format!("{:>8} | {}\n", place.line, line.replace('\t', "    ")),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_commands() {
        assert_eq!(parse(""), Command::Next);
        assert_eq!(parse("n"), Command::Next);
        assert_eq!(parse("b"), Command::Back);
        assert_eq!(parse("0.1 2"), Command::Thread("0.1".into(), Some(2)));
        assert_eq!(parse("g 3"), Command::Go(3));
        assert_eq!(parse("g x"), Command::Unknown("g x".into()));
        assert_eq!(parse("why"), Command::Unknown("why".into()));
    }
}

//! The world outside the program: what it prints, what it reads, and its virtual clock.

use std::io::{IsTerminal, Read, Write};

use threadbare_core::Hash128;

use crate::machine::LOG_SYSTEM;
use crate::memory::Memory;

/// What goes back with the program.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SystemState {
    /// Virtual nanoseconds since the start.
    pub clock: u64,
    /// Bytes of the output kept so far.
    pub printed: u64,
    /// Bytes of the input read so far.
    pub consumed: u64,
}

impl SystemState {
    pub fn unpack(words: &[u64]) -> SystemState {
        SystemState { clock: words[0], printed: words[1], consumed: words[2] }
    }
}

/// Where output goes and input comes from.
pub enum Console {
    /// Straight to this process's own streams: one execution that never goes back.
    Real,
    /// Kept in memory, and forgotten when the machine goes back.
    Kept { input: Vec<u8> },
}

pub struct System {
    pub state: SystemState,
    console: Console,
    /// Kept output: everything in order, and where each change of stream was (position, fd).
    output: Vec<u8>,
    streams: Vec<(u64, i32)>,
    stdout: std::io::BufWriter<std::io::Stdout>,
    /// Somebody is watching: what is printed is shown at once.
    terminal: bool,
    lost: Option<std::io::Error>,
    /// What an abstraction has said of the state, while one is evaluated.
    pub abstract_state: Option<Hash128>,
}

impl System {
    pub fn new(console: Console) -> System {
        System {
            state: SystemState::default(),
            console,
            output: Vec::new(),
            streams: Vec::new(),
            stdout: std::io::BufWriter::with_capacity(1 << 16, std::io::stdout()),
            terminal: std::io::stdout().is_terminal(),
            lost: None,
            abstract_state: None,
        }
    }

    pub(super) fn log(&self, memory: &mut Memory) {
        memory.log_outside(LOG_SYSTEM, 0, &[self.state.clock, self.state.printed, self.state.consumed]);
    }

    pub fn advance(&mut self, nanoseconds: u64, memory: &mut Memory) {
        self.log(memory);
        self.state.clock = self.state.clock.saturating_add(nanoseconds);
    }

    pub fn write(&mut self, fd: i32, bytes: &[u8], memory: &mut Memory) {
        match &self.console {
            Console::Real => {
                // Nothing goes back, but somebody may ask whether anything has happened.
                self.log(memory);
                if fd == 2 {
                    self.flush();
                    let written = std::io::stderr().write_all(bytes);
                    return self.note(written);
                }
                let written = self.stdout.write_all(bytes);
                self.note(written);
                // Nothing to write is the program's wish that what was written be seen.
                if self.terminal || bytes.is_empty() {
                    self.flush();
                }
            }
            Console::Kept { .. } => {
                self.log(memory);
                if self.streams.last().is_none_or(|&(_, last)| last != fd) {
                    self.streams.push((self.state.printed, fd));
                }
                self.output.extend_from_slice(bytes);
                self.state.printed += bytes.len() as u64;
            }
        }
    }

    pub fn read(&mut self, most: usize, memory: &mut Memory) -> Vec<u8> {
        match &self.console {
            Console::Real => {
                self.flush();
                self.log(memory);
                let mut bytes = vec![0; most.min(1 << 16)];
                let n = std::io::stdin().read(&mut bytes).unwrap_or(0);
                bytes.truncate(n);
                bytes
            }
            Console::Kept { input } => {
                let from = (self.state.consumed as usize).min(input.len());
                let bytes = input[from..(from + most).min(input.len())].to_vec();
                self.log(memory);
                self.state.consumed += bytes.len() as u64;
                bytes
            }
        }
    }

    pub fn flush(&mut self) {
        let flushed = self.stdout.flush();
        self.note(flushed);
    }

    /// Where nobody reads any more, natively the program would be ended by SIGPIPE.
    fn note(&mut self, result: std::io::Result<()>) {
        match result {
            Ok(()) => {}
            Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => std::process::exit(128 + 13),
            Err(error) => self.lost = self.lost.take().or(Some(error)),
        }
    }

    /// Why some of the output did not get where it should.
    pub fn lost(&mut self) -> Option<std::io::Error> {
        self.lost.take()
    }

    /// What was printed to `fd`.
    pub fn output(&self, fd: i32) -> Vec<u8> {
        let mut bytes = Vec::new();
        for (i, &(from, stream)) in self.streams.iter().enumerate() {
            let to = self.streams.get(i + 1).map_or(self.output.len() as u64, |next| next.0);
            if stream == fd {
                bytes.extend_from_slice(&self.output[from as usize..to as usize]);
            }
        }
        bytes
    }

    /// What was printed to any stream after so many bytes.
    pub fn output_since(&self, printed: u64) -> &[u8] {
        self.output.get(printed as usize..).unwrap_or_default()
    }

    pub fn rewind(&mut self, state: SystemState) {
        self.state = state;
        self.output.truncate(state.printed as usize);
        while self.streams.last().is_some_and(|&(from, _)| from >= state.printed) {
            self.streams.pop();
        }
    }
}

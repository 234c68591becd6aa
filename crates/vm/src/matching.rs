//! What a stored state is known by, if not by all of it (`--ignore`, `--abstraction`).
//!
//! The distinction is SPIN's, as pancam makes use of it (A. Zaks, R. Joshi: "Verifying multi-threaded C programs with SPIN", SPIN 2008,
//! section 3.1): everything is *tracked*, which means that it comes back when the machine goes back, but less may be *matched*. A search
//! goes on from the first of the states that match, so that what it finds is real, and what the others would have done
//! instead is missed unless they go on alike.
//!
//! Variables that are ignored are taken out of the hash of memory. An abstraction is a function of the program that hands what matters
//! to `tb_abstract`; besides that, states are known by where their threads stand. Both keep what data races hang on, where
//! that belongs to states: nobody could say it in C.

use std::ops::Range;

use threadbare_core::{Ending, Fingerprint, Hash128, Machine, Tid};

use crate::bytecode::{GlobalVar, Program};
use crate::fault::{Fault, FaultKind};
use crate::frontend::LoadError;
use crate::interp::Cpu;
use crate::machine::VmMachine;
use crate::memory::Addr;

#[derive(Default)]
pub struct Matching {
    /// Words of global variables of which some bits are left out, and these bits.
    ignored: Vec<(Addr, u64)>,
    pub abstraction: Option<Abstraction>,
}

pub struct Abstraction {
    pub name: Box<str>,
    pub function: u32,
}

impl Matching {
    /// By all of a state.
    #[inline]
    pub fn is_whole(&self) -> bool {
        self.abstraction.is_none() && self.ignored.is_empty()
    }

    fn ignore(&mut self, address: Addr, bits: Range<u64>) {
        for word in bits.start / 64..bits.end.div_ceil(64) {
            let first = bits.start.saturating_sub(64 * word);
            let count = (bits.end - 64 * word).min(64) - first;
            let mask = (u64::MAX >> (64 - count)) << first;
            let at = address + 8 * word;
            match self.ignored.iter_mut().find(|(known, _)| *known == at) {
                Some((_, known)) => *known |= mask,
                None => self.ignored.push((at, mask)),
            }
        }
    }
}

impl Program {
    /// States are not told apart by these variables, or parts of variables: `hits`, `stats.hits`, `log[0]`, `file.c:hits`.
    pub(crate) fn leave_out(&mut self, names: &[String]) -> Result<(), LoadError> {
        for text in names {
            let (file, path) = text.rsplit_once(':').map_or(("", text.as_str()), |(file, path)| (file, path));
            let end = path.find(['.', '[']).unwrap_or(path.len());
            let (name, part) = path.split_at(end);
            let (address, size, ty) = {
                let global = self.variable_to_leave_out(text, file, name)?;
                (global.address, global.size, global.ty)
            };
            let parts = match ty {
                Some((m, ty)) if !part.is_empty() => self.debug[m as usize].bits_of_part(name, ty, part),
                None if !part.is_empty() => {
                    let message = format!("nothing is known of the parts of `{name}`: it has no debug information");
                    return Err(LoadError::NoSuch { message, name: String::new(), known: Vec::new() });
                }
                _ => Ok(std::iter::once(0..8 * size).collect()),
            };
            let parts =
                parts.map_err(|no| LoadError::NoSuch { message: no.message, name: no.name, known: no.known })?;
            for part in parts {
                self.matching.ignore(address, part.start..part.end.min(8 * size));
            }
        }
        Ok(())
    }

    fn variable_to_leave_out(&self, text: &str, file: &str, name: &str) -> Result<&GlobalVar, LoadError> {
        let refuse = |message: String, known: Vec<String>| LoadError::NoSuch { message, name: name.into(), known };
        let is_meant = |global: &&GlobalVar| {
            !global.library && &*global.name == name && self.files[global.file as usize].ends_with(file)
        };
        let meant: Vec<&GlobalVar> = self.globals.iter().filter(is_meant).collect();
        if let [only] = meant[..] {
            return Ok(only);
        }
        if !meant.is_empty() {
            let place = |global: &&GlobalVar| format!("{}:{}", self.files[global.file as usize], global.line);
            let places: Vec<String> = meant.iter().map(place).collect();
            let message = format!(
                "`{text}` may be any of {} variables, at {}: FILE:{name} tells which, if the files differ",
                places.len(),
                places.join(", ")
            );
            return Err(refuse(message, Vec::new()));
        }
        if self.thread_locals.iter().any(|own| !own.library && &*own.name == name) {
            let message =
                format!("`{name}` is thread-local: of those every thread has its own, which cannot be left out");
            return Err(refuse(message, Vec::new()));
        }
        let variables = self.globals.iter().filter(|global| !global.library).map(|global| global.name.to_string());
        let known = variables.filter(|name| !name.starts_with(['.', '_']) && !name.contains('.')).collect();
        let message = format!("the program has no global variable `{text}`, or does not use it");
        Err(refuse(message, known))
    }
}

impl VmMachine {
    /// See `Machine::matched`.
    pub(crate) fn matched_state(&mut self) -> Option<Fingerprint> {
        let program = self.program.clone();
        let Some(abstraction) = &program.matching.abstraction else {
            let mut state = self.fingerprint()?;
            for &(word, bits) in &program.matching.ignored {
                state ^= self.memory().share_of(word, bits);
            }
            return Some(state);
        };
        // An error is a state of its own, in which nobody need look around any more.
        if matches!(self.ending, Some(Ending::Error(_))) {
            return self.fingerprint();
        }
        // Nothing can be told apart any more: the search ends, and somebody asks why.
        if self.bad_abstraction.is_some() {
            return Some(Fingerprint::default());
        }
        match self.abstract_state(abstraction) {
            Ok(state) => Some(state ^ self.control_points() ^ self.order_in_states(&[])),
            Err(fault) => {
                self.bad_abstraction = Some(fault);
                Some(Fingerprint::default())
            }
        }
    }

    fn abstract_state(&mut self, abstraction: &Abstraction) -> Result<Fingerprint, Box<Fault>> {
        self.system().abstract_state = Some(Hash128::new(0xab5));
        let called = self.call(Tid::MAIN, abstraction.function);
        let state = self.system().abstract_state.take().expect("nobody else takes it");
        match called {
            Ok(_) => Ok(state.finish()),
            Err(mut fault) => {
                let name = &abstraction.name;
                fault.message = match fault.kind {
                    FaultKind::Unsupported => format!("the abstraction `{name}` may only look: {}", fault.message),
                    _ => format!(
                        "{}, when the abstraction `{name}` is evaluated, as it is in every state",
                        fault.message
                    ),
                };
                // Of the abstraction, not of the program.
                fault.kind = FaultKind::Unsupported;
                Err(fault)
            }
        }
    }

    /// Where the threads stand, and what they wait for.
    fn control_points(&mut self) -> Fingerprint {
        self.hold_all();
        let mut hash = Hash128::new(0xc0de);
        for (i, thread) in self.threads.iter().enumerate().filter(|&(i, _)| self.exists[i]) {
            // What a thread gives in the end is data, and so is how often a barrier was used.
            let control = crate::thread::Control { result: 0, generation: 0, ..thread.control };
            hash.word(i as u64);
            control.pack().iter().for_each(|&word| hash.word(word));
            if thread.is_live() {
                hash.word(thread.frames.len() as u64);
                thread.frames.iter().for_each(|frame| hash.word(u64::from(frame.function) | u64::from(frame.pc) << 32));
            }
        }
        hash.finish()
    }

    /// Why the abstraction could not be evaluated somewhere.
    pub fn bad_abstraction(&self) -> Option<&Fault> {
        self.bad_abstraction.as_deref()
    }
}

impl Cpu<'_> {
    /// `tb_abstract`: these bytes belong to the abstract state, if somebody asks for one.
    pub(crate) fn add_to_abstract_state(&mut self, from: Addr, length: u64) -> Result<(), Box<Fault>> {
        let Some(mut state) = self.system.abstract_state else { return Ok(()) };
        self.memory.bytes(from, length).map_err(|bad| self.bad_access(bad))?;
        state.word(length);
        for offset in (0..length).step_by(8) {
            let bytes = (length - offset).min(8) as u32;
            let (value, undefined) = self.memory.load_n(from + offset, bytes).map_err(|bad| self.bad_access(bad))?;
            // What was never set is the same everywhere: gaps in a struct, say.
            state.word(value & !undefined);
            state.word(undefined);
        }
        self.system.abstract_state = Some(state);
        Ok(())
    }
}

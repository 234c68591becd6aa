//! The objects of the program's memory: which one an address lies in or beside, and how it came to its end.

use smallvec::SmallVec;
use threadbare_core::memory_words::{self, Pointee};
use threadbare_core::{FaultKind, Tid};

use crate::fault::{Fault, Life};
use crate::image;
use crate::races::Kind;
use crate::run::Run;
use crate::shadow;
use crate::world::{JUMPED_FRAME, LIVE_FRAME, RETURNED_FRAME};

/// `struct header` of runtime/heap.c.
#[derive(Clone, Copy)]
#[repr(C)]
struct Header {
    previous: u64,
    allocated: u64,
    freed: u64,
    variable: u64,
    size: u64,
    state: u64,
}

/// A block of the heap.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Block {
    pub address: u64,
    pub size: u64,
    pub allocated: u64,
    /// Where, or 0.
    freed: u64,
    /// Thread-local: what the compiler knows it by.
    variable: u64,
}

impl Block {
    pub fn is_thread_local(&self) -> bool {
        self.variable != 0
    }

    pub fn is_freed(&self) -> bool {
        self.freed != 0
    }
}

/// How an object comes to its end.
#[derive(Clone, Copy)]
pub enum End {
    Freed,
    Frame,
    Thread,
}

/// A variable of static storage.
#[derive(Clone, Debug)]
pub struct Global {
    pub address: u64,
    pub size: u64,
    pub name: String,
}

/// Of two neighbours, the one that the address between them belongs to: the nearer one.
fn nearer<T>(address: u64, below: Option<(u64, T)>, above: Option<(u64, T)>) -> Option<T> {
    match (below, above) {
        (Some((end, _)), Some((start, above))) if start - address < address.saturating_sub(end) => Some(above),
        (Some((_, below)), _) => Some(below),
        (None, above) => above.map(|(_, above)| above),
    }
}

impl Run {
    /// The blocks of a thread, the last one first.
    pub fn blocks(&self, number: usize) -> Vec<Block> {
        let mut found = Vec::new();
        let mut address = self.threads.get(number).map_or(0, |thread| thread.fiber.last_block);
        while address != 0 {
            // SAFETY: the floor has written it, where the program may not write.
            let header = unsafe { *(address as *const Header).sub(1) };
            let Header { previous, allocated, freed, variable, size, .. } = header;
            found.push(Block { address, size, allocated, freed, variable });
            address = previous;
        }
        found
    }

    /// The size of the live block that starts at an address.
    pub fn block_size(&self, address: u64) -> Option<u64> {
        let inside = address.is_multiple_of(16) && address > 64 && self.is_mapped(address - 48, 48);
        // SAFETY: it is mapped, and so is its shadow; what is a zone of the heap just before a granule is a header.
        (inside && unsafe { shadow::state(address - 8) == shadow::HEAP_ZONE && shadow::state(address) < 8 })
            .then(|| unsafe { (*(address as *const Header).sub(1)).size })
    }

    fn heap_object(&self, address: u64, number: usize) -> Option<(Pointee, Life)> {
        let blocks = self.blocks(number);
        let first_below = blocks.iter().position(|block| block.address <= address);
        let below = first_below.map(|i| (blocks[i].address + blocks[i].size, blocks[i]));
        let above = first_below.unwrap_or(blocks.len()).checked_sub(1).map(|i| (blocks[i].address, blocks[i]));
        // Far behind the last one is nothing.
        let block = nearer(address, below, above).filter(|block| address < block.address + block.size + (1 << 20))?;
        let thread_ended = !self.is_live(Tid(number as u16));
        let (description, ending) = match block.variable {
            0 => ("heap object".to_string(), "that has been freed"),
            control => {
                let symbol = self.program.image.symbol(control).map_or("?", |symbol| &symbol.name);
                let name = symbol.strip_prefix("__emutls_v.").unwrap_or(symbol);
                (format!("thread-local `{name}`"), "whose thread has ended")
            }
        };
        let live = if block.variable == 0 { block.freed == 0 } else { !thread_ended };
        let offset = address.wrapping_sub(block.address) as i64;
        let pointee = Pointee { description, size: block.size, offset, live, ending };
        let position = |pc: u64| (pc != 0).then_some(pc);
        Some((pointee, Life { made: position(block.allocated), ended: position(block.freed), declared: 0 }))
    }

    /// A variable of a function: its frame begins with a mark, its description and its function.
    fn local_object(&self, address: u64, number: usize) -> Option<(Pointee, Life)> {
        let (low, _) = image::frames_of(number);
        let is_mark = |at: &u64| {
            let mark = self.number(*at, 8);
            [LIVE_FRAME, RETURNED_FRAME, JUMPED_FRAME].iter().any(|known| mark == Some(*known))
        };
        let from = address / 32 * 32;
        let base = (0..1 << 12).map_while(|i| from.checked_sub(32 * i)).take_while(|at| *at >= low).find(is_mark)?;
        let (mark, text) = (self.number(base, 8)?, self.text(self.number(base + 8, 8)?));
        let function = self.program.function_at(self.number(base + 16, 8)?).unwrap_or_default();
        // How many, then of each: where, its size, the length of its name, its name and line.
        let mut words = text.split(' ').skip(1);
        let mut variables = Vec::new();
        while let (Some(at), Some(size), Some(length)) = (words.next(), words.next(), words.next()) {
            let number = |word: &str| word.parse::<u64>().unwrap_or(0);
            let length = number(length) as usize;
            let mut name = words.next().unwrap_or_default().to_string();
            while name.len() < length
                && let Some(more) = words.next()
            {
                name = format!("{name} {more}");
            }
            variables.push((base + number(at), number(size), name));
        }
        let below = variables.iter().rev().find(|(at, _, _)| *at <= address).map(|v| (v.0 + v.1, v));
        let above = variables.iter().find(|(at, _, _)| *at > address).map(|v| (v.0, v));
        let (at, size, name) = nearer(address, below, above)?;
        let (name, line) = name.split_once(':').unwrap_or((name, "0"));
        let description = match name {
            "" => format!("local object of `{function}`"),
            name => format!("local variable `{}` of `{function}`", name.strip_suffix(".addr").unwrap_or(name)),
        };
        let ending = match mark {
            RETURNED_FRAME => "whose function has returned",
            LIVE_FRAME if self.is_live(Tid(number as u16)) => "whose block has ended",
            LIVE_FRAME => "whose thread has ended",
            _ => "whose function was left by longjmp",
        };
        let offset = address.wrapping_sub(*at) as i64;
        // SAFETY: a frame lies where frames are, and their shadow is mapped.
        let gone = mark != LIVE_FRAME || matches!(unsafe { shadow::state(address) }, 0xf8 | shadow::FRAME_GONE);
        let life = Life { made: None, ended: None, declared: line.parse().unwrap_or(0) };
        Some((Pointee { description, size: *size, offset, live: !gone, ending }, life))
    }

    fn global_object(&self, address: u64) -> Option<(Pointee, Life)> {
        let globals = &self.program.globals;
        let upto = globals.partition_point(|global| global.address <= address);
        let below = upto.checked_sub(1).map(|i| (globals[i].address + globals[i].size, &globals[i]));
        let above = globals.get(upto).map(|global| (global.address, global));
        let global = nearer(address, below, above)?;
        let description = match &*global.name {
            name if name.starts_with(".str") => "string literal".to_string(),
            name => format!("global `{name}`"),
        };
        let offset = address.wrapping_sub(global.address) as i64;
        let pointee = Pointee { description, size: global.size, offset, live: true, ending: "" };
        Some((pointee, Life::default()))
    }

    /// The object at or near an address.
    pub fn object_at(&self, address: u64) -> Option<(Pointee, Life)> {
        let known = |number: &usize| *number < self.threads.len();
        if let Some(number) = image::thread_of_heap(address).filter(known) {
            self.heap_object(address, number)
        } else if let Some(number) = image::thread_of_stack(address).filter(known) {
            self.local_object(address, number)
        } else if self.program.image.contains(address) {
            self.global_object(address)
        } else {
            self.program.argument_at(address).map(|pointee| (pointee, Life::default()))
        }
    }

    /// Kind, words and object of an access that may not be.
    pub fn bad_access(&self, tid: Tid, address: u64, bytes: u64, write: bool) -> Box<Fault> {
        if let Some((kind, message)) = memory_words::null_access(address, bytes, write) {
            let inside = self.called(tid).map_or(String::new(), |function| format!(" (in `{function}`)"));
            return self.fault(tid, kind, message + &inside);
        }
        if let Some(name) = self.program.image.contains(address).then(|| self.program.function_at(address)).flatten() {
            let verb = if write { "write into" } else { "read from" };
            return self.fault(tid, FaultKind::OutOfBounds, format!("{verb} the code of function `{name}`"));
        }
        let found = self.object_at(address);
        let pointee = found.as_ref().map(|(pointee, _)| pointee);
        let (kind, mut message) = memory_words::bad_access(address, bytes, write, pointee);
        if let Some(function) = self.called(tid).filter(|_| found.is_none()) {
            message += &format!(" (in `{function}`)");
        }
        let mut fault = self.fault(tid, kind, message);
        fault.subject = found;
        fault
    }

    /// Something that is no live block of the heap is freed, or given to realloc.
    pub fn bad_free(&self, tid: Tid, address: u64, freed: bool) -> Box<Fault> {
        let function = self.called(tid).unwrap_or_else(|| "free".into());
        let found = self.object_at(address);
        let (kind, message) = if freed {
            let message = match &*function {
                "free" => "a heap object is freed a second time".to_string(),
                other => format!("a heap object is given to `{other}` that has been freed"),
            };
            (FaultKind::DoubleFree, message)
        } else {
            let what = match self.program.image.contains(address).then(|| self.program.function_at(address)).flatten() {
                Some(name) => format!("this is the function `{name}`"),
                None => memory_words::what_it_is(address, found.as_ref().map(|(pointee, _)| pointee)),
            };
            (FaultKind::InvalidFree, format!("`{function}` needs the start of a heap object, but {what}"))
        };
        let mut fault = self.fault(tid, kind, message);
        fault.subject = found;
        fault
    }

    /// The function of the library that the program called, if that is where the thread is.
    pub fn called(&self, tid: Tid) -> Option<String> {
        let image = &self.program.image;
        let fiber = &self.threads[tid.index()].fiber;
        let (mut pc, mut frame, mut found) = (fiber.pc, fiber.frame, None);
        while image.is_library_code(pc) && image::thread_of_stack(frame) == Some(tid.index()) && frame % 8 == 0 {
            found = self.program.function_at(pc - 1);
            (frame, pc) = (self.number(frame, 8)?, self.number(frame + 8, 8)?);
        }
        found
    }

    /// What nobody may access any more once its thread has ended: its variables, and its thread-local ones.
    pub fn end_memory_of(&mut self, tid: Tid, pc: u64) -> Result<(), Box<Fault>> {
        let fiber = &self.threads[tid.index()].fiber;
        // SAFETY: the floor has written it, where the program may not write.
        let size = |address: u64| unsafe { (*(address as *const Header).sub(1)).size };
        let locals = fiber.local[..fiber.locals as usize].iter().map(|&[_, address]| (address, size(address)));
        let gone: Vec<(u64, u64)> = fiber.live_frames().map(|frame| (frame.base, frame.size)).chain(locals).collect();
        for (address, size) in gone {
            self.ends(tid, address, size, pc, End::Thread)?;
            // SAFETY: a part of the thread's own memory, whose shadow is mapped.
            unsafe { shadow::set(address, address + size, shadow::FRAME_GONE) };
        }
        Ok(())
    }

    /// An object ends its life. Whoever has used it must have done so before: if nothing says so, the next time it may be after.
    /// Where every access may be interleaved, the order of plain ones is not known, and is not needed.
    pub fn ends(&mut self, tid: Tid, address: u64, size: u64, pc: u64, how: End) -> Result<(), Box<Fault>> {
        let Some(race) = self.races.access(tid, address, size, Kind::PlainWrite, pc) else { return Ok(()) };
        if self.program.every_access {
            return Ok(());
        }
        let name = |tid: Tid| if tid == Tid::MAIN { "the main thread".into() } else { self.thread_name(tid) };
        let (who, user) = (name(tid), name(race.tid));
        let (how, verb) = match how {
            End::Freed => (format!("is freed by {who} and used by {user}"), "frees"),
            End::Frame => (format!("ends with its function in {who} and is used by {user}"), "ends the function of"),
            End::Thread => (format!("ends with {who} and is used by {user}"), "ends, and with it"),
        };
        let subject = self.object_at(race.address);
        let object =
            subject.as_ref().map_or_else(|| self.name_of(race.address), |(object, _)| object.description.clone());
        let mut fault = self.race(tid, Kind::PlainWrite, pc, race);
        (fault.kind, fault.message) =
            (FaultKind::UseAfterFree, format!("{object} {how}, with nothing that orders the two"));
        fault.sides[1].verb = verb;
        (fault.object, fault.subject) = (object, subject);
        Err(fault)
    }

    /// Functions that have returned since somebody looked last: their variables are gone.
    pub fn end_frames_of(&mut self, tid: Tid) -> Result<(), Box<Fault>> {
        let thread = &mut self.threads[tid.index()];
        let live = |base: u64| thread.fiber.live_frames().any(|frame| frame.base == base);
        let gone: SmallVec<[(u64, u64); 4]> = thread.frames.iter().filter(|(base, _)| !live(*base)).copied().collect();
        thread.frames.clear();
        thread.frames.extend(thread.fiber.live_frames().map(|frame| (frame.base, frame.size)));
        for (base, size) in gone {
            let function = self.number(base + 16, 8).and_then(|function| self.program.image.symbol(function));
            let pc = function.map_or(self.own_pc(tid), |function| function.address + function.size);
            self.ends(tid, base, size, pc, End::Frame)?;
        }
        Ok(())
    }

    /// Blocks of the heap that nobody has freed, and that nothing points to any more, from variables, from the stacks of live
    /// threads or from other blocks.
    pub fn find_leak(&self) -> Option<Box<Fault>> {
        let numbers = 0..self.threads.len();
        let live = |number: usize| self.threads[number].exists;
        let all = numbers
            .clone()
            .filter(|&number| live(number))
            .flat_map(|number| self.blocks(number).into_iter().map(move |block| (number, block)));
        let (held, mut lost): (Vec<_>, Vec<_>) =
            all.filter(|(_, block)| block.freed == 0).partition(|(_, b)| b.variable != 0);
        lost.sort_by_key(|(_, block)| block.address);
        let mut reached = vec![false; lost.len()];
        let mut work: Vec<(u64, u64)> = self.program.image.variables().collect();
        work.extend(
            held.iter().filter(|(number, _)| self.is_live(Tid(*number as u16))).map(|(_, b)| (b.address, b.size)),
        );
        for number in numbers.filter(|&number| self.is_live(Tid(number as u16))) {
            let fiber = &self.threads[number].fiber;
            work.push((fiber.sp, fiber.stack_high - fiber.sp));
            work.extend(fiber.live_frames().map(|frame| (frame.base, frame.size)));
        }
        while let Some((start, size)) = work.pop() {
            for at in (start.next_multiple_of(8)..(start + size).saturating_sub(7)).step_by(8) {
                // Tags in the top bits do not hide a pointer.
                let Some(word) = self.number(at, 8).map(|word| word & 0xffff_ffff_ffff) else { continue };
                let Some(i) = lost.partition_point(|(_, b)| b.address <= word).checked_sub(1) else { continue };
                let block = lost[i].1;
                if word <= block.address + block.size && !std::mem::replace(&mut reached[i], true) {
                    work.push((block.address, block.size));
                }
            }
        }
        let lost: Vec<_> =
            lost.into_iter().zip(reached).filter(|(_, reached)| !reached).map(|(lost, _)| lost).collect();
        let &(number, block) = lost.first()?;
        let bytes: u64 = lost.iter().map(|(_, block)| block.size).sum();
        let message = match lost.len() {
            1 => format!("a heap object of {} bytes is never freed, and nothing points to it any more", block.size),
            n => format!("{n} heap objects ({bytes} bytes) are never freed, and nothing points to them any more"),
        };
        let mut fault = self.fault(Tid(number as u16), FaultKind::Leak, message);
        fault.stack = vec![block.allocated];
        fault.subject = self.object_at(block.address);
        Some(fault)
    }

    /// Whether the program may access all of these bytes, which are mapped.
    pub fn may_access(&self, address: u64, length: u64) -> bool {
        let (first, last) = (address / 8 * 8, address + length);
        (first..last).step_by(8).all(|granule| {
            // SAFETY: what is mapped for the program has shadow.
            let state = unsafe { shadow::state(granule) };
            state == 0 || state < 8 && last - granule <= u64::from(state)
        })
    }
}

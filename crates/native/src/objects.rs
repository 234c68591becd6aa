//! The objects of the program's memory: which one an address lies in or beside, and how it came to its end.

use smallvec::SmallVec;
use threadbare_core::memory_words::{self, Pointee};
use threadbare_core::{FaultKind, Tid};
use threadbare_vm::{Declared, Scene, Thing, Type, What, scalar_bytes, show};

use crate::arrays::NAMELESS;
use crate::fault::{Fault, Life};
use crate::held::ENDS_LOCKED;
use crate::image;
use crate::races::Kind;
use crate::run::Run;
use crate::shadow;
use crate::world::{BLOCK_FRAME, JUMPED_FRAME, LIVE_FRAME, RETURNED_FRAME};

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
    /// The floor's mark.
    state: u64,
}

/// Blocks of this size and larger ones are used again, by the thread that has allocated and freed them.
const LARGE: u64 = 1 << 16;

impl Block {
    /// What of a freed block the next allocations hang on.
    pub fn again(&self) -> u64 {
        if self.size >= LARGE { self.state } else { 0 }
    }

    pub fn is_thread_local(&self) -> bool {
        self.variable != 0
    }

    pub fn is_freed(&self) -> bool {
        self.freed != 0
    }
}

/// What a frame says of itself.
struct FrameText {
    mark: u64,
    function: String,
    variables: Vec<Local>,
    /// It is that of an array of variable length.
    is_array: bool,
}

/// A variable in a frame.
struct Local {
    at: u64,
    size: u64,
    /// What the IR calls it.
    place: String,
    line: u32,
}

/// What is known of an object.
pub struct Object<'p> {
    pub thing: Thing<'p>,
    pub description: String,
    /// How it came to its end, if it has.
    pub ending: &'static str,
    pub life: Life,
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
    /// The block that an address lies in.
    pub fn block_around(&self, address: u64) -> Option<Block> {
        let blocks = self.blocks(image::thread_of_heap(address)?);
        blocks.into_iter().find(|block| (block.address..block.address + block.size).contains(&address))
    }

    /// The blocks of a thread, the last one first.
    pub fn blocks(&self, number: usize) -> Vec<Block> {
        let mut found = Vec::new();
        let mut address = self.threads.get(number).map_or(0, |thread| thread.fiber.last_block);
        while address != 0 {
            // SAFETY: the floor has written it, where the program may not write.
            let header = unsafe { *(address as *const Header).sub(1) };
            let Header { previous, allocated, freed, variable, size, state } = header;
            found.push(Block { address, size, allocated, freed, variable, state });
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

    /// The block of a thread that an address lies in or beside.
    pub fn block_near(&self, address: u64, number: usize) -> Option<Block> {
        let blocks = self.blocks(number);
        let first_below = blocks.iter().position(|block| block.address <= address);
        let below = first_below.map(|i| (blocks[i].address + blocks[i].size, blocks[i]));
        let above = first_below.unwrap_or(blocks.len()).checked_sub(1).map(|i| (blocks[i].address, blocks[i]));
        // Far behind the last one is nothing.
        nearer(address, below, above).filter(|block| address < block.address + block.size + (1 << 20))
    }

    fn heap_object(&self, address: u64, number: usize) -> Option<Object<'_>> {
        let block = self.block_near(address, number)?;
        let owner = Tid(number as u16);
        let (description, ending, live, what) = match block.variable {
            0 => ("heap object".to_string(), "that has been freed", block.freed == 0, What::Heap),
            control => {
                let symbol = self.program.image.symbol(control).map_or("?", |symbol| &symbol.name);
                let name = symbol.strip_prefix("__emutls_v.").unwrap_or(symbol);
                let variable = self.program.source().variable(name).unwrap_or(Declared { name, ty: None });
                let description = format!("thread-local `{}`", variable.name);
                (description, "whose thread has ended", self.is_live(owner), What::ThreadLocal(Some(variable)))
            }
        };
        let position = |pc: u64| (pc != 0).then_some(pc);
        let life = Life { made: position(block.allocated), ended: position(block.freed), ..Life::default() };
        let thing = Thing { start: block.address, size: block.size, live, made_at: block.allocated, owner, what };
        Some(Object { thing, description, ending, life })
    }

    fn frame_at(&self, base: u64) -> Option<FrameText> {
        let (mark, text) = (self.number(base, 8)?, self.text(self.number(base + 8, 8)?));
        let function = self.program.function_at(self.number(base + 16, 8)?).unwrap_or_default();
        // How many, then of each: where, its size, the length of its name, its name and line.
        let mut words = text.split(' ').skip(1);
        let (mut variables, mut is_array) = (Vec::new(), false);
        while let (Some(at), Some(size), Some(length)) = (words.next(), words.next(), words.next()) {
            let number = |word: &str| word.parse::<u64>().unwrap_or(0);
            let length = number(length) as usize;
            let mut name = words.next().unwrap_or_default().to_string();
            while name.len() < length
                && let Some(more) = words.next()
            {
                name = format!("{name} {more}");
            }
            let (place, line) = name.split_once(':').unwrap_or((&name, "0"));
            let (at, line) = (base + number(at), line.parse().unwrap_or(0));
            let size = match size {
                "?" => {
                    is_array = true;
                    self.number(base + 24, 8)?
                }
                size => number(size),
            };
            variables.push(Local { at, size, place: place.into(), line });
        }
        Some(FrameText { mark, function, variables, is_array })
    }

    /// A variable of a function: its frame begins with a mark, its description and its function.
    fn local_object(&self, address: u64, number: usize) -> Option<Object<'_>> {
        let (low, _) = image::frames_of(number);
        // SAFETY: where the frames of a thread that exists lie, all is mapped.
        let mark_at = |at: u64| unsafe { *(at as *const u64) };
        let is_mark = |at: &u64| [LIVE_FRAME, RETURNED_FRAME, JUMPED_FRAME, BLOCK_FRAME].contains(&mark_at(*at));
        let from = address / 32 * 32;
        let base = (0..1 << 12).map_while(|i| from.checked_sub(32 * i)).take_while(|at| *at >= low).find(is_mark)?;
        let FrameText { mark, function, variables, .. } = self.frame_at(base)?;
        let below = variables.iter().rev().find(|v| v.at <= address).map(|v| (v.at + v.size, v));
        let above = variables.iter().find(|v| v.at > address).map(|v| (v.at, v));
        let Local { at: start, size, place, line } = nearer(address, below, above)?;
        let variable = self.program.source().local(&function, place);
        let description = match (variable, &**place) {
            (Some(Declared { name, .. }), _) => format!("local variable `{name}` of `{function}`"),
            (None, "") => format!("local object of `{function}`"),
            (None, NAMELESS) => "memory from `alloca`".into(),
            (None, name) => format!("local variable `{}` of `{function}`", name.strip_suffix(".addr").unwrap_or(name)),
        };
        let owner = Tid(number as u16);
        let ending = match mark {
            RETURNED_FRAME => "whose function has returned",
            LIVE_FRAME if self.is_live(owner) => "whose block has ended",
            BLOCK_FRAME => "whose block has ended",
            LIVE_FRAME => "whose thread has ended",
            _ => "whose function was left by longjmp",
        };
        // SAFETY: a frame lies where frames are, and their shadow is mapped.
        let gone = mark != LIVE_FRAME || matches!(unsafe { shadow::state(address) }, 0xf8 | shadow::FRAME_GONE);
        let declared = self.program.source().declaration(&function, place).or_else(|| Some((String::new(), *line)));
        let end = self.program.image.function(&function).map(|function| self.program.image.return_of(function));
        let ended = end.filter(|_| mark == RETURNED_FRAME);
        let life = Life { made: None, ended, declared, local: true };
        let thing =
            Thing { start: *start, size: *size, live: !gone, made_at: base, owner, what: What::Local(variable) };
        Some(Object { thing, description, ending, life })
    }

    /// The types of the local variables of a thread that have a place in memory and hold an address.
    pub fn local_pointers(&self, tid: Tid, address: u64) -> Vec<Type> {
        let Some(thread) = self.threads.get(tid.index()) else { return Vec::new() };
        let frames: Vec<u64> = thread.fiber.live_frames().map(|frame| frame.base).collect();
        let mut found = Vec::new();
        for FrameText { function, variables, .. } in frames.into_iter().rev().filter_map(|base| self.frame_at(base)) {
            let holding = variables.iter().filter(|v| v.size == 8 && self.number(v.at, 8) == Some(address));
            found.extend(holding.filter_map(|v| self.program.source().local(&function, &v.place)?.ty));
        }
        found
    }

    /// Names and values of the variables in memory of the function of the program that a thread is in, in the order of their
    /// declaration. Where those are that live in registers is not known.
    pub fn locals(&self, tid: Tid) -> Vec<(String, String)> {
        let function = self.own_stack(tid).first().and_then(|pc| self.program.function_at(pc - 1));
        let bases: Vec<u64> = self.threads[tid.index()].fiber.live_frames().map(|frame| frame.base).collect();
        let mut frames = bases.into_iter().rev().filter_map(|base| self.frame_at(base));
        let frame = frames.find(|frame| Some(&frame.function) == function.as_ref() && !frame.is_array);
        let Some(FrameText { function, mut variables, .. }) = frame else { return Vec::new() };
        variables.sort_by_key(|variable| variable.line);
        let value = |Local { at, place, .. }: &Local| {
            let Declared { name, ty } = self.program.source().local(&function, place)?;
            let bytes = scalar_bytes(self.debug(), ty?)?;
            // SAFETY: a frame lies where frames are, and their shadow is mapped.
            let in_scope = unsafe { shadow::state(*at) } != 0xf8;
            let value = show(self, ty?, self.number(*at, bytes as usize)?, 0)?;
            in_scope.then(|| (name.to_string(), value))
        };
        variables.iter().filter_map(value).collect()
    }

    fn static_object(&self, address: u64) -> Option<Object<'_>> {
        let globals = &self.program.globals;
        let upto = globals.partition_point(|global| global.address <= address);
        let below = upto.checked_sub(1).map(|i| (globals[i].address + globals[i].size, &globals[i]));
        let above = globals.get(upto).map(|global| (global.address, global));
        // Those of the library have no description.
        let is_described = |address: u64| globals.binary_search_by_key(&address, |global| global.address).is_ok();
        let symbol = self.program.image.symbol(address).filter(|symbol| !symbol.is_function);
        let (start, size, symbol) = match symbol.filter(|symbol| !is_described(symbol.address)) {
            Some(symbol) => (symbol.address, symbol.size, &symbol.name),
            None => nearer(address, below, above).map(|global| (global.address, global.size, &global.name))?,
        };
        let variable = self.program.source().variable(symbol).unwrap_or(Declared { name: symbol, ty: None });
        let is_inside = address.checked_sub(start).is_some_and(|offset| offset < size.max(1));
        let (description, what) = match symbol.starts_with(".str") {
            true => ("string literal".to_string(), What::Local(None)),
            false if !is_inside => (format!("global `{}`", variable.name), What::Local(None)),
            false => (format!("global `{}`", variable.name), What::Static(variable)),
        };
        let thing = Thing { start, size, live: true, made_at: 0, owner: Tid::MAIN, what };
        Some(Object { thing, description, ending: "", life: Life::default() })
    }

    /// The object at or near an address.
    fn find_object(&self, address: u64) -> Option<Object<'_>> {
        let known = |number: &usize| *number < self.threads.len();
        if let Some(number) = image::thread_of_heap(address).filter(known) {
            self.heap_object(address, number)
        } else if let Some(number) = image::thread_of_stack(address).filter(known) {
            self.local_object(address, number)
        } else if self.program.image.contains(address) {
            self.static_object(address)
        } else {
            self.program.argument_at(address)
        }
    }

    /// Whether only its own thread can reach what lies there: a variable whose address is handed on to nobody, or a
    /// thread-local one.
    pub fn is_own_variable(&self, tid: Tid, address: u64) -> bool {
        let own = |number: usize| number == tid.index();
        if image::thread_of_heap(address).is_some_and(own) {
            return self.block_around(address).is_some_and(|block| block.is_thread_local());
        }
        let Some(number) = image::thread_of_stack(address).filter(|&number| own(number)) else { return false };
        let handed_on = self.local_object(address, number).and_then(|object| {
            let frame = self.frame_at(object.thing.made_at)?;
            let variable = frame.variables.iter().find(|variable| variable.at == object.thing.start)?;
            Some(!self.program.source().is_private(&frame.function, &variable.place))
        });
        !handed_on.unwrap_or(false)
    }

    /// In words.
    pub fn object_at(&self, address: u64) -> Option<(Pointee, Life)> {
        let Object { thing: Thing { start, size, live, .. }, description, ending, life } = self.find_object(address)?;
        Some((Pointee { description, size, offset: address.wrapping_sub(start) as i64, live, ending }, life))
    }

    /// As stories ask for it: not beside it.
    pub fn thing_around(&self, address: u64) -> Option<Thing<'_>> {
        self.find_object(address).map(|object| object.thing).filter(|thing| thing.start <= address)
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

    /// The function of the library that the program called, if that is where the thread is. Whoever calls as the last thing that he does
    /// may have no frame any more: then it is the innermost one, not what of the library had called the program.
    pub fn called(&self, tid: Tid) -> Option<String> {
        let image = &self.program.image;
        let fiber = &self.threads[tid.index()].fiber;
        let (mut pc, mut frame, mut found) = (fiber.pc, fiber.frame, None);
        let mut innermost = None;
        while image.is_library_code(pc) && (fiber.stack_low..fiber.stack_high).contains(&frame) && frame % 8 == 0 {
            found = self.program.function_at(pc - 1);
            innermost = innermost.or_else(|| found.clone());
            (frame, pc) = (self.number(frame, 8)?, self.number(frame + 8, 8)?);
        }
        if image.contains(pc) && self.program.is_own_code(pc) {
            found
        } else {
            innermost.filter(|name: &String| !name.starts_with("__tb"))
        }
    }

    /// What nobody may access any more once its thread has ended: its variables, and its thread-local ones.
    pub fn end_memory_of(&mut self, tid: Tid, pc: u64) -> Result<(), Box<Fault>> {
        let fiber = &self.threads[tid.index()].fiber;
        // SAFETY: the floor has written it, where the program may not write.
        let size = |address: u64| unsafe { (*(address as *const Header).sub(1)).size };
        let locals = fiber.local[..fiber.locals as usize].iter().map(|&[_, address]| (address, size(address)));
        let frames: SmallVec<[(u64, u64); 4]> = fiber.live_frames().map(|frame| (frame.base, frame.size)).collect();
        let gone: SmallVec<[(u64, u64); 8]> = frames.iter().copied().chain(locals).collect();
        for (address, size) in frames {
            self.need_released(tid, address, size, ENDS_LOCKED)?;
        }
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
        let race = match how {
            // Whoever comes later is told so by the shadow.
            End::Freed | End::Thread => self.races.end(tid, address, size),
            // The next function has its variables there.
            End::Frame => self.races.access(tid, address, size, Kind::PlainWrite, pc),
        };
        let Some(race) = race else { return Ok(()) };
        if self.program.every_access {
            return Ok(());
        }
        let name = |tid: Tid| if tid == Tid::MAIN { "the main thread".into() } else { self.thread_name(tid) };
        let (who, user) = (name(tid), name(race.tid));
        let (how, verb) = match how {
            End::Freed => (format!("is freed by {who} and used by {user}"), "frees"),
            End::Frame => (format!("ends with its function in {who} and is used by {user}"), "ends the life of"),
            End::Thread => (format!("ends with {who} and is used by {user}"), "ends the life of"),
        };
        let mut subject = self.object_at(race.address);
        // It ends here.
        subject.iter_mut().filter(|(_, life)| life.local).for_each(|(_, life)| life.ended = None);
        let object =
            subject.as_ref().map_or_else(|| self.name_of(race.address), |(object, _)| object.description.clone());
        let mut fault = self.race(tid, Kind::PlainWrite, pc, race);
        (fault.kind, fault.message) =
            (FaultKind::UseAfterFree, format!("{object} {how}, with nothing that orders the two"));
        fault.sides[1].verb = verb.into();
        (fault.object, fault.subject) = (object, subject);
        Err(fault)
    }

    /// Functions that have returned since somebody looked last: their variables are gone.
    pub fn end_frames_of(&mut self, tid: Tid) -> Result<(), Box<Fault>> {
        let thread = &mut self.threads[tid.index()];
        if thread.fiber.live_frames().map(|frame| (frame.base, frame.size)).eq(thread.frames.iter().copied()) {
            return Ok(());
        }
        let live = |base: u64| thread.fiber.live_frames().any(|frame| frame.base == base);
        let gone: SmallVec<[(u64, u64); 4]> = thread.frames.iter().filter(|(base, _)| !live(*base)).copied().collect();
        thread.frames.clear();
        thread.frames.extend(thread.fiber.live_frames().map(|frame| (frame.base, frame.size)));
        for (base, size) in gone {
            let function = self.number(base + 16, 8).and_then(|function| self.program.image.symbol(function));
            let pc = function.map_or(self.own_pc(tid), |function| self.program.image.return_of(function));
            // A return from `main` ends the process, and nobody can use the lock any more.
            let ends_process = tid == Tid::MAIN && function.is_some_and(|function| function.name == "main");
            if !ends_process && let Err(mut fault) = self.need_released(tid, base, size, ENDS_LOCKED) {
                fault.stack = vec![pc];
                return Err(fault);
            }
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

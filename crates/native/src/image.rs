//! The program in this process: its shared object, what of its memory changes, and the stacks and heaps of its threads.

use std::ffi::{CStr, CString};
use std::io::Error;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use threadbare_vm::MATH_NAMES;

use crate::elf::{Elf, Symbol};
use crate::objects::Global;
use crate::outside;
use crate::pages::PAGE;
use crate::shadow;
use crate::untouched::Untouched;
use crate::world::{Fiber, World};

/// Where things lie, the same in every process: what a thread sees does not hang on what others do.
const STACKS: u64 = 0x2000_0000_0000;
/// Eight times what the system gives: frames of code in which every access is announced are larger than others.
pub const STACK_SIZE: u64 = 64 << 20;
/// Above each stack: places for the variables of functions, no two calls in the same one.
const FRAMES_SIZE: u64 = 16 << 20;
/// Below each stack there is nothing for so long that no local variable reaches over it.
const STACK_GAP: u64 = 1 << 30;
const STACK_STRIDE: u64 = STACK_SIZE + FRAMES_SIZE + STACK_GAP;
const HEAPS: u64 = 0x3000_0000_0000;
/// Known to runtime/heap.c.
const HEAP_SIZE: u64 = 2 << 30;

pub const ARGUMENTS: u64 = 0x1f00_0000_0000;

/// Threads of an execution, as on the virtual machine: what orders them costs the square of their number.
pub const MOST_THREADS: usize = 2048;

/// The number of a thread that is none: it evaluates invariants.
pub const EVALUATOR: usize = MOST_THREADS;

/// So much of a stack can be used at once. What lies below is opened when somebody comes to it, so that it is known how far down
/// a stack was ever in use, also by functions that have returned: what they have left there must not be met by another execution.
const OPEN_AT_FIRST: u64 = 4096;

/// From where on each stack is open.
static OPEN: [AtomicU64; MOST_THREADS + 1] = [const { AtomicU64::new(u64::MAX) }; MOST_THREADS + 1];

/// `tb_image` of runtime/floor.c.
#[repr(C)]
pub struct Entrances {
    pub world: *mut *mut World,
    pub prepare: unsafe extern "C" fn(*mut Fiber),
    pub resume: unsafe extern "C" fn(*mut Fiber),
    pub stop: unsafe extern "C" fn(u64, u64, u64, u64, u64, u64, u64, u64) -> u64,
    pub start: u64,
    pub evaluate: u64,
    library: u64,
    library_end: u64,
    code: u64,
    code_end: u64,
    foreign: u64,
    foreign_end: u64,
    globals: *const Described,
    globals_end: *const Described,
    math: *mut u64,
}

/// What LLVM's AddressSanitizer pass leaves behind of a global variable.
#[repr(C)]
struct Described {
    address: u64,
    size: u64,
    size_with_zone: u64,
    name: *const libc::c_char,
    rest: [u64; 4],
}

pub struct Image {
    pub entrances: &'static Entrances,
    /// Where it was loaded.
    pub base: u64,
    /// What there is of it in memory.
    loaded: Vec<(u64, u64)>,
    code: Vec<(u64, u64)>,
    /// What of it may be written, what it held at first, and which pages of it nobody has written so far.
    writable: Vec<(u64, Vec<u8>, Untouched)>,
    all: (u64, u64),
    symbols: Vec<Symbol>,
}

// SAFETY: there is one for the process, and one machine at a time uses it.
unsafe impl Send for Image {}
unsafe impl Sync for Image {}

impl Image {
    /// Loads it. What it holds now is what every execution begins with.
    pub fn load(file: &Path, world: *mut World) -> Result<Image, String> {
        let bytes = std::fs::read(file).map_err(|error| error.to_string())?;
        let elf = Elf::read(&bytes).ok_or("the linker has made something that is no shared object")?;
        let name = CString::new(file.as_os_str().as_encoded_bytes()).map_err(|error| error.to_string())?;
        // SAFETY: the object has no constructors; what it needs it defines itself.
        let handle = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
        if handle.is_null() {
            // SAFETY: it says why after a failure.
            let why = unsafe { CStr::from_ptr(libc::dlerror()) };
            return Err(format!("cannot load the program: {}", why.to_string_lossy()));
        }
        // SAFETY: a symbol of the object that was just loaded.
        let at = unsafe { libc::dlsym(handle, c"tb_image".as_ptr()) };
        let offset = elf.symbols.iter().find(|symbol| symbol.name == "tb_image").map(|symbol| symbol.address);
        let (false, Some(offset)) = (at.is_null(), offset) else { return Err("the program has no floor".into()) };
        // SAFETY: as floor.c has it.
        let entrances = unsafe { &*at.cast::<Entrances>() };
        let base = at as u64 - offset;
        // SAFETY: variables of the floor; what the system does not have is null, and nobody calls it but by mistake.
        unsafe {
            *entrances.world = world;
            for (number, name) in MATH_NAMES.iter().enumerate() {
                let name = CString::new(*name).expect("a name");
                *entrances.math.add(number) = libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) as u64;
            }
        }
        let writable = elf.writable.iter().map(|&(from, to)| {
            // SAFETY: the object's own memory.
            let held = unsafe { std::slice::from_raw_parts((base + from) as *const u8, (to - from) as usize) };
            (base + from, held.to_vec(), Untouched::new(base + from, (to - from) as usize))
        });
        let writable = writable.collect();
        let moved = |ranges: &[(u64, u64)]| ranges.iter().map(|&(from, to)| (base + from, base + to)).collect();
        let (loaded, code) = (moved(&elf.loaded), moved(&elf.code));
        let mut symbols = elf.symbols;
        symbols.iter_mut().for_each(|symbol| symbol.address += base);
        symbols.sort_by_key(|symbol| symbol.address);
        Ok(Image { entrances, base, loaded, code, writable, all: (base, base + elf.end), symbols })
    }

    /// Opens the memory of the object to accesses, but for what lies between its variables, which are given, in order.
    pub fn open(&self) -> Result<Vec<Global>, Error> {
        shadow::open(self.all.0, self.all.1)?;
        for &(from, to) in &self.code {
            // SAFETY: just mapped; code shares no granule with anything else, since it has pages of its own.
            unsafe { shadow::set(from / 8 * 8, to.next_multiple_of(8), shadow::NO_OBJECT) };
        }
        let mut globals: Vec<Global> = Vec::new();
        for &Described { address, size, size_with_zone, name, .. } in self.described() {
            // SAFETY: the shadow was just mapped; the name is a constant of the object.
            let name = unsafe {
                shadow::set(address, address + size_with_zone, shadow::GLOBAL_ZONE);
                shadow::open_object(address, size);
                CStr::from_ptr(name).to_string_lossy().into_owned()
            };
            globals.push(Global { address, size, name });
        }
        globals.sort_by_key(|global| global.address);
        Ok(globals)
    }

    /// What the program's own variables held at first, they hold again.
    pub fn restore(&self) {
        for (start, held, untouched) in &self.writable {
            for (at, length) in untouched.others(*start, held.len()) {
                // SAFETY: as it was read.
                unsafe { std::ptr::copy_nonoverlapping(held[(at - start) as usize..].as_ptr(), at as *mut u8, length) };
            }
        }
    }

    /// The same for whole pages of them.
    pub fn restore_pages(&self, pages: impl Iterator<Item = u64>) {
        for page in pages {
            let holds = |start: u64, held: &[u8]| page >= start && page + PAGE as u64 <= start + held.len() as u64;
            let Some((start, held, _)) = self.writable.iter().find(|(start, held, _)| holds(*start, held)) else {
                continue;
            };
            // SAFETY: as it was read.
            unsafe { std::ptr::copy_nonoverlapping(held[(page - start) as usize..].as_ptr(), page as *mut u8, PAGE) };
        }
    }

    /// Where its variables lie, and how many bytes of them there are.
    pub fn variables(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.writable.iter().map(|(at, held, _)| (*at, held.len() as u64))
    }

    /// Those of them that somebody has written, nearly: the others hold what they held at first.
    pub fn touched(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        let others = self.writable.iter().flat_map(|(at, held, untouched)| untouched.others(*at, held.len()));
        others.map(|(at, length)| (at, length as u64))
    }

    /// A variable or function that contains the address.
    pub fn symbol(&self, address: u64) -> Option<&Symbol> {
        let upto = self.symbols.partition_point(|symbol| symbol.address <= address);
        let near = self.symbols[..upto].iter().rev().take(8);
        near.into_iter().find(|symbol| address < symbol.address + symbol.size.max(1))
    }

    /// The address of a variable.
    pub fn named(&self, name: &str) -> Option<u64> {
        self.symbols.iter().find(|symbol| !symbol.is_function && symbol.name == name).map(|symbol| symbol.address)
    }

    /// The size of the variable that begins there.
    pub fn described_size(&self, address: u64) -> Option<u64> {
        let described = self.described().iter().find(|described| described.address == address);
        let symbol = || self.symbols.iter().find(|symbol| !symbol.is_function && symbol.address == address);
        described.map(|described| described.size).or_else(|| symbol().map(|symbol| symbol.size))
    }

    fn described(&self) -> &[Described] {
        let (from, to) = (self.entrances.globals, self.entrances.globals_end);
        // SAFETY: an array of the object; the linker says where it begins and ends.
        unsafe { std::slice::from_raw_parts(from, to.offset_from(from) as usize) }
    }

    pub fn function(&self, name: &str) -> Option<&Symbol> {
        self.symbols.iter().find(|symbol| symbol.is_function && symbol.name == name)
    }

    pub fn code_of(&self, function: &Symbol) -> &[u8] {
        // SAFETY: the code of a function that is loaded.
        unsafe { std::slice::from_raw_parts(function.address as *const u8, function.size as usize) }
    }

    /// Behind the instruction with which a function of the program returns: what may be behind that reports errors.
    pub fn return_of(&self, function: &Symbol) -> u64 {
        const LEAVES: [u8; 2] = [0x5d, 0xc3]; // pop %rbp; ret
        let last = self.code_of(function).windows(2).rposition(|bytes| bytes == LEAVES);
        function.address + last.map_or(function.size, |at| at as u64 + 2)
    }

    pub fn is_library_code(&self, pc: u64) -> bool {
        (self.entrances.code..self.entrances.code_end).contains(&pc)
    }

    pub fn is_code(&self, address: u64) -> bool {
        self.code.iter().any(|(from, to)| (from + 8..*to).contains(&address))
    }

    /// Whether there is machine code without a source, and whether an address is in it.
    pub fn has_foreign_code(&self) -> bool {
        self.entrances.foreign < self.entrances.foreign_end
    }

    pub fn is_foreign_code(&self, pc: u64) -> bool {
        (self.entrances.foreign..self.entrances.foreign_end).contains(&pc)
    }

    pub fn is_library_variable(&self, address: u64) -> bool {
        (self.entrances.library..self.entrances.library_end).contains(&address)
    }

    /// It need not be without gaps.
    pub fn is_loaded(&self, address: u64) -> bool {
        self.loaded.iter().rev().any(|(from, to)| (from..to).contains(&&address))
    }

    /// No constant, and no code.
    pub fn is_variable(&self, address: u64) -> bool {
        self.writable.iter().any(|(at, held, _)| address.checked_sub(*at).is_some_and(|n| n < held.len() as u64))
    }

    pub fn contains(&self, address: u64) -> bool {
        (self.all.0..self.all.1).contains(&address)
    }
}

/// Maps the stack and the heap of a thread.
pub fn map_thread(number: usize) -> Result<(), Error> {
    let stack = stack_of(number);
    shadow::open(stack.0, stack.1 + FRAMES_SIZE)?;
    map(stack.0, STACK_SIZE + FRAMES_SIZE)?;
    let open = stack.1 - OPEN_AT_FIRST;
    // SAFETY: just mapped.
    if unsafe { libc::mprotect(stack.0 as *mut libc::c_void, (open - stack.0) as usize, libc::PROT_NONE) } != 0 {
        return Err(Error::last_os_error());
    }
    OPEN[number].store(open, Ordering::Relaxed);
    map(heap_of(number).0, HEAP_SIZE)
}

/// From where on a stack is open: it was never in use below.
pub fn open_from(number: usize) -> u64 {
    OPEN[number].load(Ordering::Relaxed)
}

/// An access to a part of a stack that is not open opens it. Called where a signal is handled.
pub fn open_stack(address: u64) -> bool {
    let Some(number) = address.checked_sub(STACKS).map(|offset| (offset / STACK_STRIDE) as usize) else { return false };
    if number > MOST_THREADS || open_from(number) == u64::MAX {
        return false;
    }
    let ((low, _), open, from) = (stack_of(number), open_from(number), address & !4095);
    if !(low..open).contains(&address) {
        return false;
    }
    let protection = libc::PROT_READ | libc::PROT_WRITE;
    // SAFETY: a part of a stack of ours.
    let opened = unsafe { libc::mprotect(from as *mut libc::c_void, (open - from) as usize, protection) } == 0;
    if opened {
        OPEN[number].store(from, Ordering::Relaxed);
    }
    opened
}

/// Whether there is room for a thread, which is given back.
pub fn try_thread() -> Result<(), Error> {
    let ((stack, high), (heap, _)) = (stack_of(0), heap_of(0));
    let (shadow, shadow_end) = shadow::range(stack, high + FRAMES_SIZE);
    let mut tried = Ok(());
    for (at, size) in [(stack, STACK_SIZE + FRAMES_SIZE), (shadow, shadow_end - shadow), (heap, HEAP_SIZE)] {
        tried = tried.and_then(|()| map(at, size));
    }
    for (at, size) in [(stack, STACK_SIZE + FRAMES_SIZE), (shadow, shadow_end - shadow), (heap, HEAP_SIZE)] {
        // SAFETY: ours, or nothing: nobody has memory there before the program is loaded, or the first try has said so.
        if tried.is_ok() {
            unsafe { libc::munmap(at as *mut libc::c_void, size as usize) };
        }
    }
    tried
}

/// Maps the words of the arguments, of which only these objects may be accessed.
pub fn map_arguments(objects: &[(u64, u64)], end: u64) -> Result<(), Error> {
    map(ARGUMENTS, (end - ARGUMENTS).next_multiple_of(4096))?;
    shadow::open(ARGUMENTS, end)?;
    // SAFETY: just mapped.
    unsafe {
        shadow::set(ARGUMENTS, end, shadow::GLOBAL_ZONE);
        objects.iter().for_each(|&(at, size)| shadow::open_object(at, size));
    }
    Ok(())
}

pub fn map(at: u64, size: u64) -> Result<(), Error> {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | libc::MAP_FIXED_NOREPLACE;
    let protection = libc::PROT_READ | libc::PROT_WRITE;
    // SAFETY: fresh memory where there was none.
    let got = unsafe { libc::mmap(at as *mut libc::c_void, size as usize, protection, flags, -1, 0) };
    match got {
        libc::MAP_FAILED => Err(Error::last_os_error()),
        _ if got as u64 == at => Ok(()),
        // An old kernel takes the address for a wish.
        _ => {
            // SAFETY: just mapped.
            unsafe { libc::munmap(got, size as usize) };
            Err(Error::from_raw_os_error(libc::EOPNOTSUPP))
        }
    }
}

pub fn stack_of(number: usize) -> (u64, u64) {
    let low = STACKS + number as u64 * STACK_STRIDE;
    (low, low + STACK_SIZE)
}

pub fn frames_of(number: usize) -> (u64, u64) {
    let (_, low) = stack_of(number);
    (low, low + FRAMES_SIZE)
}

pub fn heap_of(number: usize) -> (u64, u64) {
    let low = HEAPS + number as u64 * HEAP_SIZE;
    (low, low + HEAP_SIZE)
}

/// Which thread's stack, or which one's heap, an address lies in.
pub fn thread_of_stack(address: u64) -> Option<usize> {
    let number = address.checked_sub(STACKS)? / STACK_STRIDE;
    let in_stack = (address - STACKS) % STACK_STRIDE < STACK_SIZE + FRAMES_SIZE;
    (number < MOST_THREADS as u64 && in_stack).then_some(number as usize)
}

pub fn thread_of_heap(address: u64) -> Option<usize> {
    let number = address.checked_sub(HEAPS)? / HEAP_SIZE;
    (number < MOST_THREADS as u64).then_some(number as usize)
}

/// Whether it belongs to the stack of invariants.
pub fn is_evaluators(address: u64) -> bool {
    let (stack, heap) = (stack_of(EVALUATOR), heap_of(EVALUATOR));
    (stack.0..stack.1 + FRAMES_SIZE).contains(&address) || (heap.0..heap.1).contains(&address)
}

/// Where there is nothing, below a stack.
pub fn is_below_stack(address: u64) -> bool {
    address.checked_sub(STACKS).is_some_and(|offset| {
        offset / STACK_STRIDE <= MOST_THREADS as u64 && offset % STACK_STRIDE >= STACK_SIZE + FRAMES_SIZE
    }) || (STACKS - STACK_GAP..STACKS).contains(&address)
}

/// A thread as it is before its first step. `lowest` is how far its stack was in use.
pub fn reset(fiber: &mut Fiber, number: usize, lowest: u64) {
    let (low, high) = stack_of(number);
    let from = cleared_from(number, lowest);
    // SAFETY: its own stack, which nobody uses now.
    unsafe { std::ptr::write_bytes(from as *mut u8, 0, (high - from) as usize) };
    (fiber.stack_low, fiber.stack_high) = (low, high);
    (fiber.frames, fiber.frames_end) = frames_of(number);
    (fiber.heap, fiber.heap_end) = heap_of(number);
    (fiber.last_block, fiber.live) = (0, 0);
    fiber.number = number as u64;
    (fiber.locals, fiber.effects, fiber.written, fiber.operation) = (0, 0, 0, 0);
    fiber.write = Default::default();
    fiber.stop = crate::world::Stop::Visible;
    (fiber.pc, fiber.frame, fiber.result) = (0, 0, 0);
    (fiber.arguments, fiber.registers) = ([0; 6], [0; 5]);
}

/// The execution is over: of what the thread had, nothing may be accessed, and its frames are empty again.
pub fn forget(fiber: &Fiber, number: usize, lowest: u64) {
    let ((_, high), (frames, _), (heap, _)) = (stack_of(number), frames_of(number), heap_of(number));
    // SAFETY: its own memory, which nobody uses now.
    unsafe {
        shadow::set(heap, fiber.heap, shadow::NO_OBJECT);
        shadow::set(cleared_from(number, lowest), high, 0);
        shadow::set(frames, fiber.frames, 0);
        std::ptr::write_bytes(frames as *mut u8, 0, (fiber.frames - frames) as usize);
    }
}

/// What of a thread's stack was ever in use.
pub fn open_stack_of(number: usize, lowest: u64) -> (u64, u64) {
    (cleared_from(number, lowest), stack_of(number).1)
}

/// What a thread has of memory and of shadow that are in use, `lowest` being how far down its stack was: below, and where it is zero
/// from there on, it is as fresh.
pub fn in_use(fiber: &Fiber, number: usize, lowest: u64) -> [(u64, u64); 6] {
    let ((_, high), (frames, _), (heap, _)) = (stack_of(number), frames_of(number), heap_of(number));
    let from = cleared_from(number, lowest);
    let (frames, heap) = ((frames, fiber.frames), (heap, fiber.heap));
    [
        (first_used(from, high), high),
        shadow::range(from, high),
        frames,
        shadow::range(frames.0, frames.1),
        heap,
        shadow::range(heap.0, heap.1),
    ]
}

/// How far a thread's memory was in use.
#[derive(Clone, Copy, Default)]
pub struct Ends {
    /// Its stack was seen in use, and there was something in it.
    pub lowest: u64,
    pub used: u64,
    pub frames: u64,
    pub heap: u64,
}

/// What a thread has come to use since `then` is as nobody had used it.
pub fn take_back(fiber: &Fiber, number: usize, lowest: u64, then: Ends) {
    let from = cleared_from(number, lowest);
    // SAFETY: its own memory, which nobody uses now.
    unsafe {
        shadow::set(then.heap, fiber.heap, shadow::NO_OBJECT);
        shadow::set(from, then.lowest.max(stack_of(number).0) & !7, 0);
        shadow::set(then.frames, fiber.frames, 0);
        let used = first_used(from, then.used);
        std::ptr::write_bytes(used as *mut u8, 0, (then.used - used) as usize);
        std::ptr::write_bytes(then.frames as *mut u8, 0, (fiber.frames - then.frames) as usize);
    }
}

/// From where on a part of a stack, in whole words, is not all zero, nearly; `to` if it is.
fn first_used(from: u64, to: u64) -> u64 {
    const WORDS: usize = 16;
    if from >= to {
        return to;
    }
    // SAFETY: a part of a stack that is open, and nobody runs.
    let words = unsafe { std::slice::from_raw_parts(from as *const u64, (to - from) as usize / 8) };
    #[inline(always)]
    fn first(words: &[u64]) -> Option<usize> {
        words.chunks(WORDS).position(|words| words.iter().fold(0, |all, word| all | word) != 0)
    }
    #[target_feature(enable = "avx2")]
    fn first_by_avx2(words: &[u64]) -> Option<usize> {
        first(words)
    }
    // It is looked at for every thread on every way back.
    let unused = match std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: it has that.
        true => unsafe { first_by_avx2(words) },
        false => first(words),
    };
    unused.map_or(to, |chunks| from + 8 * (WORDS * chunks) as u64)
}

/// From where on a stack is cleared that was seen to be in use down to `lowest`.
fn cleared_from(number: usize, lowest: u64) -> u64 {
    lowest.min(open_from(number)).max(stack_of(number).0) & !7
}

/// The same for so many threads of another machine.
pub fn forget_all(threads: usize) {
    for number in 0..threads {
        let ((low, _), (_, high), (heap, heap_end)) = (stack_of(number), frames_of(number), heap_of(number));
        shadow::forget(heap, heap_end);
        for (from, to) in [(low, high), shadow::range(low, high), (heap, heap_end)] {
            // SAFETY: memory of threads that are no more; it is zero from here on.
            unsafe { libc::madvise(from as *mut libc::c_void, (to - from) as usize, libc::MADV_DONTNEED) };
        }
    }
}

/// A world that nobody runs in.
pub fn new_world(print: extern "C" fn(*const u8, u64)) -> *mut World {
    // SAFETY: numbers, and a null pointer; the functions are set before anybody looks.
    unsafe {
        let world = std::alloc::alloc_zeroed(std::alloc::Layout::new::<World>()).cast::<World>();
        assert!(!world.is_null(), "memory for a log");
        (*world).print = print;
        ((*world).host_file, (*world).host_read) = (outside::host_file, outside::host_read);
        world
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_ever_in_use_of_a_stack_is_found() {
        let mut words = [0u64; 1000];
        let at = words.as_ptr() as u64;
        let end = at + 8000;
        assert_eq!(first_used(at, end), end);
        for last in [999, 500, 17, 16, 0] {
            words[last] = 1 << 63;
            let found = first_used(at, end);
            assert!(found <= at + 8 * last as u64 && at + 8 * last as u64 - found < 128, "{last}");
            assert_eq!(first_used(at, at + 8 * last as u64), at + 8 * last as u64);
        }
        assert_eq!(first_used(end, at), at);
    }
}

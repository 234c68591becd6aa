//! As much of a shared object's file as we need: its symbols, and which parts of its memory may be written.

pub use threadbare_vm::elf::Symbol;

pub struct Elf {
    pub symbols: Vec<Symbol>,
    /// From and to: what there is in memory, what of it is code, and what may be written.
    pub loaded: Vec<(u64, u64)>,
    pub code: Vec<(u64, u64)>,
    pub writable: Vec<(u64, u64)>,
    /// Behind all of it.
    pub end: u64,
}

const PAGE: u64 = 4096;
const LOAD: u64 = 1;
const RELRO: u64 = 0x6474_e552;
const EXECUTABLE: u64 = 1;
const WRITABLE: u64 = 2;

impl Elf {
    pub fn read(bytes: &[u8]) -> Option<Elf> {
        let file = threadbare_vm::elf::Elf::read(bytes)?;
        let (mut loaded, mut code, mut writable) = (Vec::new(), Vec::new(), Vec::new());
        let (mut relro, mut end) = ((0, 0), 0);
        for segment in file.segments()? {
            let (from, to) = (segment.from, segment.from + segment.size);
            match segment.kind {
                LOAD => {
                    end = end.max(to);
                    loaded.push((from, to));
                    if segment.flags & EXECUTABLE != 0 {
                        code.push((from, to));
                    }
                    if segment.flags & WRITABLE != 0 {
                        writable.push((from, to));
                    }
                }
                // Read-only once it is relocated: up to the last whole page.
                RELRO => relro = (from / PAGE * PAGE, to / PAGE * PAGE),
                _ => {}
            }
        }
        for range in &mut writable {
            if relro.0 <= range.0 && range.0 < relro.1 {
                range.0 = relro.1;
            }
        }
        writable.retain(|(from, to)| from < to);
        Some(Elf { symbols: file.symbols()?, loaded, code, writable, end })
    }
}

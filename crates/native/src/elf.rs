//! As much of a shared object's file as we need: its symbols, and which parts of its memory may be written.

pub struct Symbol {
    pub name: String,
    pub address: u64,
    pub size: u64,
    pub is_function: bool,
}

pub struct Elf {
    pub symbols: Vec<Symbol>,
    /// From and to.
    pub writable: Vec<(u64, u64)>,
    /// Behind all of it.
    pub end: u64,
}

const PAGE: u64 = 4096;
const LOAD: u64 = 1;
const RELRO: u64 = 0x6474_e552;
const SYMTAB: u64 = 2;

impl Elf {
    pub fn read(bytes: &[u8]) -> Option<Elf> {
        let number = |at: u64, size: usize| -> Option<u64> {
            let mut word = [0; 8];
            word[..size].copy_from_slice(bytes.get(at as usize..at as usize + size)?);
            Some(u64::from_le_bytes(word))
        };
        if !bytes.starts_with(b"\x7fELF\x02\x01") {
            return None;
        }
        let (mut writable, mut relro, mut end) = (Vec::new(), (0, 0), 0);
        let (headers, size, count) = (number(32, 8)?, number(54, 2)?, number(56, 2)?);
        for header in (0..count).map(|i| headers + i * size) {
            let (kind, flags) = (number(header, 4)?, number(header + 4, 4)?);
            let (from, length) = (number(header + 16, 8)?, number(header + 40, 8)?);
            match kind {
                LOAD => {
                    end = end.max(from + length);
                    if flags & 2 != 0 {
                        writable.push((from, from + length));
                    }
                }
                // Read-only once it is relocated: up to the last whole page.
                RELRO => relro = (from / PAGE * PAGE, (from + length) / PAGE * PAGE),
                _ => {}
            }
        }
        for range in &mut writable {
            if relro.0 <= range.0 && range.0 < relro.1 {
                range.0 = relro.1;
            }
        }
        writable.retain(|(from, to)| from < to);
        let (sections, size, count) = (number(40, 8)?, number(58, 2)?, number(60, 2)?);
        let mut symbols = Vec::new();
        for section in (0..count).map(|i| sections + i * size) {
            if number(section + 4, 4)? != SYMTAB {
                continue;
            }
            let (from, length, names) = (number(section + 24, 8)?, number(section + 32, 8)?, number(section + 40, 4)?);
            let names = number(sections + names * size + 24, 8)?;
            for symbol in (from..from + length).step_by(24) {
                let (kind, place) = (number(symbol + 4, 1)? & 15, number(symbol + 6, 2)?);
                if !matches!(kind, 1 | 2) || place == 0 {
                    continue;
                }
                let name = &bytes[(names + number(symbol, 4)?) as usize..];
                let name = String::from_utf8_lossy(name.split(|&byte| byte == 0).next()?).into_owned();
                let (address, size) = (number(symbol + 8, 8)?, number(symbol + 16, 8)?);
                symbols.push(Symbol { name, address, size, is_function: kind == 2 });
            }
        }
        Some(Elf { symbols, writable, end })
    }
}

//! As much of the ELF format as we need: the sections, symbols and libraries of a file, and a new section in an object.

use rustc_hash::FxHashSet;

/// A file of 64 bits for a little-endian machine, as x86-64 is.
pub struct Elf<'a> {
    bytes: &'a [u8],
    pub sections: Vec<Section>,
}

#[derive(Clone, Debug)]
pub struct Section {
    pub name: String,
    pub kind: u64,
    pub flags: u64,
    /// Where in the file.
    pub from: u64,
    pub size: u64,
    /// Another section that belongs to it, and one that it is about.
    pub link: usize,
    pub info: usize,
}

pub struct Segment {
    pub kind: u64,
    pub flags: u64,
    /// In memory.
    pub from: u64,
    pub size: u64,
}

pub struct Symbol {
    pub name: String,
    pub address: u64,
    pub size: u64,
    pub is_function: bool,
}

/// A name of an object's table, whether the object defines it or needs it.
pub struct Name {
    pub name: String,
    /// What is behind it: a function, a thread-local variable …
    pub kind: u8,
    pub is_local: bool,
    pub is_weak: bool,
    pub is_defined: bool,
    /// A variable without a value, which others may define as well.
    pub is_common: bool,
    /// Where it is: the number of the section, and how far in it.
    pub section: usize,
    pub value: u64,
}

/// Of what kind a file is, and for which machine.
pub const RELOCATABLE: u64 = 1;
pub const X86_64: u64 = 62;

const SYMTAB: u64 = 2;
const NOBITS: u64 = 8;
const DYNAMIC: u64 = 6;
const DYNSYM: u64 = 11;

pub const UNKNOWN: u8 = 0;
const VARIABLE: u8 = 1;
pub const FUNCTION: u8 = 2;
pub const THREAD_LOCAL: u8 = 6;
pub const BY_RESOLVER: u8 = 10;

const LOCAL: u8 = 0;
const WEAK: u8 = 2;
const COMMON: u64 = 0xfff2;

const NEEDED: u64 = 1;
const RPATH: u64 = 15;
const SYMBOLIC: u64 = 16;
const RUNPATH: u64 = 29;
const FLAGS: u64 = 30;
const FLAG_SYMBOLIC: u64 = 2;

pub fn is_elf(bytes: &[u8]) -> bool {
    bytes.starts_with(b"\x7fELF")
}

fn number(bytes: &[u8], at: u64, size: usize) -> Option<u64> {
    let at = usize::try_from(at).ok()?;
    let mut word = [0; 8];
    word[..size].copy_from_slice(bytes.get(at..at.checked_add(size)?)?);
    Some(u64::from_le_bytes(word))
}

fn name_at(names: &[u8], at: u64) -> Option<String> {
    let name = names.get(usize::try_from(at).ok()?..)?;
    Some(String::from_utf8_lossy(name.split(|&byte| byte == 0).next()?).into_owned())
}

impl<'a> Elf<'a> {
    /// `None` for what is no such file, or is cut off.
    pub fn read(bytes: &'a [u8]) -> Option<Elf<'a>> {
        if !bytes.starts_with(b"\x7fELF\x02\x01") {
            return None;
        }
        let (table, size, count, names) =
            (number(bytes, 40, 8)?, number(bytes, 58, 2)?, number(bytes, 60, 2)?, number(bytes, 62, 2)?);
        let header = |i: u64| table.checked_add(i * size);
        let mut found = Vec::new();
        for i in 0..count {
            let at = header(i)?;
            // The whole of it, though not all is needed.
            number(bytes, header(i + 1)?.checked_sub(1)?, 1)?;
            let field = |offset: u64, size: usize| number(bytes, at.checked_add(offset)?, size);
            let section = Section {
                name: String::new(),
                kind: field(4, 4)?,
                flags: field(8, 8)?,
                from: field(24, 8)?,
                size: field(32, 8)?,
                link: field(40, 4)? as usize,
                info: field(44, 4)? as usize,
            };
            found.push((field(0, 4)?, section));
        }
        let mut elf = Elf { bytes, sections: Vec::new() };
        let names = match found.get(names as usize) {
            Some((_, section)) => elf.content(section)?,
            None => &[],
        };
        for (name, section) in found {
            elf.sections.push(Section { name: name_at(names, name).unwrap_or_default(), ..section });
        }
        Some(elf)
    }

    /// Whether it is code for x86-64 that nobody has linked yet.
    pub fn is_object(&self) -> bool {
        (number(self.bytes, 16, 2), number(self.bytes, 18, 2)) == (Some(RELOCATABLE), Some(X86_64))
    }

    pub fn content(&self, section: &Section) -> Option<&'a [u8]> {
        match section.kind {
            NOBITS => Some(&[]),
            _ => {
                let from = usize::try_from(section.from).ok()?;
                self.bytes.get(from..from.checked_add(usize::try_from(section.size).ok()?)?)
            }
        }
    }

    pub fn section(&self, name: &str) -> Option<&Section> {
        self.sections.iter().find(|section| section.name == name)
    }

    pub fn segments(&self) -> Option<Vec<Segment>> {
        let bytes = self.bytes;
        let (table, size, count) = (number(bytes, 32, 8)?, number(bytes, 54, 2)?, number(bytes, 56, 2)?);
        let segment = |at: u64| {
            let field = |offset: u64, size: usize| number(bytes, at.checked_add(offset)?, size);
            Some(Segment { kind: field(0, 4)?, flags: field(4, 4)?, from: field(16, 8)?, size: field(40, 8)? })
        };
        (0..count).map(|i| segment(table.checked_add(i * size)?)).collect()
    }

    /// The functions and variables that it defines.
    pub fn symbols(&self) -> Option<Vec<Symbol>> {
        self.defined(&[VARIABLE, FUNCTION])
    }

    /// The names that it defines. Assembler files need not say what is behind them.
    pub fn names(&self) -> Option<Vec<String>> {
        Some(self.defined(&[UNKNOWN, VARIABLE, FUNCTION])?.into_iter().map(|symbol| symbol.name).collect())
    }

    /// By the tables that are left in it.
    fn defined(&self, kinds: &[u8]) -> Option<Vec<Symbol>> {
        let tables = |kind| self.sections.iter().filter(move |section| section.kind == kind);
        let tables = match tables(SYMTAB).next() {
            Some(_) => tables(SYMTAB),
            None => tables(DYNSYM),
        };
        let mut symbols = Vec::new();
        for table in tables {
            let names = self.content(self.sections.get(table.link)?)?;
            for symbol in self.content(table)?.chunks_exact(24) {
                let (kind, place) = (symbol[4] & 15, number(symbol, 6, 2)?);
                if kinds.contains(&kind) && place != 0 {
                    symbols.push(Symbol {
                        name: name_at(names, number(symbol, 0, 4)?)?,
                        address: number(symbol, 8, 8)?,
                        size: number(symbol, 16, 8)?,
                        is_function: kind == FUNCTION,
                    });
                }
            }
        }
        Some(symbols)
    }

    /// All names of an object, with those that it needs.
    pub fn all_names(&self) -> Option<Vec<Name>> {
        let mut found = Vec::new();
        for table in self.sections.iter().filter(|section| section.kind == SYMTAB) {
            let names = self.content(self.sections.get(table.link)?)?;
            for symbol in self.content(table)?.chunks_exact(24) {
                let (kind, binding, place) = (symbol[4] & 15, symbol[4] >> 4, number(symbol, 6, 2)?);
                found.push(Name {
                    name: name_at(names, number(symbol, 0, 4)?)?,
                    kind,
                    is_local: binding == LOCAL,
                    is_weak: binding == WEAK,
                    is_defined: place != 0,
                    is_common: place == COMMON,
                    section: place as usize,
                    value: number(symbol, 8, 8)?,
                });
            }
        }
        Some(found)
    }

    /// Of each relocation of a section, its type and the number of its name in the table.
    pub fn relocations(&self, section: &Section) -> Vec<(u64, usize)> {
        const RELA: u64 = 4;
        if section.kind != RELA {
            return Vec::new();
        }
        let entries = self.content(section).unwrap_or_default().chunks_exact(24);
        entries
            .filter_map(|entry| number(entry, 8, 8))
            .map(|info| (info & 0xffff_ffff, (info >> 32) as usize))
            .collect()
    }

    /// The shared libraries that it needs, and the folders that it looks for them in.
    pub fn libraries(&self) -> (Vec<String>, Vec<String>) {
        let (mut needed, mut folders) = (Vec::new(), Vec::new());
        for (names, tag, at) in self.dynamic() {
            let Some(text) = name_at(names, at) else { continue };
            match tag {
                NEEDED => needed.push(text),
                RPATH | RUNPATH => folders.extend(text.split(':').map(String::from)),
                _ => {}
            }
        }
        (needed, folders)
    }

    /// What the loader is told, each with the names that it may mean.
    fn dynamic(&self) -> impl Iterator<Item = (&'a [u8], u64, u64)> + '_ {
        self.sections.iter().filter(|section| section.kind == DYNAMIC).flat_map(|section| {
            let names = self.sections.get(section.link).and_then(|names| self.content(names)).unwrap_or_default();
            let entries = self.content(section).unwrap_or_default().chunks_exact(16);
            entries.filter_map(move |entry| Some((names, number(entry, 0, 8)?, number(entry, 8, 8)?)))
        })
    }

    /// The names that it defines and for which the loader takes the first definition of all loaded files, for this one too. `None`: that is
    /// not decided yet, or there is no loader.
    pub fn offered(&self) -> Option<FxHashSet<String>> {
        let table = self.sections.iter().find(|section| section.kind == DYNSYM)?;
        let symbolic = |(_, tag, value)| tag == SYMBOLIC || tag == FLAGS && value & FLAG_SYMBOLIC != 0;
        if self.dynamic().any(symbolic) {
            return Some(FxHashSet::default());
        }
        let names = self.content(self.sections.get(table.link)?)?;
        let symbols = self.content(table)?.chunks_exact(24);
        let open = symbols.filter(|symbol| symbol[4] >> 4 != LOCAL && symbol[5] & 3 == 0 && symbol[6..8] != [0, 0]);
        open.map(|symbol| name_at(names, number(symbol, 0, 4)?)).collect()
    }
}

const HEADER: usize = 64;
const ENTRY: usize = 64;

/// An object without anything, but for the note that it needs no executable stack.
pub fn empty_object() -> Vec<u8> {
    const STRTAB: u32 = 3;
    let names = b"\0.shstrtab\0";
    let table = HEADER + names.len().next_multiple_of(8);
    let mut bytes = b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0".to_vec();
    bytes.extend([RELOCATABLE as u16, X86_64 as u16].iter().flat_map(|word| word.to_le_bytes()));
    bytes.extend(1_u32.to_le_bytes());
    bytes.extend([0, 0, table as u64].iter().flat_map(|word| word.to_le_bytes()));
    bytes.extend(0_u32.to_le_bytes());
    bytes.extend([HEADER as u16, 0, 0, ENTRY as u16, 2, 1].iter().flat_map(|word| word.to_le_bytes()));
    bytes.extend(names);
    bytes.resize(table + ENTRY, 0);
    bytes.extend(entry(1, STRTAB, HEADER as u64, names.len() as u64));
    with_section(&bytes, ".note.GNU-stack", &[]).expect("as it was made")
}

/// The header of a section that nobody loads.
fn entry(name: u32, kind: u32, from: u64, size: u64) -> Vec<u8> {
    let mut bytes = [name, kind].iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>();
    bytes.extend([0, 0, from, size].iter().flat_map(|word| word.to_le_bytes()));
    bytes.extend(0_u64.to_le_bytes());
    bytes.extend([1, 0_u64].iter().flat_map(|word| word.to_le_bytes()));
    bytes
}

/// An object with one more section, which is not loaded and which linkers put together with others of its name. What was there stays
/// where it is; the table of sections and their names are written anew behind it. `None` for what is no such object.
pub fn with_section(object: &[u8], name: &str, content: &[u8]) -> Option<Vec<u8>> {
    const PROGBITS: u32 = 1;
    let elf = Elf::read(object)?;
    let (table, count, names) = (number(object, 40, 8)?, number(object, 60, 2)?, number(object, 62, 2)?);
    // Beyond that, the number of sections stands elsewhere.
    if number(object, 58, 2)? != ENTRY as u64 || !(1..0xff00 - 1).contains(&count) {
        return None;
    }
    let mut headers = object.get(table as usize..table as usize + count as usize * ENTRY)?.to_vec();
    let mut list = elf.content(elf.sections.get(names as usize)?)?.to_vec();
    let mut bytes = object.to_vec();
    let from = bytes.len() as u64;
    bytes.extend(content);
    headers.extend(entry(list.len() as u32, PROGBITS, from, content.len() as u64));
    list.extend(name.as_bytes());
    list.push(0);
    let at = names as usize * ENTRY;
    headers[at + 24..at + 32].copy_from_slice(&(bytes.len() as u64).to_le_bytes());
    headers[at + 32..at + 40].copy_from_slice(&(list.len() as u64).to_le_bytes());
    bytes.extend(list);
    bytes.resize(bytes.len().next_multiple_of(8), 0);
    let table = bytes.len() as u64;
    bytes.extend(headers);
    bytes[40..48].copy_from_slice(&table.to_le_bytes());
    bytes[60..62].copy_from_slice(&(count as u16 + 1).to_le_bytes());
    Some(bytes)
}

/// An object whose sections have other names, for those that get one. Data that the loader would call is only data then.
pub fn with_names(object: &[u8], name: impl Fn(&Section) -> Option<&'static str>) -> Option<Vec<u8>> {
    const PROGBITS: u32 = 1;
    const CALLED: [u64; 3] = [14, 15, 16];
    let elf = Elf::read(object)?;
    let (table, names) = (number(object, 40, 8)? as usize, number(object, 62, 2)? as usize);
    let mut list = elf.content(elf.sections.get(names)?)?.to_vec();
    let mut bytes = object.to_vec();
    for (i, section) in elf.sections.iter().enumerate() {
        if let Some(name) = name(section) {
            let at = table + i * ENTRY;
            bytes.get_mut(at..at + 4)?.copy_from_slice(&(list.len() as u32).to_le_bytes());
            if CALLED.contains(&section.kind) {
                bytes[at + 4..at + 8].copy_from_slice(&PROGBITS.to_le_bytes());
            }
            list.extend(name.as_bytes());
            list.push(0);
        }
    }
    let at = table + names * ENTRY;
    let (from, size) = (bytes.len() as u64, list.len() as u64);
    bytes.get_mut(at + 24..at + 32)?.copy_from_slice(&from.to_le_bytes());
    bytes[at + 32..at + 40].copy_from_slice(&size.to_le_bytes());
    bytes.extend(list);
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_section_can_be_added() {
        let object = with_section(&empty_object(), ".own", b"content").expect("an object");
        let object = with_section(&object, ".more", b"").expect("an object");
        let elf = Elf::read(&object).expect("an object");
        let names: Vec<&str> = elf.sections.iter().map(|section| section.name.as_str()).collect();
        assert_eq!(names, ["", ".shstrtab", ".note.GNU-stack", ".own", ".more"]);
        assert_eq!(elf.content(elf.section(".own").expect("there")), Some(b"content".as_slice()));
    }

    #[test]
    fn sections_get_other_names() {
        let object = with_section(&empty_object(), ".own", b"content").expect("an object");
        let object = with_names(&object, |section| (section.name == ".own").then_some("new")).expect("an object");
        let elf = Elf::read(&object).expect("an object");
        assert!(elf.is_object() && elf.section(".own").is_none() && elf.section(".note.GNU-stack").is_some());
        assert_eq!(elf.content(elf.section("new").expect("there")), Some(b"content".as_slice()));
    }

    #[test]
    fn what_is_cut_off_is_refused() {
        let object = with_section(&empty_object(), ".own", b"content").expect("an object");
        for length in 0..object.len() {
            if let Some(elf) = Elf::read(&object[..length]) {
                assert!(elf.section(".own").is_none_or(|section| elf.content(section).is_none()), "{length}");
            }
        }
        assert!(with_section(b"no object", ".own", b"").is_none());
    }
}

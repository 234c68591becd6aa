//! What `threadbare cc` keeps beside the machine code of a translation unit: its source. It is a section of the object, which nobody loads
//! and which linkers put together with those of other objects, so that it gets through archives, libraries and executables.
//!
//! The source is that of the compiler's `-frewrite-includes`: all headers are in it, and macros, lines and columns are as they were.
//! It is compiled when it is checked, for the machine and at the level that are asked for then.

use threadbare_core::Hash128;

/// The section.
pub const SECTION: &str = ".threadbare";

const MAGIC: &[u8; 8] = b"TB-UNIT1";

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// C with the text of all headers.
    C,
    /// C that was preprocessed before.
    Preprocessed,
    /// Machine code whose source is not there. The text says why.
    Without,
    /// An object whose source is not there, as the text: of an assembler file, of another language, or of another compiler.
    Object,
    /// Archives and libraries of which there is no source, as words for the linker: the flags.
    Libraries,
    /// An option of the linker that changes what names mean.
    Linked,
    /// The names of the object as the compiler has made it (`renamed`): behind the record of its source.
    Names,
    /// An option of the linker that binds names of a library to what it defines itself.
    Bound,
}

const KINDS: [(Kind, u8); 8] = [
    (Kind::C, b'c'),
    (Kind::Preprocessed, b'i'),
    (Kind::Without, b'w'),
    (Kind::Object, b'o'),
    (Kind::Libraries, b'a'),
    (Kind::Linked, b'l'),
    (Kind::Bound, b'b'),
    (Kind::Names, b'n'),
];

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Record {
    pub kind: Kind,
    /// As it was named on the line.
    pub file: String,
    /// Where the compiler ran.
    pub directory: String,
    /// What of the compiler's flags the meaning of the source hangs on.
    pub flags: Vec<String>,
    pub text: Vec<u8>,
}

impl Record {
    pub fn is_c(&self) -> bool {
        matches!(self.kind, Kind::C | Kind::Preprocessed)
    }

    pub fn to_bytes(&self) -> Vec<u8> {
        let (_, kind) = KINDS.iter().find(|(kind, _)| *kind == self.kind).expect("all are there");
        let mut body = vec![*kind];
        let mut add = |bytes: &[u8]| {
            body.extend((bytes.len() as u64).to_le_bytes());
            body.extend(bytes);
        };
        add(self.file.as_bytes());
        add(self.directory.as_bytes());
        add(&self.text);
        self.flags.iter().for_each(|flag| add(flag.as_bytes()));
        let packed = miniz_oxide::deflate::compress_to_vec(&body, 6);
        let mut bytes = MAGIC.to_vec();
        bytes.extend((packed.len() as u64).to_le_bytes());
        bytes.extend(hash(&packed).to_le_bytes());
        bytes.extend(packed);
        bytes
    }

    fn of(packed: &[u8]) -> Option<Record> {
        let body = miniz_oxide::inflate::decompress_to_vec(packed).ok()?;
        let (letter, mut rest) = body.split_first()?;
        let (kind, _) = KINDS.iter().find(|(_, known)| known == letter)?;
        let mut parts = Vec::new();
        while !rest.is_empty() {
            let (length, tail) = rest.split_first_chunk::<8>()?;
            let (part, tail) = tail.split_at_checked(usize::try_from(u64::from_le_bytes(*length)).ok()?)?;
            parts.push(part);
            rest = tail;
        }
        let [file, directory, text, flags @ ..] = parts.as_slice() else { return None };
        let words = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Some(Record {
            kind: *kind,
            file: words(file),
            directory: words(directory),
            flags: flags.iter().map(|flag| words(flag)).collect(),
            text: text.to_vec(),
        })
    }
}

/// The records of a section. Linkers may have filled up with zeros between them. `None` if it is damaged.
pub fn records(mut section: &[u8]) -> Option<Vec<Record>> {
    let mut found = Vec::new();
    loop {
        let zeros = section.iter().take_while(|&&byte| byte == 0).count();
        section = &section[zeros..];
        if section.is_empty() {
            return Some(found);
        }
        let rest = section.strip_prefix(MAGIC)?;
        let (length, rest) = rest.split_first_chunk::<8>()?;
        let (expected, rest) = rest.split_first_chunk::<8>()?;
        let (packed, rest) = rest.split_at_checked(usize::try_from(u64::from_le_bytes(*length)).ok()?)?;
        if hash(packed) != u64::from_le_bytes(*expected) {
            return None;
        }
        found.push(Record::of(packed)?);
        section = rest;
    }
}

fn hash(bytes: &[u8]) -> u64 {
    let mut hash = Hash128::new(bytes.len() as u64);
    for chunk in bytes.chunks(8) {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        hash.word(u64::from_le_bytes(word));
    }
    hash.finish().0 as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(file: &str) -> Record {
        Record {
            kind: Kind::C,
            file: file.into(),
            directory: "/somewhere".into(),
            flags: vec!["-DN=1".into(), "-std=c11".into()],
            text: b"int x;\n".repeat(100),
        }
    }

    #[test]
    fn records_stand_one_behind_the_other() {
        let (one, two) = (record("a.c"), Record { kind: Kind::Without, flags: Vec::new(), ..record("b.s") });
        let section = [one.to_bytes(), vec![0; 5], two.to_bytes(), vec![0; 3]].concat();
        assert_eq!(records(&section), Some(vec![one, two]));
        assert_eq!(records(&[]), Some(Vec::new()));
    }

    #[test]
    fn damage_is_seen() {
        let bytes = record("a.c").to_bytes();
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0x10;
            assert_eq!(records(&damaged), None, "byte {at}");
            if at > 0 {
                assert_eq!(records(&bytes[..at]), None, "cut off at {at}");
            }
        }
    }
}

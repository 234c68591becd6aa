//! Damaged text: modules as clang prints them with bytes flipped, tokens deleted, doubled, swapped, pieces moved and
//! ends cut off. Whatever comes out, the reader must return, and a module it accepts must hold together.
//!
//! `TB_FUZZ_CASES` sets the number of cases.

use std::sync::OnceLock;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use threadbare_ir::*;

use super::clang::{PROGRAMS, compile};
use super::insts;

const DEFAULT_CASES: u32 = 2_000;

/// One piece of damage. Positions are scaled to the text, so that shrinking keeps its meaning.
#[derive(Clone, Debug)]
enum Damage {
    Flip(u32, u8),
    Replace(u32, u8),
    Delete(u32),
    Double(u32),
    Swap(u32, u32),
    Splice(u32, u32, u8),
    Truncate(u32),
}

fn damage() -> impl Strategy<Value = Damage> {
    let at = any::<u32>;
    prop_oneof![
        3 => (at(), 0..8_u8).prop_map(|(place, bit)| Damage::Flip(place, bit)),
        2 => (at(), any::<u8>()).prop_map(|(place, byte)| Damage::Replace(place, byte)),
        4 => at().prop_map(Damage::Delete),
        3 => at().prop_map(Damage::Double),
        4 => (at(), at()).prop_map(|(a, b)| Damage::Swap(a, b)),
        3 => (at(), at(), any::<u8>()).prop_map(|(from, to, length)| Damage::Splice(from, to, length)),
        1 => at().prop_map(Damage::Truncate),
    ]
}

fn scaled(place: u32, length: usize) -> usize {
    ((u64::from(place) * length as u64) >> 32) as usize
}

/// The token around a place: a run of word characters, or one other character.
fn token(text: &[u8], place: u32) -> std::ops::Range<usize> {
    let is_word = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'%' | b'@' | b'!' | b'#' | b'-');
    let at = scaled(place, text.len());
    if at >= text.len() || !is_word(text[at]) {
        return at..(at + 1).min(text.len());
    }
    let start = text[..at].iter().rposition(|&b| !is_word(b)).map_or(0, |before| before + 1);
    let end = text[at..].iter().position(|&b| !is_word(b)).map_or(text.len(), |length| at + length);
    start..end
}

fn apply(text: &mut Vec<u8>, damage: &Damage) {
    match *damage {
        Damage::Flip(place, bit) => {
            let at = scaled(place, text.len());
            if let Some(byte) = text.get_mut(at) {
                *byte ^= 1 << bit;
            }
        }
        Damage::Replace(place, byte) => {
            let at = scaled(place, text.len());
            if let Some(old) = text.get_mut(at) {
                *old = byte;
            }
        }
        Damage::Delete(place) => {
            text.drain(token(text, place));
        }
        Damage::Double(place) => {
            let range = token(text, place);
            let copy = text[range.clone()].to_vec();
            text.splice(range.end..range.end, [vec![b' '], copy].concat());
        }
        Damage::Swap(a, b) => {
            let (a, b) = (token(text, a), token(text, b));
            let (first, second) = if a.start <= b.start { (a, b) } else { (b, a) };
            if first.end <= second.start {
                let (one, two) = (text[first.clone()].to_vec(), text[second.clone()].to_vec());
                text.splice(second, one);
                text.splice(first, two);
            }
        }
        Damage::Splice(from, to, length) => {
            let start = scaled(from, text.len());
            let end = (start + usize::from(length)).min(text.len());
            let piece = text[start..end].to_vec();
            let to = scaled(to, text.len());
            text.splice(to..to, piece);
        }
        Damage::Truncate(place) => text.truncate(scaled(place, text.len())),
    }
}

/// Modules to damage.
fn samples() -> &'static [Vec<u8>] {
    static SAMPLES: OnceLock<Vec<Vec<u8>>> = OnceLock::new();
    SAMPLES.get_or_init(|| {
        let flags: [&[&str]; 3] = [&["-O0"], &["-O2", "-g"], &["-O3", "-march=x86-64-v3"]];
        PROGRAMS.iter().flat_map(|program| flags.map(|flags| compile(program, flags))).collect()
    })
}

/// What holds for every module that the reader accepts.
fn check(module: &Module) {
    for function in &module.functions {
        assert!(function.params.len() <= function.local_types.len());
        assert_eq!(function.local_types.len(), function.local_names.len());
        let results = insts(function).filter_map(|inst| inst.result);
        let expected = function.params.len() as u32..function.local_types.len() as u32;
        assert!(function.is_declaration() || results.map(|id| id.0).eq(expected), "results are dense");
        for block in &function.blocks {
            let terminators = block.insts.iter().filter(|inst| inst.kind.is_terminator()).count();
            assert!(terminators == 1 && block.insts.last().is_some_and(|inst| inst.kind.is_terminator()));
        }
        let blocks = function.blocks.len() as u32;
        let locals = function.local_types.len() as u32;
        for inst in insts(function) {
            // Forward numbers and label numbers must all be settled; their debug form shows any id.
            let shown = format!("{:?}", inst.kind);
            assert!(ids(&shown, "LocalId(").all(|id| id < locals), "{shown}");
            assert!(ids(&shown, "BlockId(").all(|id| id < blocks) || shown.contains("BlockAddress"), "{shown}");
            assert!(!shown.contains("Name("), "{shown}");
        }
    }
    for id in (0..module.metadata.len().min(500) as u32).map(MdId) {
        module.location(id);
        module.describe_offset(id, 8, 4);
        let _ = module.bits_of_part("object", id, "[1].head.items[0]");
        module.di_type_name(Some(id));
    }
}

fn ids<'t>(text: &'t str, prefix: &'static str) -> impl Iterator<Item = u32> + 't {
    text.match_indices(prefix).filter_map(move |(at, _)| {
        let digits = &text[at + prefix.len()..];
        digits[..digits.find(')')?].parse().ok()
    })
}

#[test]
fn damaged_text_never_panics() {
    let cases = std::env::var("TB_FUZZ_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(DEFAULT_CASES);
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    let strategy = (0..samples().len(), proptest::collection::vec(damage(), 1..4));
    let result = TestRunner::new(config).run(&strategy, |(sample, damages)| {
        let mut text = samples()[sample].clone();
        damages.iter().for_each(|damage| apply(&mut text, damage));
        if let Ok(module) = parse_bytes(&text) {
            check(&module);
        }
        Ok(())
    });
    if let Err(failure) = result {
        panic!("{failure}");
    }
}

#[test]
fn every_prefix_of_a_module_returns() {
    let text = &samples()[1];
    let step = text.len() / 400 + 1;
    for end in (0..text.len()).step_by(step) {
        if let Err(error) = parse_bytes(&text[..end]) {
            let lines = text[..end].iter().filter(|&&b| b == b'\n').count() as u32 + 1;
            assert!(error.line <= lines, "{error}");
        }
    }
}

proptest! {
    #![proptest_config(Config { failure_persistence: None, ..Config::default() })]

    #[test]
    fn noise_never_panics(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        let _ = parse_bytes(&bytes);
    }

    #[test]
    fn words_in_any_order_never_panic(words in proptest::collection::vec(0..WORDS.len(), 0..80)) {
        let text: Vec<_> = words.iter().map(|&word| WORDS[word]).collect();
        let _ = parse(&text.join(" "));
    }
}

const WORDS: &[&str] = &[
    "define",
    "declare",
    "void",
    "i32",
    "ptr",
    "@f",
    "@g",
    "%x",
    "%0",
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    "<",
    ">",
    ",",
    "=",
    "!0",
    "!",
    "!{",
    "!dbg",
    "!DILocation",
    "line:",
    "scope:",
    "entry:",
    "0:",
    "ret",
    "br",
    "label",
    "add",
    "call",
    "load",
    "store",
    "phi",
    "switch",
    "getelementptr",
    "alloca",
    "global",
    "constant",
    "external",
    "type",
    "opaque",
    "1",
    "-1",
    "1.5",
    "0x3FF0000000000000",
    "null",
    "undef",
    "zeroinitializer",
    "c\"a\"",
    "\"s\"",
    "align",
    "#0",
    "attributes",
    "x",
    "...",
    "to",
    "inttoptr",
    "blockaddress",
    "splat",
    "metadata",
    "asm",
    "\n",
];

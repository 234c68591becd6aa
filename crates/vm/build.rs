//! Puts the sources of the C runtime into the library.

use std::fmt::Write;
use std::path::Path;

fn main() {
    let folder = Path::new(&std::env::var("CARGO_MANIFEST_DIR").expect("set by cargo")).join("runtime");
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut names: Vec<String> = std::fs::read_dir(&folder)
        .expect("the runtime's folder")
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| name.ends_with(".c") || name.ends_with(".h"))
        .collect();
    names.sort();
    let mut list = String::from("const SOURCES: &[(&str, &str)] = &[\n");
    // FNV-1a of it all: what the compiled runtime is kept under.
    let mut hash = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d_u128;
    for name in names {
        let text = std::fs::read(folder.join(&name)).expect("a source of the runtime");
        for &byte in name.as_bytes().iter().chain(&[0]).chain(&text).chain(&[0]) {
            hash = (hash ^ u128::from(byte)).wrapping_mul((1 << 88) + 0x13b);
        }
        writeln!(list, "    ({name:?}, include_str!({:?})),", folder.join(&name)).expect("to a string");
    }
    list.push_str("];\n");
    writeln!(list, "const SOURCES_HASH: &str = \"{hash:032x}\";").expect("to a string");
    let out = std::env::var("OUT_DIR").expect("set by cargo");
    std::fs::write(Path::new(&out).join("runtime_sources.rs"), list).expect("to the output folder");
}

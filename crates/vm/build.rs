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
    for name in names {
        writeln!(list, "    ({name:?}, include_str!({:?})),", folder.join(&name)).expect("to a string");
    }
    list.push_str("];\n");
    let out = std::env::var("OUT_DIR").expect("set by cargo");
    std::fs::write(Path::new(&out).join("runtime_sources.rs"), list).expect("to the output folder");
}

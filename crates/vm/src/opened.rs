//! What the locks of virtual files are called in stories: by the files that they guard. The structures are those of the runtime
//! (runtime/tb_file.h), which has asserted the offsets.

use crate::scene::{Scene, Thing, What};

const MOST_DESCRIPTORS: i32 = 1024;
const PIPE: u64 = 5;
/// Of a path.
const LONGEST: u64 = 4096;

/// The file, stream or table that the lock at an address guards.
pub fn guarded(scene: &impl Scene, object: &Thing<'_>, address: u64) -> Option<String> {
    match object.what {
        What::Static(variable) if variable.name == "__tbi_open_files" => Some("the table of files".into()),
        What::Heap => stream(scene, object, address).or_else(|| node(scene, object.start)),
        _ => None,
    }
}

fn word(scene: &impl Scene, address: u64) -> Option<u64> {
    scene.load(address, 8).map(|(word, _)| word).filter(|&word| word != 0)
}

/// The elements of a list that a variable of the runtime begins.
fn list(scene: &impl Scene, variable: &str, next: u64) -> impl Iterator<Item = u64> {
    let first = scene.library_variable(variable).and_then(|at| word(scene, at));
    std::iter::successors(first, move |&element| word(scene, element + next))
}

fn node(scene: &impl Scene, node: u64) -> Option<String> {
    if let Some(name) = list(scene, "__tbi_names", 0).find(|name| word(scene, name + 8) == Some(node)) {
        return Some(format!("the file {}", path(scene, name + 16)));
    }
    let descriptors = 0..MOST_DESCRIPTORS;
    let descriptor = descriptors.into_iter().find(|&fd| node_of(scene, fd) == Some(node))?;
    let kind = scene.load(node, 4)?.0;
    Some(format!("the {} of descriptor {descriptor}", if kind == PIPE { "pipe" } else { "file" }))
}

fn node_of(scene: &impl Scene, descriptor: i32) -> Option<u64> {
    let all = scene.library_variable("__tbi_descriptions")?;
    word(scene, word(scene, all + 8 * u64::try_from(descriptor).ok()?)?)
}

/// The part of a stream that is not its FILE begins with its lock.
fn stream(scene: &impl Scene, object: &Thing<'_>, address: u64) -> Option<String> {
    let parts = list(scene, "__tbi_streams", 48);
    let part = parts.into_iter().find(|&part| part == address && part - object.start < object.size)?;
    let number = scene.load(word(scene, part + 40)? + 112, 4)?.0 as i32;
    let file = node_of(scene, (-2i32).checked_sub(number)?).and_then(|at| node(scene, at));
    Some(file.map_or("a stream".into(), |file| format!("the stream of {}", file.trim_start_matches("the file "))))
}

/// As seen from where we are.
fn path(scene: &impl Scene, address: u64) -> String {
    let bytes = (address..address + LONGEST).map_while(|at| scene.load(at, 1));
    let bytes: Vec<u8> = bytes.map(|(byte, _)| byte as u8).take_while(|&byte| byte != 0).collect();
    let path = String::from_utf8_lossy(&bytes).into_owned();
    let here = std::env::current_dir().ok().map(|here| format!("{}/", here.display()));
    here.and_then(|here| path.strip_prefix(&here)).map_or(path.clone(), String::from)
}

//! Where the worker has got to, in memory that it shares with its supervisor: if the worker dies, its last execution is
//! known, and another process can try whether it is that one which kills it.

use std::fs::{File, OpenOptions};
use std::io::{Error, Read};
use std::os::fd::AsRawFd;
use std::path::Path;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use threadbare_core::{Choice, ThreadNames, Tid};

use crate::image::MOST_THREADS;

/// Steps that are noted; longer executions are known up to there.
const MOST: usize = 1 << 20;
/// How many threads have got numbers besides the first one, and their parents.
const THREADS: usize = 1 + 2 * MOST;
const WORDS: usize = THREADS + 1 + MOST_THREADS;

/// A step by the number of its thread.
pub type Step = (Tid, Choice);

pub struct Notes {
    words: *const AtomicU32,
}

/// What a worker has left behind.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Noted {
    pub steps: Vec<Step>,
    /// Of the threads from the second one on.
    parents: Vec<Tid>,
}

impl Notes {
    pub fn write(file: &Path) -> Result<Notes, Error> {
        let opened: File = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(file)?;
        opened.set_len(4 * WORDS as u64)?;
        // SAFETY: a fresh mapping of a file that is long enough.
        let at = unsafe {
            let protection = libc::PROT_READ | libc::PROT_WRITE;
            libc::mmap(null_mut(), 4 * WORDS, protection, libc::MAP_SHARED, opened.as_raw_fd(), 0)
        };
        if at == libc::MAP_FAILED { Err(Error::last_os_error()) } else { Ok(Notes { words: at.cast() }) }
    }

    fn word(&self, i: usize) -> &AtomicU32 {
        debug_assert!(i < WORDS);
        // SAFETY: mapped for as long as the process lives.
        unsafe { &*self.words.add(i) }
    }

    /// The execution has so many steps, and this is the last one.
    #[inline]
    pub fn step(&self, length: usize, tid: Tid, choice: Choice) {
        if length <= MOST {
            self.word(2 * length - 1).store(tid.0.into(), Relaxed);
            self.word(2 * length).store(choice.0, Relaxed);
            self.word(0).store(length as u32, Relaxed);
        }
    }

    /// The thread has this number from now on.
    pub fn thread(&self, tid: Tid, parent: Tid) {
        self.word(THREADS + tid.index()).store(parent.0.into(), Relaxed);
        self.word(THREADS).store(tid.0.into(), Relaxed);
    }

    pub fn read(file: &Path) -> Result<Noted, Error> {
        let mut bytes = Vec::new();
        File::open(file)?.take(4 * WORDS as u64).read_to_end(&mut bytes)?;
        let words: Vec<u32> =
            bytes.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().expect("four bytes"))).collect();
        if words.len() < WORDS {
            return Ok(Noted::default());
        }
        let (steps, threads) = ((words[0] as usize).min(MOST), (words[THREADS] as usize).min(MOST_THREADS));
        Ok(Noted {
            steps: (0..steps).map(|i| (Tid(words[2 * i + 1] as u16), Choice(words[2 * i + 2]))).collect(),
            parents: words[THREADS + 1..][..threads].iter().map(|&parent| Tid(parent as u16)).collect(),
        })
    }
}

impl Noted {
    /// The threads by the numbers that the worker has given them.
    pub fn names(&self) -> ThreadNames {
        let (mut names, mut children) = (ThreadNames::default(), vec![0; self.parents.len() + 1]);
        for parent in &self.parents {
            names.child(*parent, children[parent.index()]);
            children[parent.index()] += 1;
        }
        names
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_noted_is_read_again() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("notes");
        assert!(Notes::read(&file).is_err());
        let notes = Notes::write(&file).expect("writable");
        for (tid, parent) in [(1, 0), (2, 1), (3, 0)] {
            notes.thread(Tid(tid), Tid(parent));
        }
        // The last execution is shorter than the one before.
        (1..=5).for_each(|length| notes.step(length, Tid(9), Choice(9)));
        for (length, (tid, choice)) in [(0, 0), (2, 7), (3, 1)].into_iter().enumerate() {
            notes.step(length + 1, Tid(tid), Choice(choice));
        }
        let noted = Notes::read(&file).expect("readable");
        let steps: Vec<(u16, u32)> = noted.steps.iter().map(|(tid, choice)| (tid.0, choice.0)).collect();
        assert_eq!(steps, [(0, 0), (2, 7), (3, 1)]);
        let names = noted.names();
        let names: Vec<String> = (0..names.len()).map(|i| names.name(Tid(i as u16)).to_string()).collect();
        assert_eq!(names, ["0", "0.0", "0.0.0", "0.1"]);
    }
}

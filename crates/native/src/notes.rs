//! Where the worker has got to, in memory that it shares with its supervisor: if the worker dies, its last execution is
//! known.

use std::fs::{File, OpenOptions};
use std::io::{Error, Read};
use std::os::fd::AsRawFd;
use std::path::Path;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use threadbare_core::{Choice, Tid};

/// Steps that are noted; longer executions are known up to there.
const MOST: usize = 1 << 20;
const WORDS: usize = 1 + 2 * MOST;

/// A step by the number of its thread.
pub type Step = (Tid, Choice);

pub struct Notes {
    words: *const AtomicU32,
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

    /// What a worker has left behind.
    pub fn read(file: &Path) -> Result<Vec<Step>, Error> {
        let mut bytes = Vec::new();
        File::open(file)?.take(4 * WORDS as u64).read_to_end(&mut bytes)?;
        let words: Vec<u32> =
            bytes.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().expect("four bytes"))).collect();
        let count = words.first().map_or(0, |&count| count as usize).min(words.len() / 2);
        Ok((0..count).map(|i| (Tid(words[2 * i + 1] as u16), Choice(words[2 * i + 2]))).collect())
    }
}

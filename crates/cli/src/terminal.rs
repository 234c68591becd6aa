//! Single keys from a terminal.

use std::io::IsTerminal;
use std::sync::Mutex;

/// How the terminal was, while it is otherwise.
static BEFORE: Mutex<Option<libc::termios>> = Mutex::new(None);

/// The terminal is again as it was before there were `Keys`.
pub fn put_back() {
    let before = BEFORE.lock().map_or_else(|broken| broken.into_inner().take(), |mut before| before.take());
    if let Some(before) = before {
        // SAFETY: a valid pointer to a termios.
        unsafe { libc::tcsetattr(libc::STDIN_FILENO, libc::TCSANOW, &before) };
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Key {
    Char(char),
    Left,
    Right,
}

/// A terminal that gives every key at once and does not echo, until this is dropped.
pub struct Keys(());

impl Keys {
    /// `None` where the standard input is no terminal.
    pub fn open() -> Option<Keys> {
        if !std::io::stdin().is_terminal() || !std::io::stdout().is_terminal() {
            return None;
        }
        // SAFETY: a termios is plain data, and tcgetattr fills it.
        let mut before: libc::termios = unsafe { std::mem::zeroed() };
        // SAFETY: a valid pointer to a termios.
        if unsafe { libc::tcgetattr(libc::STDIN_FILENO, &mut before) } != 0 {
            return None;
        }
        let mut raw = before;
        raw.c_lflag &= !(libc::ICANON | libc::ECHO | libc::ISIG);
        // SAFETY: a valid pointer to a termios.
        (unsafe { libc::tcsetattr(libc::STDIN_FILENO, libc::TCSANOW, &raw) } == 0).then(|| {
            *BEFORE.lock().expect("nobody panics while holding it") = Some(before);
            Keys(())
        })
    }

    /// The next key; `None` at the end of the input.
    pub fn next(&mut self) -> Option<Key> {
        const ESCAPE: u8 = 27;
        loop {
            let byte = read_byte()?;
            if byte != ESCAPE {
                return Some(Key::Char(byte as char));
            }
            // An arrow is ESC [ and a letter, which arrive together; ESC by itself is nothing.
            if !more_is_there() || read_byte()? != b'[' {
                continue;
            }
            match read_byte()? {
                b'C' => return Some(Key::Right),
                b'D' => return Some(Key::Left),
                _ => {}
            }
        }
    }
}

impl Drop for Keys {
    fn drop(&mut self) {
        put_back();
    }
}

fn read_byte() -> Option<u8> {
    let mut byte = 0u8;
    // SAFETY: one byte of room.
    let n = unsafe { libc::read(libc::STDIN_FILENO, (&raw mut byte).cast(), 1) };
    (n == 1).then_some(byte)
}

fn more_is_there() -> bool {
    let mut poll = libc::pollfd { fd: libc::STDIN_FILENO, events: libc::POLLIN, revents: 0 };
    // SAFETY: one valid pollfd.
    unsafe { libc::poll(&mut poll, 1, 30) > 0 }
}

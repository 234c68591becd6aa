//! The native backend runs the program in a worker process of ours, with the search: the same command again. The supervisor
//! waits for it, and survives whatever the program does to it.
//!
//! A worker that dies of a crash leaves its last execution behind. Another one takes those steps and no others: if it dies in
//! the same step, the program does that by itself, which is a bug. The search is then made once more, by a worker that
//! knows what that step does and does not take it, and that one reports the bug like any other.

use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, ExitStatus};
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};

use threadbare_native::{Noted, NotedStep, Notes};

use crate::arguments::Format;
use crate::our_fault::OUR_FAULT;
use crate::run::INTERRUPTED_BY_USER;
use crate::told::native::NativeSubject;
use crate::told::{Refused, Subject, UNSUPPORTED};
use crate::{limits, listing, report};

/// The variables that tell a worker where to note its steps, which steps to take once more, which ones end in death, and why
/// the virtual machine does not take the program.
const NOTES: &str = "THREADBARE_NATIVE_NOTES";
const AGAIN: &str = "THREADBARE_NATIVE_AGAIN";
const FATAL: &str = "THREADBARE_NATIVE_FATAL";
const INSTEAD: &str = "THREADBARE_NATIVE_INSTEAD";

fn given(variable: &str) -> Option<PathBuf> {
    std::env::var_os(variable).map(PathBuf::from)
}

pub fn is_worker() -> bool {
    notes().is_some()
}

/// Why the program is explored as machine code, if nobody has asked for that.
pub fn instead() -> Option<String> {
    std::env::var(INSTEAD).ok()
}

/// A worker that was started instead of something else does not complain by itself: there has been one complaint already.
pub fn refuse(refused: &Refused) -> Option<ExitCode> {
    instead()?;
    std::fs::write(refusal_beside(&notes()?), refused.in_words()).ok()?;
    Some(ExitCode::from(UNSUPPORTED))
}

fn refusal_beside(notes: &Path) -> PathBuf {
    notes.with_extension("refusal")
}

/// The one line that says that the program is explored as machine code, though nobody has asked for that.
pub fn say_instead() {
    if let Some(why) = instead() {
        let words = format!("explored as native machine code, since the virtual machine refuses it: {why}");
        report::message(&report::wrapped("threadbare:", &words));
    }
}

/// Where a worker notes its steps; there is none without a supervisor.
pub fn notes() -> Option<PathBuf> {
    given(NOTES)
}

/// A worker has said all that it has to say. What ends without that was ended by the program.
pub fn has_spoken() {
    if let Some(notes) = notes() {
        // The supervisor complains if it is not there.
        let _ = std::fs::write(spoken_beside(&notes), []);
    }
}

fn spoken_beside(notes: &Path) -> PathBuf {
    notes.with_extension("spoken")
}

/// The steps of which a worker knows that the last one kills it.
pub fn fatal() -> Vec<NotedStep> {
    given(FATAL).and_then(|file| Notes::read(&file).ok()).map_or_else(Vec::new, |noted| noted.steps)
}

/// The worker shall only take the steps of another one. What it says of that is that it lives.
pub fn take_again(subject: &NativeSubject) -> Option<ExitCode> {
    let noted = Notes::read(&given(AGAIN)?).unwrap_or_default();
    if let (Ok(program), Ok(setup)) = (subject.load(), subject.native_setup()) {
        program.take_again(setup, &noted);
    }
    Some(ExitCode::SUCCESS)
}

/// The worker that runs, or 0.
static WORKER: AtomicI32 = AtomicI32::new(0);

/// Somebody has asked for the end.
static ASKED: AtomicBool = AtomicBool::new(false);

/// What comes from a terminal, or from `timeout`, reaches all processes of a group. A worker, with the compilers that it starts, has a
/// group of its own and does not listen to that, but to its supervisor alone, by this signal: so that it is asked once, and a second
/// time if the supervisor is.
const END: libc::c_int = libc::SIGUSR1;
const FROM_OUTSIDE: [libc::c_int; 3] = [libc::SIGINT, libc::SIGTERM, libc::SIGHUP];

/// Whoever asks us to end asks the worker, which then tells what it knows.
extern "C" fn pass_on(_: libc::c_int) {
    ASKED.store(true, Ordering::SeqCst);
    let worker = WORKER.load(Ordering::SeqCst);
    if worker > 0 {
        // SAFETY: a child that nobody has waited for yet.
        unsafe { libc::kill(worker, END) };
    }
}

/// Ctrl-Z: until we go on, the worker does not, either.
extern "C" fn pause(_: libc::c_int) {
    let worker = WORKER.load(Ordering::SeqCst);
    let tell = |signal| {
        if worker > 0 {
            // SAFETY: the group of a child.
            unsafe { libc::kill(-worker, signal) };
        }
    };
    tell(libc::SIGSTOP);
    // SAFETY: it stops ourselves.
    unsafe { libc::raise(libc::SIGSTOP) };
    tell(libc::SIGCONT);
}

fn handle(signal: libc::c_int, handler: extern "C" fn(libc::c_int)) {
    // SAFETY: handlers that do no more than handlers may. A fiber has no room for them on its stack.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_flags = libc::SA_RESTART | libc::SA_ONSTACK;
        action.sa_sigaction = handler as *const () as usize;
        libc::sigaction(signal, &action, std::ptr::null_mut());
    }
}

/// In a worker: what to do when the supervisor asks for the end.
pub fn listen(handler: extern "C" fn(libc::c_int)) {
    handle(END, handler);
}

/// The signal waits, or does not.
fn hold(how: libc::c_int) {
    // SAFETY: system calls that are allowed between fork and exec.
    unsafe {
        let mut set: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&mut set);
        libc::sigaddset(&mut set, END);
        libc::sigprocmask(how, &set, std::ptr::null_mut());
    }
}

/// Starts it and waits for its end. It does not outlive us, however we end.
fn run(command: &mut Command) -> std::io::Result<ExitStatus> {
    command.process_group(0);
    // SAFETY: system calls that are allowed between fork and exec.
    unsafe {
        command.pre_exec(|| {
            for signal in FROM_OUTSIDE {
                libc::signal(signal, libc::SIG_IGN);
            }
            // Until it knows what to do then.
            hold(libc::SIG_BLOCK);
            match libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) {
                0 => Ok(()),
                _ => Err(std::io::Error::last_os_error()),
            }
        })
    };
    let mut child = command.spawn()?;
    WORKER.store(child.id() as i32, Ordering::SeqCst);
    if ASKED.load(Ordering::SeqCst) || limits::is_interrupted() {
        // SAFETY: a child that nobody has waited for yet.
        unsafe { libc::kill(child.id() as i32, END) };
    }
    let status = child.wait();
    WORKER.store(0, Ordering::SeqCst);
    status
}

/// Starts a worker with the same words, and gives what it came to. `None` in the worker itself. It may be started `instead` of
/// the virtual machine, for this reason: then there may be no answer, but the reason why it refuses the program as well.
pub fn supervise(format: Format, instead: Option<&str>) -> Option<Result<ExitCode, String>> {
    if let Some(notes) = notes() {
        hold(libc::SIG_UNBLOCK);
        // What is left of a worker that dies goes with the supervisor's folder.
        let _ = tempfile::env::override_temp_dir(notes.parent().unwrap_or(&notes));
        return None;
    }
    let failed = |what: String| Some(Ok(listing::failure(format, &what, None, 2)));
    let folder = match tempfile::tempdir() {
        Ok(folder) => folder,
        Err(error) => return failed(format!("cannot make a folder for temporary files: {error}")),
    };
    FROM_OUTSIDE.into_iter().for_each(|signal| handle(signal, pass_on));
    handle(libc::SIGTSTP, pause);
    let file = |name: &str| folder.path().join(name);
    let first = file("notes");
    let worker = |notes: &Path, more: Option<(&str, &Path)>| -> std::io::Result<ExitStatus> {
        let mut command = Command::new(std::env::current_exe()?);
        command.args(std::env::args_os().skip(1)).env(NOTES, notes).envs(more);
        command.envs(instead.map(|why| (INSTEAD, why)));
        run(&mut command)
    };
    let status = match worker(&first, None) {
        Ok(status) => status,
        Err(error) => return failed(format!("cannot start a worker process: {error}")),
    };
    if let Ok(refusal) = std::fs::read_to_string(refusal_beside(&first)) {
        return Some(Err(refusal));
    }
    let answer = |notes: &Path, status: ExitStatus| {
        let ours =
            |code: &i32| spoken_beside(notes).exists() || [OUR_FAULT, INTERRUPTED_BY_USER].contains(&(*code as u8));
        status.code().filter(ours).map(|code| Some(Ok(ExitCode::from(code as u8))))
    };
    if let Some(answer) = answer(&first, status) {
        return answer;
    }
    if ASKED.load(Ordering::SeqCst) && status.signal() == Some(END) {
        return Some(Ok(ExitCode::from(INTERRUPTED_BY_USER)));
    }
    let noted = Notes::read(&first).unwrap_or_default();
    let alone = file("again");
    let dies_alone = is_crash(status)
        && worker(&alone, Some((AGAIN, &first))).is_ok_and(|again| again.signal() == status.signal())
        && Notes::read(&alone).is_ok_and(|again| again.steps == noted.steps);
    let third = file("told");
    let told = if dies_alone { worker(&third, Some((FATAL, &first))).ok() } else { None };
    if let Some(answer) = told.and_then(|told| answer(&third, told)) {
        return answer;
    }
    Some(Ok(listing::failure(format, &obituary(status, &noted, dies_alone), None, 4)))
}

/// By a signal that a program can bring on itself. Others come from outside, or from a kernel that is short of memory.
fn is_crash(status: ExitStatus) -> bool {
    let crashes = [libc::SIGSEGV, libc::SIGBUS, libc::SIGILL, libc::SIGFPE, libc::SIGTRAP, libc::SIGABRT, libc::SIGSYS];
    status.signal().is_some_and(|signal| crashes.contains(&signal))
}

fn obituary(status: ExitStatus, noted: &Noted, dies_alone: bool) -> String {
    let names = noted.names();
    let known = noted.steps.iter().filter(|(tid, _)| tid.index() < names.len());
    let last: Vec<String> = known.rev().take(20).map(|(tid, _)| names.name(*tid).to_string()).collect();
    let last: Vec<&str> = last.iter().rev().map(String::as_str).collect();
    let why = match (is_crash(status), dies_alone) {
        _ if status.code().is_some() => {
            "the program has ended it by itself, past the C library (by a system call in machine code that nobody looks into?), so that \
             nothing is known of what was explored"
        }
        (false, _) => "it was killed from outside, or there was no memory left",
        (true, false) => {
            "the same steps in another process do not kill it, so that an earlier execution has written over memory that is not the \
             program's own, or the fault is ours"
        }
        (true, true) => "another execution kills it as well",
    };
    let at = noted.steps.len();
    format!(
        "the worker process died ({status}) in step {at} of an execution: {why}. The last threads that ran: {}",
        last.join(" ")
    )
}

//! The names that the machine itself knows.

use threadbare_core::Operation;

use crate::bytecode::Native;

#[derive(Clone, Copy, Debug)]
pub enum Primitive {
    Native(Native),
    Visible(Operation),
}

/// A function of tb_runtime.h or tb_threads.h.
pub fn primitive(name: &str) -> Option<Primitive> {
    use Operation::*;
    let visible = match name.strip_prefix("__tb_")? {
        "free" => Free,
        "exit" => Exit,
        "sleep" => Sleep,
        "sleep_until" => SleepUntil,
        "clock" => Clock,
        "hidden_state" => HiddenState,
        "mutex_init" => MutexInit,
        "mutex_destroy" => MutexDestroy,
        "mutex_lock" => MutexLock,
        "mutex_trylock" => MutexTryLock,
        "mutex_timedlock" => MutexTimedLock,
        "mutex_unlock" => MutexUnlock,
        "cond_init" => CondInit,
        "cond_destroy" => CondDestroy,
        "cond_enter" => CondEnter,
        "cond_leave" => CondLeave,
        "cond_leave_timed" => CondLeaveTimed,
        "cond_signal" => CondSignal,
        "cond_broadcast" => CondBroadcast,
        "rwlock_init" => RwInit,
        "rwlock_destroy" => RwDestroy,
        "rwlock_rdlock" => RwReadLock,
        "rwlock_wrlock" => RwWriteLock,
        "rwlock_tryrdlock" => RwTryReadLock,
        "rwlock_trywrlock" => RwTryWriteLock,
        "rwlock_timedrdlock" => RwTimedReadLock,
        "rwlock_timedwrlock" => RwTimedWriteLock,
        "rwlock_unlock" => RwUnlock,
        "sem_init" => SemInit,
        "sem_destroy" => SemDestroy,
        "sem_wait" => SemWait,
        "sem_trywait" => SemTryWait,
        "sem_timedwait" => SemTimedWait,
        "sem_post" => SemPost,
        "sem_getvalue" => SemGetValue,
        "spin_init" => SpinInit,
        "spin_destroy" => SpinDestroy,
        "spin_lock" => SpinLock,
        "spin_trylock" => SpinTryLock,
        "spin_unlock" => SpinUnlock,
        "barrier_init" => BarrierInit,
        "barrier_destroy" => BarrierDestroy,
        "barrier_arrive" => BarrierArrive,
        "barrier_leave" => BarrierLeave,
        "once_enter" => OnceEnter,
        "once_done" => OnceDone,
        "once_abandon" => OnceAbandon,
        "thread_create" => ThreadCreate,
        "thread_join" => ThreadJoin,
        "thread_tryjoin" => ThreadTryJoin,
        "thread_timedjoin" => ThreadTimedJoin,
        "thread_detach" => ThreadDetach,
        "thread_end" => ThreadEnd,
        "thread_cancel" => ThreadCancel,
        "testcancel" => TestCancel,
        "yield" => Yield,
        "reached" => Label,
        "choose" => Choose,
        "nondet" => Nondet,
        "atomic_begin" => AtomicBegin,
        "atomic_end" => AtomicEnd,
        rest => return native(rest).map(Primitive::Native),
    };
    Some(Primitive::Visible(visible))
}

fn native(name: &str) -> Option<Native> {
    Some(match name {
        "malloc" => Native::Malloc,
        "discard" => Native::Discard,
        "object_size" => Native::ObjectSize,
        "longjmp" => Native::Longjmp,
        "memcpy" => Native::MemCpy,
        "memmove" => Native::MemMove,
        "memset" => Native::MemSet,
        "write" => Native::Write,
        "read" => Native::Read,
        "host_file" => Native::HostFile,
        "host_read" => Native::HostRead,
        "signal_death" => Native::SignalDeath,
        "assert_fail" => Native::AssertFail,
        "unsupported" => Native::Unsupported,
        "thread_self" => Native::ThreadSelf,
        "thread_is_main" => Native::ThreadIsMain,
        "thread_detached" => Native::ThreadDetached,
        "cancel_state" => Native::CancelState,
        "assume" => Native::Assume,
        "error" => Native::Error,
        "assert" => Native::Assert,
        "label" => Native::Label,
        "progress" => Native::Progress,
        "abstract" => Native::Abstract,
        "need_function" => Native::NeedFunction,
        _ => return None,
    })
}

/// The functions that return a second time. Those of the longjmp family are C (setjmp.c).
pub fn is_setjmp(name: &str) -> bool {
    matches!(name, "setjmp" | "_setjmp") || saves_mask(name)
}

/// Those whose second argument says whether the signal mask is to be saved, too.
pub fn saves_mask(name: &str) -> bool {
    matches!(name, "sigsetjmp" | "__sigsetjmp")
}

/// Primitives that do not keep the pointers they are given.
pub fn keeps_no_pointer(name: &str) -> bool {
    !matches!(name, "__tb_thread_create" | "__tb_thread_end")
}

/// What the source calls a function of the library that the system's headers rename: `sscanf` for `__isoc99_sscanf`.
pub fn source_name(symbol: &str) -> &str {
    ["__isoc99_", "__isoc23_", "__xpg_"].iter().find_map(|prefix| symbol.strip_prefix(prefix)).unwrap_or(symbol)
}

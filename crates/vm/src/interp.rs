//! The interpreter: runs one thread's local code up to its next visible operation.
//!
//! There are two loops made from one source. The plain one knows that every live slot is defined and keeps no account
//! of it. When a load meets bytes that were never written, the thread goes over to the other, which computes the
//! undefined bits of every result as well, and back again when no slot has any left. So uninitialised data may be
//! copied and masked freely, and is reported only when a branch, an address or an effect depends on it.

use crate::bytecode::*;
use crate::fault::{Fault, FaultKind};
use crate::known::{Deed, Effect, NOWHERE, Recorder};
use crate::machine::Limits;
use crate::memory::{AllocError, BadAccess, LARGEST, Memory, all_init, code_target};
use crate::races::{PLAIN_READ, PLAIN_WRITE, Place};
use crate::scalar::*;
use crate::system::System;
use crate::thread::{Frame, Thread};

/// Why the interpreter stopped.
#[derive(Debug)]
pub enum Stop {
    /// The thread stands at a visible operation.
    Visible,
    /// A failed `assume`.
    Cut,
    Fault(Box<Fault>),
}

/// One thread on the machine, for the length of a step.
pub struct Cpu<'a> {
    pub program: &'a Program,
    pub memory: &'a mut Memory,
    pub thread: &'a mut Thread,
    pub system: &'a mut System,
    pub limits: &'a Limits,
    /// The number of the latest mark or return to one: what was saved for an earlier one must be saved again.
    pub mark_number: u64,
    /// Jumps and calls that local code may take before it asks whether to go on.
    pub fuel: u64,
    pub recorder: &'a mut Recorder,
    /// How many it may take after that.
    pub reserve: u64,
    /// Whether somebody wants the end.
    pub stop: Option<fn() -> bool>,
}

/// A divisor is used: the division may trap.
const DIVISION: &str = "a division depends on it";

/// Why one of the two loops was left.
enum Leave {
    Stop(Stop),
    /// Undefined data came up: go on in the loop that follows it.
    Track,
    /// No slot is undefined any more.
    Plain,
}

impl Cpu<'_> {
    /// Runs local code; the frame's pc is at the first operation to execute.
    pub fn run(&mut self) -> Stop {
        loop {
            let (track, races) = (self.thread.undefined_slots > 0, self.memory.races.is_active());
            if races {
                self.memory.races.unsure_of_frames();
            }
            let record = self.recorder.on && self.recorder.whole && !track;
            if !record {
                self.recorder.give_up();
            }
            let left = match (track, races) {
                (true, true) => self.execute::<true, true, false>(),
                (true, false) => self.execute::<true, false, false>(),
                (false, true) if record => self.execute::<false, true, true>(),
                (false, true) => self.execute::<false, true, false>(),
                (false, false) if record => self.execute::<false, false, true>(),
                (false, false) => self.execute::<false, false, false>(),
            };
            match left {
                Leave::Stop(stop) => return stop,
                Leave::Track => match self.execute_tracking() {
                    Leave::Stop(stop) => return stop,
                    Leave::Track | Leave::Plain => {}
                },
                Leave::Plain => {}
            }
        }
    }

    fn execute_tracking(&mut self) -> Leave {
        self.recorder.give_up();
        if !self.memory.races.is_active() {
            return self.execute::<true, false, false>();
        }
        self.memory.races.unsure_of_frames();
        self.execute::<true, true, false>()
    }

    /// `TRACK`: undefined bits are followed. `RACES`: accesses are checked for data races. `RECORD`: what is done is
    /// written down, as far as it can be.
    #[allow(clippy::cognitive_complexity)]
    fn execute<const TRACK: bool, const RACES: bool, const RECORD: bool>(&mut self) -> Leave {
        let program = self.program;
        // SAFETY (for all of the loop): lowering gives only slots below the function's `slots`, and `reserve` was called
        // for every frame; jump targets are positions in `code`, whose last operation does not fall through.
        let mut code: *const Op;
        let mut ip: *const Op;
        let mut slots: *mut u64;
        let mut undefined: *mut u64;
        // Goes on where the top frame stands. What is seldom needed of a frame is looked up there: the fewer variables
        // live across the loop, the better.
        macro_rules! enter {
            () => {{
                let frame = self.thread.top();
                let base = frame.base as usize;
                code = program.functions[frame.function as usize].code.as_ptr();
                ip = unsafe { code.add(frame.pc as usize) };
                slots = unsafe { self.thread.slots.as_mut_ptr().add(base) };
                undefined = unsafe { self.thread.undefined.as_mut_ptr().add(base) };
            }};
        }
        enter!();
        let places = self.memory.places();

        // The position after the current operation.
        macro_rules! pc {
            () => {
                unsafe { ip.offset_from(code) } as u32
            };
        }
        macro_rules! get {
            ($s:expr) => {
                unsafe { *slots.add($s as usize) }
            };
        }
        macro_rules! undef {
            ($s:expr) => {
                if TRACK { unsafe { *undefined.add($s as usize) } } else { 0 }
            };
        }
        macro_rules! set {
            ($d:expr, $value:expr) => {
                set!($d, $value, 0)
            };
            ($d:expr, $value:expr, $undefined:expr) => {{
                let (d, value) = ($d as usize, $value);
                unsafe { *slots.add(d) = value };
                if TRACK {
                    let new: u64 = $undefined;
                    let old = unsafe { std::mem::replace(&mut *undefined.add(d), new) };
                    self.thread.undefined_slots += u32::from(new != 0);
                    self.thread.undefined_slots -= u32::from(old != 0);
                }
            }};
        }
        // Puts the position back into the frame.
        macro_rules! sync {
            ($pc:expr) => {
                self.thread.frames.last_mut().expect("running").pc = $pc
            };
        }
        macro_rules! fail {
            ($fault:expr) => {{
                sync!(pc!() - 1);
                let fault = $fault;
                return Leave::Stop(Stop::Fault(fault));
            }};
        }
        macro_rules! need_defined {
            ($s:expr, $use:expr) => {
                if TRACK && undef!($s) != 0 {
                    fail!(self.uninitialised($use));
                }
            };
        }
        macro_rules! access {
            ($result:expr) => {
                match $result {
                    Ok(value) => value,
                    Err(bad) => fail!(self.bad_access(bad)),
                }
            };
        }
        macro_rules! race {
            ($n:expr, $kind:expr, $address:expr) => {
                if RACES && !self.memory.races.has_said::<$n, { $kind }>($address) {
                    sync!(pc!() - 1);
                    if let Some(fault) = self.race_access($address, $n as u64, $kind) {
                        return Leave::Stop(Stop::Fault(fault));
                    }
                }
            };
        }
        macro_rules! race_range {
            ($n:expr, $kind:expr, $address:expr) => {
                if RACES {
                    sync!(pc!() - 1);
                    if let Some(fault) = self.race_access($address, u64::from($n), $kind) {
                        return Leave::Stop(Stop::Fault(fault));
                    }
                }
            };
        }
        macro_rules! record {
            ($n:expr, $deed:expr, $address:expr, $value:expr) => {
                if RECORD {
                    sync!(pc!() - 1);
                    self.record($n, $deed, $address, $value);
                }
            };
        }
        macro_rules! give_up_recording {
            () => {
                if RECORD {
                    self.recorder.give_up();
                }
            };
        }
        // The stack objects from `keep` on are about to go.
        macro_rules! race_frame_end {
            ($keep:expr) => {
                if RACES && let Err(fault) = self.race_frame_end($keep) {
                    return Leave::Stop(Stop::Fault(fault));
                }
            };
        }
        macro_rules! frame_end_released {
            ($keep:expr) => {
                if let Err(fault) = self.frame_end_released($keep) {
                    return Leave::Stop(Stop::Fault(fault));
                }
            };
        }
        macro_rules! burn {
            () => {
                self.fuel -= 1;
                if self.fuel == 0 {
                    sync!(pc!() - 1);
                    if let Err(fault) = self.refuel() {
                        return Leave::Stop(Stop::Fault(fault));
                    }
                }
            };
        }
        macro_rules! jump {
            ($t:expr) => {{
                if TRACK && self.thread.undefined_slots == 0 {
                    sync!($t);
                    return Leave::Plain;
                }
                burn!();
                ip = unsafe { code.add($t as usize) };
            }};
        }
        macro_rules! jump_if {
            ($condition:expr, $t:expr, $f:expr) => {{
                if $condition {
                    // SAFETY: it does nothing, but keeps the compiler from selecting the target without a branch: the
                    // processor would then have to wait for the condition before it could fetch the next operation.
                    unsafe { std::arch::asm!("", options(nomem, nostack, preserves_flags)) };
                    jump!($t);
                } else {
                    jump!($f);
                }
            }};
        }
        macro_rules! binary {
            ($d:ident, $a:ident, $y:expr, $sy:expr, $alu:expr, $w:expr) => {{
                let (x, y) = (get!($a), $y);
                let value = alu($alu, $w, x, y).expect("no division");
                let (sx, sy) = (undef!($a), $sy);
                set!($d, value, if sx | sy == 0 { 0 } else { alu_undefined($alu, $w, x, y, sx, sy) });
            }};
        }
        macro_rules! load {
            ($n:tt, $d:expr, $address:expr) => {{
                let address = $address;
                let Some((value, init)) = places.load::<$n>(address) else {
                    fail!(self.bad_access(BadAccess { address, bytes: $n, write: false }));
                };
                race!($n, PLAIN_READ, address);
                if init == all_init($n) {
                    record!($n, Deed::Read, address, value);
                    set!($d, value);
                } else if TRACK {
                    sync!(pc!() - 1);
                    if let Some(fault) = self.argument_not_given(address) {
                        return Leave::Stop(Stop::Fault(fault));
                    }
                    set!($d, value, self.memory.undefined_at(address, init, $n));
                } else {
                    sync!(pc!() - 1);
                    return Leave::Track;
                }
            }};
        }
        macro_rules! store_value {
            ($n:tt, $value:expr, $undefined:expr, $address:expr) => {{
                let (value, undefined, address) = ($value, $undefined, $address);
                let Some(at) = places.locate_writable(address, $n) else {
                    fail!(self.bad_access(BadAccess { address, bytes: $n, write: true }));
                };
                // SAFETY: the place that the address names.
                unsafe { self.memory.store_at::<$n>(address, at, value, undefined) };
                race!($n, PLAIN_WRITE, address);
                record!($n, Deed::Write, address, value);
            }};
        }
        macro_rules! store {
            ($n:tt, $v:expr, $address:expr) => {{ store_value!($n, get!($v), undef!($v), $address) }};
        }
        macro_rules! set_compare {
            ($d:ident, $a:ident, $y:expr, $sy:expr, $p:expr, $w:expr) => {{
                let (x, y) = (get!($a), $y);
                let (sx, sy) = (undef!($a), $sy);
                let unknown = sx | sy != 0 && compare_undefined($p, $w, x, y, sx, sy);
                set!($d, u64::from(compare($p, $w, x, y)), u64::from(unknown));
            }};
        }
        macro_rules! branch_compare {
            ($a:ident, $y:expr, $sy:expr, $p:expr, $w:expr, $t:ident, $f:ident) => {{
                let (x, y) = (get!($a), $y);
                let (sx, sy) = (undef!($a), $sy);
                if sx | sy != 0 && compare_undefined($p, $w, x, y, sx, sy) {
                    fail!(self.uninitialised("a branch depends on it"));
                }
                jump_if!(compare($p, $w, x, y), $t, $f);
            }};
        }
        macro_rules! wide {
            ($a:expr) => {
                u128::from(get!($a)) | u128::from(get!($a + 1)) << 64
            };
        }
        macro_rules! set_wide {
            ($d:expr, $value:expr, $any:expr) => {{
                let value: u128 = $value;
                let s = if $any { !0 } else { 0 };
                set!($d, value as u64, s);
                set!($d + 1, (value >> 64) as u64, s);
            }};
        }
        macro_rules! any_undef {
            ($($s:expr),*) => { TRACK && ($(undef!($s) != 0)||*) };
        }

        // Enters a function with plain arguments, whose slots are listed at `$args`.
        macro_rules! call {
            ($f:expr, $callee:expr, $d:expr, $args:expr, $site:expr) => {{
                if self.thread.frames.len() >= self.limits.stack_frames {
                    fail!(self.stack_overflow());
                }
                let caller = self.thread.frames.last_mut().expect("running");
                caller.pc = pc!();
                let from = caller.base as usize;
                let base = from + program.functions[caller.function as usize].slots as usize + caller.extra as usize;
                if base + $callee.slots as usize > self.thread.slots.len() {
                    self.thread.reserve(base, $callee.slots as usize);
                    slots = unsafe { self.thread.slots.as_mut_ptr().add(from) };
                    undefined = unsafe { self.thread.undefined.as_mut_ptr().add(from) };
                }
                let new_slots = unsafe { slots.add(base - from) };
                let new_undefined = unsafe { undefined.add(base - from) };
                for i in 0..$callee.param_slots as usize {
                    unsafe {
                        let from = *$args.add(i) as usize;
                        *new_slots.add(i) = *slots.add(from);
                        if TRACK {
                            let s = *undefined.add(from);
                            *new_undefined.add(i) = s;
                            self.thread.undefined_slots += u32::from(s != 0);
                        }
                    }
                }
                if $callee.returns_twice {
                    for i in $callee.param_slots as usize..$callee.slots as usize {
                        unsafe { *new_slots.add(i) = 0 };
                    }
                }
                self.thread.frames.push(Frame {
                    function: $f,
                    pc: 0,
                    base: base as u32,
                    ret: $d,
                    extra: 0,
                    first_alloca: self.thread.allocas.len() as u32,
                    call_site: $site,
                });
                code = $callee.code.as_ptr();
                ip = code;
                slots = new_slots;
                undefined = new_undefined;
            }};
        }
        macro_rules! dispatch {
            (
                binary { $($bin:ident $bini:ident $alu:ident $aw:tt,)* }
                compare { $($set:ident $seti:ident $br:ident $bri:ident $pred:ident $pw:tt,)* }
                memory { $($n:tt $ld:ident $ldg:ident $ldx:ident $ldgx:ident $st:ident $stg:ident $stx:ident $stgx:ident,)* }
            ) => {{
                // SAFETY: see above.
                let op = unsafe { &*ip };
                ip = unsafe { ip.add(1) };
                match *op {
                $(
                    Op::$bin { d, a, b } => binary!(d, a, get!(b), undef!(b), Alu::$alu, $aw),
                    Op::$bini { d, a, i } => binary!(d, a, i, 0, Alu::$alu, $aw),
                )*
                $(
                    Op::$set { d, a, b } => set_compare!(d, a, get!(b), undef!(b), Pred::$pred, $pw),
                    Op::$seti { d, a, i } => set_compare!(d, a, i, 0, Pred::$pred, $pw),
                    Op::$br { a, b, t, f } => branch_compare!(a, get!(b), undef!(b), Pred::$pred, $pw, t, f),
                    Op::$bri { a, i, t, f } => branch_compare!(a, i as i64 as u64, 0, Pred::$pred, $pw, t, f),
                )*
                $(
                    Op::$ld { d, a, off } => {
                        need_defined!(a, "an address depends on it");
                        load!($n, d, get!(a).wrapping_add(off as i64 as u64))
                    }
                    Op::$ldg { d, p } => load!($n, d, p),
                    Op::$ldx { d, a, b, scale, off } => {
                        need_defined!(a, "an address depends on it");
                        need_defined!(b, "an index depends on it");
                        load!($n, d, indexed(get!(a), get!(b), scale, off))
                    }
                    Op::$ldgx { scale, d, b, p } => {
                        need_defined!(b, "an index depends on it");
                        load!($n, d, p.wrapping_add(get!(b).wrapping_mul(u64::from(scale))))
                    }
                    Op::$st { v, a, off } => {
                        need_defined!(a, "an address depends on it");
                        store!($n, v, get!(a).wrapping_add(off as i64 as u64))
                    }
                    Op::$stg { v, p } => store!($n, v, p),
                    Op::$stx { v, a, b, scale, off } => {
                        need_defined!(a, "an address depends on it");
                        need_defined!(b, "an index depends on it");
                        store!($n, v, indexed(get!(a), get!(b), scale, off))
                    }
                    Op::$stgx { scale, v, b, p } => {
                        need_defined!(b, "an index depends on it");
                        store!($n, v, p.wrapping_add(get!(b).wrapping_mul(u64::from(scale))))
                    }
                )*
                Op::Mov { d, a } => set!(d, get!(a), undef!(a)),
                Op::Imm { d, i } => set!(d, i),
                Op::Undef { d, w, .. } => {
                    if !TRACK {
                        sync!(pc!() - 1);
                        return Leave::Track;
                    }
                    set!(d, 0, mask(w));
                }
                Op::Freeze { d, a } => set!(d, get!(a)),
                Op::Select { d, c, a, b } => {
                    let value = if get!(c) & 1 != 0 { get!(a) } else { get!(b) };
                    let mut s = 0;
                    if TRACK {
                        s = if get!(c) & 1 != 0 { undef!(a) } else { undef!(b) };
                        if undef!(c) != 0 {
                            s = undef!(a) | undef!(b) | (get!(a) ^ get!(b));
                        }
                    }
                    set!(d, value, s);
                }
                Op::Alu { op, w, d, a, b } => {
                    let (x, y) = (get!(a), get!(b));
                    let (sx, sy) = (undef!(a), undef!(b));
                    if TRACK && sy != 0 && op.is_division() {
                        fail!(self.uninitialised(DIVISION));
                    }
                    let Some(value) = alu(op, w, x, y) else { fail!(self.division_trap(y, w)) };
                    set!(d, value, if sx | sy == 0 { 0 } else { alu_undefined(op, w, x, y, sx, sy) });
                }
                Op::AluI { op, w, d, a, i } => {
                    let x = get!(a);
                    let Some(value) = alu(op, w, x, i) else { fail!(self.division_trap(i, w)) };
                    let sx = undef!(a);
                    set!(d, value, if sx == 0 { 0 } else { alu_undefined(op, w, x, i, sx, 0) });
                }
                Op::SetW { p, w, d, a, b } => {
                    set_compare!(d, a, get!(b), undef!(b), p, w)
                }
                Op::SExt { d, a, from, to } => {
                    set!(d, sext(get!(a), from) as u64 & mask(to), sext(undef!(a), from) as u64 & mask(to))
                }
                Op::SExt32 { d, a } => {
                    set!(d, get!(a) as i32 as i64 as u64, undef!(a) as i32 as i64 as u64)
                }
                Op::Lea { d, a, b, scale, off } => {
                    let value =
                        get!(a).wrapping_add(get!(b).wrapping_mul(scale as i64 as u64)).wrapping_add(off as i64 as u64);
                    set!(d, value, if undef!(a) | undef!(b) != 0 { !0 } else { 0 });
                }
                Op::LeaG { d, b, scale, p } => {
                    let value = p.wrapping_add(get!(b).wrapping_mul(u64::from(scale)));
                    set!(d, value, if undef!(b) != 0 { !0 } else { 0 });
                }
                Op::Bits { op, w, d, a } => {
                    let s = if undef!(a) != 0 { mask(w) } else { 0 };
                    set!(d, bits(op, w, u128::from(get!(a))) as u64, s)
                }
                Op::MinMax { op, w, d, a, b } => {
                    let s = if any_undef!(a, b) { mask(w) } else { 0 };
                    set!(d, min_max(op, w, u128::from(get!(a)), u128::from(get!(b))) as u64, s)
                }
                Op::Overflow { op, w, d, a, b } => {
                    let (value, lost) = overflow(op, w, u128::from(get!(a)), u128::from(get!(b)));
                    let any = any_undef!(a, b);
                    set!(d, value as u64, if any { mask(w) } else { 0 });
                    set!(d + 1, u64::from(lost), u64::from(any));
                }
                Op::Funnel { right, w, d, a, b, c } => {
                    let value = funnel(right, w, u128::from(get!(a)), u128::from(get!(b)), u128::from(get!(c)));
                    set!(d, value as u64, if any_undef!(a, b, c) { mask(w) } else { 0 });
                }
                Op::F64 { op, d, a, b } => {
                    set!(d, f64_op(op, get!(a), get!(b)), if any_undef!(a, b) { !0 } else { 0 })
                }
                Op::F32 { op, d, a, b } => {
                    set!(d, f32_op(op, get!(a), get!(b)), if any_undef!(a, b) { mask(32) } else { 0 })
                }
                Op::F80 { op, d, a, b } => {
                    let value = f80_op(op, f80(get!(a), get!(a + 1)), f80(get!(b), get!(b + 1)));
                    let bits = u128::from(value.mantissa) | u128::from(value.sign_exp) << 64;
                    set_wide!(d, bits, any_undef!(a, a + 1, b, b + 1));
                }
                Op::F80Neg { d, a } => {
                    let any = any_undef!(a, a + 1);
                    set_wide!(d, wide!(a) ^ 1 << 79, any);
                }
                Op::FSet { p, w, d, a, b } => {
                    let (order, any) = match w {
                        32 => {
                            let (x, y) = (f32::from_bits(get!(a) as u32), f32::from_bits(get!(b) as u32));
                            (x.partial_cmp(&y), any_undef!(a, b))
                        }
                        64 => {
                            let (x, y) = (f64::from_bits(get!(a)), f64::from_bits(get!(b)));
                            (x.partial_cmp(&y), any_undef!(a, b))
                        }
                        _ => {
                            let (x, y) = (f80(get!(a), get!(a + 1)), f80(get!(b), get!(b + 1)));
                            (x.partial_cmp(&y), any_undef!(a, a + 1, b, b + 1))
                        }
                    };
                    set!(d, u64::from(float_compare(p, order)), u64::from(any));
                }
                Op::FClass { w, d, a, mask } => {
                    let high = if w == 80 { get!(a + 1) } else { 0 };
                    let any = any_undef!(a);
                    set!(d, u64::from(float_class(w, get!(a), high, mask)), u64::from(any));
                }
                Op::Convert { op, w, d, a } => {
                    let (two_in, two_out) = convert_slots(op, w);
                    let high = if two_in { get!(a + 1) } else { 0 };
                    let any = any_undef!(a) || (two_in && any_undef!(a + 1));
                    let (low, high) = convert(op, w, get!(a), high);
                    let s = if any { !0 } else { 0 };
                    set!(d, low, s);
                    if two_out {
                        set!(d + 1, high, s);
                    }
                }
                Op::Wide { op, w, d, a, b } => {
                    let (x, y) = (wide!(a), wide!(b));
                    let any = any_undef!(a, a + 1, b, b + 1);
                    if any && matches!(op, Alu::And | Alu::Or | Alu::Xor) {
                        // Bit by bit, so that halves may be put together from undefined ones.
                        for half in 0..2 {
                            let (x, y) = (get!(a + half), get!(b + half));
                            let (sx, sy) = (undef!(a + half), undef!(b + half));
                            let value = alu(op, 64, x, y).expect("no division");
                            set!(d + half, value, alu_undefined(op, 64, x, y, sx, sy));
                        }
                    } else if any && matches!(op, Alu::Shl | Alu::LShr | Alu::AShr) && !any_undef!(b, b + 1) {
                        let s = u128::from(undef!(a)) | u128::from(undef!(a + 1)) << 64;
                        let s = alu128(op, w, s, y).expect("no division");
                        let value = alu128(op, w, x, y).expect("no division");
                        set!(d, value as u64, s as u64);
                        set!(d + 1, (value >> 64) as u64, (s >> 64) as u64);
                    } else {
                        if any_undef!(b, b + 1) && op.is_division() {
                            fail!(self.uninitialised(DIVISION));
                        }
                        let Some(value) = alu128(op, w, x, y) else { fail!(self.division_trap(y as u64, w)) };
                        set_wide!(d, value, any);
                    }
                }
                Op::WideSet { p, w, d, a, b } => {
                    let any = any_undef!(a, a + 1, b, b + 1);
                    set!(d, u64::from(compare128(p, w, wide!(a), wide!(b))), u64::from(any));
                }
                Op::WideSExt { d, a, from, to } => {
                    let (value, any) = if from <= 64 {
                        (sext(get!(a), from) as i128 as u128, any_undef!(a))
                    } else {
                        (sext128(wide!(a), from) as u128, any_undef!(a, a + 1))
                    };
                    set_wide!(d, value & mask128(to), any);
                }
                Op::WideMask { d, a, w } => {
                    let s = u128::from(undef!(a)) | u128::from(undef!(a + 1)) << 64;
                    let value = wide!(a) & mask128(w);
                    let s = s & mask128(w);
                    set!(d, value as u64, s as u64);
                    set!(d + 1, (value >> 64) as u64, (s >> 64) as u64);
                }
                Op::WideBits { op, w, d, a } => {
                    let any = any_undef!(a, a + 1);
                    set_wide!(d, bits(op, w, wide!(a)), any);
                }
                Op::WideMinMax { op, w, d, a, b } => {
                    let any = any_undef!(a, a + 1, b, b + 1);
                    set_wide!(d, min_max(op, w, wide!(a), wide!(b)), any);
                }
                Op::WideOverflow { op, w, d, a, b } => {
                    let any = any_undef!(a, a + 1, b, b + 1);
                    let (value, lost) = overflow(op, w, wide!(a), wide!(b));
                    set_wide!(d, value, any);
                    set!(d + 2, u64::from(lost), u64::from(any));
                }
                Op::WideFunnel { right, w, d, a, b, c } => {
                    let any = any_undef!(a, a + 1, b, b + 1, c, c + 1);
                    set_wide!(d, funnel(right, w, wide!(a), wide!(b), wide!(c)), any);
                }
                Op::LdN { n, d, a, off } => {
                    give_up_recording!();
                    need_defined!(a, "an address depends on it");
                    let address = get!(a).wrapping_add(off as i64 as u64);
                    let (value, undefined) = access!(self.memory.load_n(address, u32::from(n)));
                    race_range!(n, PLAIN_READ, address);
                    if undefined == 0 {
                        set!(d, value);
                    } else if TRACK {
                        set!(d, value, undefined);
                    } else {
                        sync!(pc!() - 1);
                        return Leave::Track;
                    }
                }
                Op::StN { n, v, a, off } => {
                    give_up_recording!();
                    need_defined!(a, "an address depends on it");
                    let address = get!(a).wrapping_add(off as i64 as u64);
                    access!(self.memory.store_n(address, u32::from(n), get!(v), undef!(v)));
                    race_range!(n, PLAIN_WRITE, address);
                }
                Op::StI { n, a, off, i } => {
                    need_defined!(a, "an address depends on it");
                    let address = get!(a).wrapping_add(off as i64 as u64);
                    match n {
                        1 => store_value!(1, i, 0, address),
                        2 => store_value!(2, i, 0, address),
                        4 => store_value!(4, i, 0, address),
                        _ => store_value!(8, i, 0, address),
                    }
                }
                Op::Alloca { d, site } => {
                    give_up_recording!();
                    let size = program.allocas[site as usize].size;
                    sync!(pc!() - 1);
                    match self.alloca(site, size) {
                        Ok(address) => set!(d, address),
                        Err(fault) => return Leave::Stop(Stop::Fault(fault)),
                    }
                }
                Op::AllocaN { d, a, site } => {
                    give_up_recording!();
                    need_defined!(a, "the size of a stack object depends on it");
                    let size = u128::from(get!(a)) * u128::from(program.allocas[site as usize].size);
                    sync!(pc!() - 1);
                    match self.alloca(site, u64::try_from(size).unwrap_or(u64::MAX)) {
                        Ok(address) => set!(d, address),
                        Err(fault) => return Leave::Stop(Stop::Fault(fault)),
                    }
                }
                Op::StackSave { d } => set!(d, self.thread.allocas.len() as u64),
                Op::StackRestore { a } => {
                    give_up_recording!();
                    let keep = get!(a) as usize;
                    sync!(pc!() - 1);
                    race_frame_end!(keep);
                    frame_end_released!(keep);
                    self.release_allocas(keep);
                }
                Op::Tls { d, index } => {
                    self.shows_by_thread_local();
                    set!(d, self.thread.thread_locals[index as usize]);
                }
                Op::Jmp { t } => jump!(t),
                Op::Br { c, t, f } => {
                    need_defined!(c, "a branch depends on it");
                    jump_if!(get!(c) & 1 != 0, t, f);
                }
                Op::Switch { a, table } => {
                    need_defined!(a, "a switch depends on it");
                    let target = program.switches[table as usize].target(get!(a), || wide!(a));
                    jump!(target);
                }
                Op::IndirectBr { a } => {
                    need_defined!(a, "a jump depends on it");
                    let here = self.thread.top().function;
                    let target = match code_target(get!(a)) {
                        Some((f, block)) if f == here && block > 0 => {
                            program.functions[f as usize].blocks.get(block as usize - 1).copied().filter(|&t| t != u32::MAX)
                        }
                        _ => None,
                    };
                    let Some(target) = target else {
                        fail!(
                            self.fault(FaultKind::Crash, "computed goto to something that is not a label here".into())
                        )
                    };
                    jump!(target);
                }
                Op::Call { f, d, args } => {
                    burn!();
                    let callee = &program.functions[f as usize];
                    let args = unsafe { program.args.as_ptr().add(args as usize) };
                    call!(f, callee, d, args, 0);
                }
                Op::CallSite { site, d } => {
                    burn!();
                    let described = &program.calls[site as usize];
                    // The usual call through a pointer, and what is unusual.
                    if !TRACK
                        && let Target::Slot(slot) = described.callee
                        && described.byval.is_empty()
                        && let Some((f, 0)) = code_target(get!(slot))
                        && let Some(callee) = program.functions.get(f as usize)
                        && callee.signature == described.signature
                        && !callee.varargs
                    {
                        call!(f, callee, d, described.args.as_ptr(), site + 1);
                    } else {
                        give_up_recording!();
                        sync!(pc!() - 1);
                        let called = if described.tail { self.tail_call(site, d) } else { self.call_site(site, d) };
                        if let Err(fault) = called {
                            return Leave::Stop(Stop::Fault(fault));
                        }
                        enter!();
                    }
                }
                Op::Native { site, d } => {
                    if RECORD && !program.natives[site as usize].native.is_pure() {
                        self.recorder.give_up();
                    }
                    sync!(pc!() - 1);
                    match self.native(site, d) {
                        Ok(After::Next) => {
                            if !TRACK && self.thread.undefined_slots > 0 {
                                sync!(pc!());
                                return Leave::Track;
                            }
                        }
                        // The stack has changed (longjmp): start over from the frame.
                        Ok(After::Reload) => {
                            return if TRACK { Leave::Plain } else { Leave::Track };
                        }
                        Ok(After::Cut) => return Leave::Stop(Stop::Cut),
                        Err(fault) => return Leave::Stop(Stop::Fault(fault)),
                    }
                }
                Op::Ret | Op::RetOne { .. } | Op::RetMany { .. } => {
                    let frame = *self.thread.top();
                    let ret = frame.ret;
                    // Results go straight into the caller's slots.
                    let depth = self.thread.frames.len() - 1;
                    if depth == 0 {
                        fail!(self.fault(FaultKind::Unsupported, "the first function of a thread returned".into()));
                    }
                    if self.thread.allocas.len() > frame.first_alloca as usize {
                        sync!(pc!() - 1);
                        race_frame_end!(frame.first_alloca as usize);
                        // A return from `main` ends the process, and nobody can use the lock any more.
                        if !self.is_in_main() {
                            frame_end_released!(frame.first_alloca as usize);
                        }
                        if RECORD {
                            self.record_release(frame.first_alloca as usize);
                        }
                        self.release_allocas(frame.first_alloca as usize);
                    }
                    self.thread.frames.pop();
                    if RACES {
                        self.memory.races.returned(depth);
                    }
                    self.expose(depth - 1);
                    let callee = slots;
                    let callee_undefined = undefined;
                    enter!();
                    let result = |i: usize, a: usize| unsafe {
                        (ret as usize + i, *callee.add(a), if TRACK { *callee_undefined.add(a) } else { 0 })
                    };
                    match *op {
                        Op::RetOne { a } => {
                            let (d, value, s) = result(0, a as usize);
                            set!(d, value, s);
                        }
                        Op::RetMany { args, n } => {
                            for i in 0..n as usize {
                                let a = unsafe { *program.args.get_unchecked(args as usize + i) };
                                let (d, value, s) = result(i, a as usize);
                                set!(d, value, s);
                            }
                        }
                        _ => {}
                    }
                    if TRACK {
                        // The frame is gone, and what was undefined in it.
                        let callee_slots = program.functions[frame.function as usize].slots as usize;
                        for i in 0..callee_slots + frame.extra as usize {
                            let s = unsafe { std::mem::take(&mut *callee_undefined.add(i)) };
                            self.thread.undefined_slots -= u32::from(s != 0);
                        }
                        if self.thread.undefined_slots == 0 {
                            return Leave::Plain;
                        }
                    }
                }
                Op::Setjmp { d, a } => {
                    give_up_recording!();
                    need_defined!(a, "an address depends on it");
                    sync!(pc!());
                    access!(self.setjmp(get!(a), d));
                    race_range!(32u32, PLAIN_WRITE, get!(a));
                    set!(d, 0);
                }
                Op::Unreachable => {
                    fail!(self.fault(
                        FaultKind::Crash,
                        "execution reached a point that the compiler was promised is never reached".into()
                    ))
                }
                Op::Refuse { message } => {
                    fail!(self.fault(FaultKind::Unsupported, program.messages[message as usize].to_string()))
                }
                Op::Visible { .. } => {
                    sync!(pc!() - 1);
                    return Leave::Stop(Stop::Visible);
                }
                }
            }};
        }

        loop {
            operation_groups!(dispatch);
        }
    }
}

impl Cpu<'_> {
    /// Writes a plain access down; the frame's pc is at it.
    #[cold]
    #[inline(never)]
    fn record(&mut self, bytes: u8, deed: Deed, address: u64, value: u64) {
        let place = if self.memory.races.is_active() {
            self.race_place()
        } else {
            Place { stack: NOWHERE, pc: 0, library: false }
        };
        self.recorder.note(Effect { address, value, bytes, deed, place });
    }
}

impl Cpu<'_> {
    /// The stack objects from `keep` on are about to go.
    #[cold]
    fn record_release(&mut self, keep: usize) {
        let at = self.position().pack();
        for i in (keep..self.thread.allocas.len()).rev() {
            self.record(0, Deed::Release, self.thread.allocas[i], at);
        }
    }
}

/// What follows a native operation.
pub enum After {
    Next,
    Reload,
    Cut,
}

#[inline(always)]
fn indexed(a: u64, b: u64, scale: i32, off: i32) -> u64 {
    a.wrapping_add(b.wrapping_mul(scale as i64 as u64)).wrapping_add(off as i64 as u64)
}

pub fn convert_slots(op: Conv, w: u8) -> (bool, bool) {
    use Conv::*;
    let wide = w > 64;
    match op {
        F32ToF64 | F64ToF32 => (false, false),
        F32ToF80 | F64ToF80 => (false, true),
        F80ToF32 | F80ToF64 => (true, false),
        F32ToSigned | F32ToUnsigned | F64ToSigned | F64ToUnsigned => (false, wide),
        F80ToSigned | F80ToUnsigned => (true, wide),
        SignedToF32 | UnsignedToF32 | SignedToF64 | UnsignedToF64 => (wide, false),
        SignedToF80 | UnsignedToF80 => (wide, true),
    }
}

/// Why an allocation was refused, in words.
pub fn alloc_message(error: AllocError, size: u64, limit: u64) -> String {
    match error {
        AllocError::MemoryLimit if size >= LARGEST => {
            format!("an object of {size} bytes is too large: the machine has room for less than 4 GiB in one")
        }
        AllocError::MemoryLimit => format!(
            "an object of {size} bytes does not fit: the program's memory is limited to {} MiB (raise it with --memory-limit)",
            limit >> 20
        ),
        AllocError::TooManyObjects => {
            "more objects or threads than the machine can name (some 14 million objects, or 3,500 threads at a time): \
             is something made again and again and never freed, or joined?"
                .to_string()
        }
    }
}

//! The register bytecode that functions are lowered to, and the program that it makes up.
//!
//! An operation is 16 bytes. Operands are slots of the running function's frame: 64-bit words, integers zero-extended
//! to 64 bits whatever their width, floats as their bits. Values of more than 64 bits (i128, x86 long double, structs,
//! vectors) take consecutive slots, one a scalar component (two for a wide one); lowering takes them apart.

use rustc_hash::FxHashMap;
use threadbare_core::Operation;
pub use threadbare_ir::RmwOp as Rmw;

use crate::math::MathFn;

pub type Slot = u16;

/// Arithmetic that is not worth an operation of its own, by width.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Alu {
    Add,
    Sub,
    Mul,
    UDiv,
    SDiv,
    URem,
    SRem,
    Shl,
    LShr,
    AShr,
    And,
    Or,
    Xor,
}

impl Alu {
    /// It traps for some divisors.
    pub fn is_division(self) -> bool {
        matches!(self, Alu::UDiv | Alu::SDiv | Alu::URem | Alu::SRem)
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum FAlu {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Pred {
    Eq,
    Ne,
    Ult,
    Ule,
    Ugt,
    Uge,
    Slt,
    Sle,
    Sgt,
    Sge,
}

/// Conversions between scalars; `from` and `to` are the widths of the integer sides in bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Conv {
    F32ToF64,
    F64ToF32,
    F32ToF80,
    F64ToF80,
    F80ToF32,
    F80ToF64,
    F32ToSigned,
    F32ToUnsigned,
    F64ToSigned,
    F64ToUnsigned,
    F80ToSigned,
    F80ToUnsigned,
    SignedToF32,
    UnsignedToF32,
    SignedToF64,
    UnsignedToF64,
    SignedToF80,
    UnsignedToF80,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum BitOp {
    Popcount,
    LeadingZeros,
    TrailingZeros,
    ByteSwap,
    BitReverse,
    Abs,
}

/// Two operands of one width, one result: what intrinsics add to the ALU.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum MinMax {
    SMin,
    SMax,
    UMin,
    UMax,
    SAddSat,
    UAddSat,
    SSubSat,
    USubSat,
    SShlSat,
    UShlSat,
}

/// `llvm.*.with.overflow`: the result, and whether it overflowed in the next slot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Overflow {
    SAdd,
    UAdd,
    SSub,
    USub,
    SMul,
    UMul,
}

/// Primitives of the machine that other threads do not see. `__tb_` is left out in the names.
#[derive(Clone, Copy, Debug)]
pub enum Native {
    Malloc,
    Discard,
    ObjectSize,
    /// The ranges do not overlap, or are the same.
    MemCpy,
    MemMove,
    MemSet,
    Write,
    Read,
    HostFile,
    HostRead,
    SignalDeath,
    AssertFail,
    Unsupported,
    ThreadSelf,
    ThreadIsMain,
    CancelState,
    Assume,
    Error,
    Assert,
    Label,
    Progress,
    Abstract,
    VaStart,
    VaCopy,
    VaEnd,
    Longjmp,
    ThreadDetached,
    /// A function that the library is to call later.
    NeedFunction,
    /// The result of `main`, about to be the exit code.
    MainResult,
    /// A dimension of a variable-length array, a number of so many bits.
    ArrayLength {
        site: u32,
        bits: u8,
    },
    /// The block of a stack object is entered, or left.
    LifetimeStart,
    LifetimeEnd,
    Math(MathFn),
}

impl Native {
    /// Whether it hangs on its operands and its thread alone, and has no effect but its result.
    pub fn is_pure(self) -> bool {
        use Native::*;
        matches!(
            self,
            ThreadSelf | ThreadIsMain | Assume | Assert | NeedFunction | MainResult | ArrayLength { .. } | Math(_)
        )
    }
}

/// The operations that come in groups; `$then` is a macro that gets the table.
///
/// `binary`: with a slot and with a constant as the second operand, then what both compute and at which width.
/// `compare`: into a slot and as a jump, each with a slot and with a constant, then the predicate and the width.
/// `memory`: the number of bytes, then loads and stores by the form of their address.
macro_rules! operation_groups {
    ($then:ident) => {
        $then! {
            binary {
                Add32 Add32I Add 32, Sub32 Sub32I Sub 32, Mul32 Mul32I Mul 32,
                Shl32 Shl32I Shl 32, LShr32 LShr32I LShr 32, AShr32 AShr32I AShr 32,
                Add64 Add64I Add 64, Sub64 Sub64I Sub 64, Mul64 Mul64I Mul 64,
                Shl64 Shl64I Shl 64, LShr64 LShr64I LShr 64, AShr64 AShr64I AShr 64,
                And AndI And 64, Or OrI Or 64, Xor XorI Xor 64,
            }
            compare {
                SetEq SetEqI BrEq BrEqI Eq 64,
                SetNe SetNeI BrNe BrNeI Ne 64,
                SetUlt SetUltI BrUlt BrUltI Ult 64,
                SetUle SetUleI BrUle BrUleI Ule 64,
                SetUgt SetUgtI BrUgt BrUgtI Ugt 64,
                SetUge SetUgeI BrUge BrUgeI Uge 64,
                SetSlt32 SetSlt32I BrSlt32 BrSlt32I Slt 32,
                SetSle32 SetSle32I BrSle32 BrSle32I Sle 32,
                SetSgt32 SetSgt32I BrSgt32 BrSgt32I Sgt 32,
                SetSge32 SetSge32I BrSge32 BrSge32I Sge 32,
                SetSlt64 SetSlt64I BrSlt64 BrSlt64I Slt 64,
                SetSle64 SetSle64I BrSle64 BrSle64I Sle 64,
                SetSgt64 SetSgt64I BrSgt64 BrSgt64I Sgt 64,
                SetSge64 SetSge64I BrSge64 BrSge64I Sge 64,
            }
            memory {
                1 Ld1 LdG1 LdX1 LdGX1 St1 StG1 StX1 StGX1,
                2 Ld2 LdG2 LdX2 LdGX2 St2 StG2 StX2 StGX2,
                4 Ld4 LdG4 LdX4 LdGX4 St4 StG4 StX4 StGX4,
                8 Ld8 LdG8 LdX8 LdGX8 St8 StG8 StX8 StGX8,
            }
        }
    };
}
pub(crate) use operation_groups;

macro_rules! operations {
    (
        binary { $($bin:ident $bini:ident $alu:ident $aw:tt,)* }
        compare { $($set:ident $seti:ident $br:ident $bri:ident $pred:ident $pw:tt,)* }
        memory { $($n:tt $ld:ident $ldg:ident $ldx:ident $ldgx:ident $st:ident $stg:ident $stx:ident $stgx:ident,)* }
    ) => {
        /// One operation. `d` is where the result goes; `a`, `b`, `c` are operands; `i` an immediate operand; `t` and `f`
        /// the positions where execution goes on. Names with a width work on that many low bits.
        #[derive(Clone, Copy, Debug)]
        pub enum Op {
            $( $bin { d: Slot, a: Slot, b: Slot }, $bini { d: Slot, a: Slot, i: u64 }, )*
            $(
                $set { d: Slot, a: Slot, b: Slot },
                $seti { d: Slot, a: Slot, i: u64 },
                $br { a: Slot, b: Slot, t: u32, f: u32 },
                $bri { a: Slot, i: i32, t: u32, f: u32 },
            )*
            $(
                /// The address is `a + off`.
                $ld { d: Slot, a: Slot, off: i32 },
                /// The address is a constant.
                $ldg { d: Slot, p: u64 },
                /// The address is `a + b * scale + off`.
                $ldx { d: Slot, a: Slot, b: Slot, scale: i32, off: i32 },
                /// The address is `p + b * scale`.
                $ldgx { scale: u8, d: Slot, b: Slot, p: u64 },
                $st { v: Slot, a: Slot, off: i32 },
                $stg { v: Slot, p: u64 },
                $stx { v: Slot, a: Slot, b: Slot, scale: i32, off: i32 },
                $stgx { scale: u8, v: Slot, b: Slot, p: u64 },
            )*
            Mov { d: Slot, a: Slot },
            Imm { d: Slot, i: u64 },
            /// An undefined value of `w` bits.
            /// `variable` is its name, an index into `Program::names` plus one; 0 if it has none.
            Undef { d: Slot, w: u8, variable: u32 },
            /// Whatever it was, it is defined from here on.
            Freeze { d: Slot, a: Slot },
            Select { d: Slot, c: Slot, a: Slot, b: Slot },
            Alu { op: Alu, w: u8, d: Slot, a: Slot, b: Slot },
            AluI { op: Alu, w: u8, d: Slot, a: Slot, i: u64 },
            /// Signed comparison at a width that has no operation of its own.
            SetW { p: Pred, w: u8, d: Slot, a: Slot, b: Slot },
            SExt { d: Slot, a: Slot, from: u8, to: u8 },
            SExt32 { d: Slot, a: Slot },
            Lea { d: Slot, a: Slot, b: Slot, scale: i32, off: i32 },
            LeaG { d: Slot, b: Slot, scale: u8, p: u64 },
            Bits { op: BitOp, w: u8, d: Slot, a: Slot },
            MinMax { op: MinMax, w: u8, d: Slot, a: Slot, b: Slot },
            Overflow { op: Overflow, w: u8, d: Slot, a: Slot, b: Slot },
            /// Funnel shift of (a, b) by c; right when `right`.
            Funnel { right: bool, w: u8, d: Slot, a: Slot, b: Slot, c: Slot },
            F64 { op: FAlu, d: Slot, a: Slot, b: Slot },
            F32 { op: FAlu, d: Slot, a: Slot, b: Slot },
            F80 { op: FAlu, d: Slot, a: Slot, b: Slot },
            F80Neg { d: Slot, a: Slot },
            /// `p` has a bit each for less, equal, greater, unordered. `w` is 32, 64 or 80.
            FSet { p: u8, w: u8, d: Slot, a: Slot, b: Slot },
            /// `llvm.is.fpclass`.
            FClass { w: u8, d: Slot, a: Slot, mask: u32 },
            Convert { op: Conv, w: u8, d: Slot, a: Slot },
            /// Two slots each, `w` from 65 to 128.
            Wide { op: Alu, w: u8, d: Slot, a: Slot, b: Slot },
            WideSet { p: Pred, w: u8, d: Slot, a: Slot, b: Slot },
            WideSExt { d: Slot, a: Slot, from: u8, to: u8 },
            WideMask { d: Slot, a: Slot, w: u8 },
            WideBits { op: BitOp, w: u8, d: Slot, a: Slot },
            WideMinMax { op: MinMax, w: u8, d: Slot, a: Slot, b: Slot },
            WideOverflow { op: Overflow, w: u8, d: Slot, a: Slot, b: Slot },
            WideFunnel { right: bool, w: u8, d: Slot, a: Slot, b: Slot, c: Slot },
            /// An odd number of bytes: 3, 5, 6 or 7.
            LdN { n: u8, d: Slot, a: Slot, off: i32 },
            StN { n: u8, v: Slot, a: Slot, off: i32 },
            /// A constant is stored.
            StI { n: u8, a: Slot, off: i32, i: u64 },
            /// A stack object. `site` describes it.
            Alloca { d: Slot, site: u32 },
            /// `a` elements.
            AllocaN { d: Slot, a: Slot, site: u32 },
            StackSave { d: Slot },
            StackRestore { a: Slot },
            /// The address of a thread-local variable.
            Tls { d: Slot, index: u32 },
            Jmp { t: u32 },
            Br { c: Slot, t: u32, f: u32 },
            Switch { a: Slot, table: u32 },
            IndirectBr { a: Slot },
            Call { f: u32, d: Slot, args: u32 },
            /// Through a call site's description: indirect calls, variadic ones, odd signatures.
            CallSite { site: u32, d: Slot },
            Native { site: u32, d: Slot },
            Ret,
            RetOne { a: Slot },
            RetMany { args: u32, n: u16 },
            Setjmp { d: Slot, a: Slot },
            /// Execution must not come here.
            Unreachable,
            /// Something that the machine refuses, by the number of its message.
            Refuse { message: u32 },
            /// A visible operation; what it is stands in `Program::visible`.
            Visible { site: u32, d: Slot },
        }
    };
}

operation_groups!(operations);

const _: () = assert!(std::mem::size_of::<Op>() == 16);

/// A visible operation as the code names it: its kind and where its operands are.
#[derive(Clone, Debug)]
pub struct VisibleSite {
    pub operation: Operation,
    pub detail: VisibleDetail,
    /// Operand slots, in the order of the C call or instruction.
    pub args: Vec<Slot>,
    /// How many slots a library operation's result takes: 0 or 1.
    pub result_slots: u16,
    /// It lies in a loop that can be gone round without an effect.
    pub may_wait: bool,
    /// Nobody needs its result.
    pub in_vain: bool,
}

impl VisibleSite {
    /// What the local code behind it hangs on, of its result.
    #[inline(always)]
    pub fn what_matters(&self, result: u64) -> u64 {
        if self.in_vain { 0 } else { result }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum VisibleDetail {
    /// A library operation: all is in `Operation`.
    Library,
    /// An atomic or volatile access of `bytes` bytes at `args[0] + offset`; value operands follow (two slots for more
    /// than 8 bytes). Results go to consecutive slots.
    Access {
        bytes: u8,
        offset: i32,
        bits: u8,
        ordering: Atomicity,
    },
    Rmw {
        op: Rmw,
        bytes: u8,
        bits: u8,
        ordering: Atomicity,
    },
    Cas {
        bytes: u8,
        ordering: Atomicity,
        /// The order of the load when the comparison fails.
        failure: Atomicity,
    },
    Fence {
        ordering: Atomicity,
    },
    /// A `memcpy`/`memmove` (to, from, n) or `memset` (to, byte, n) that changes what an invariant looks at.
    Copy,
    Set,
}

/// What C11 calls the memory order; plain volatile accesses are `Volatile`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Atomicity {
    /// None: a plain access that is visible because an invariant looks at what it changes.
    Plain,
    Volatile,
    Relaxed,
    Acquire,
    Release,
    AcqRel,
    SeqCst,
}

/// A call that needs more than a function and arguments.
#[derive(Clone, Debug)]
pub struct CallSite {
    pub callee: Target,
    /// Fixed and variadic arguments, one slot a component.
    pub args: Vec<Slot>,
    /// How many of `args` belong to the parameters of the call's function type.
    pub fixed: u16,
    /// The scalar classes of all arguments, for signature checks and `va_start`.
    pub classes: Vec<ArgClass>,
    pub result_slots: u16,
    pub result_classes: Vec<ArgClass>,
    /// Copies of `byval` arguments: (position in `args`, bytes). The callee gets the copy.
    pub byval: Vec<(u16, u64)>,
    pub varargs: bool,
    /// The callee takes the place of the caller, which returns at once.
    pub tail: bool,
    /// The number of its classes, arguments and results; see `Function::signature`.
    pub signature: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Target {
    Function(u32),
    Slot(Slot),
}

/// How an argument travels under the x86-64 System V rules; what a callee may confuse and what not.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ArgClass {
    /// An integer or pointer of up to 64 bits.
    Word,
    /// Both halves of an i128.
    Wide,
    F32,
    F64,
    F80,
    /// A vector in a register: so many components of so many bits.
    Packed {
        count: u8,
        bits: u8,
    },
    /// A structure in memory.
    ByVal {
        size: u32,
        align: u32,
    },
}

impl ArgClass {
    pub fn slots(self) -> u16 {
        match self {
            ArgClass::Wide | ArgClass::F80 => 2,
            ArgClass::Packed { count, .. } => count.into(),
            _ => 1,
        }
    }
}

#[derive(Clone, Debug)]
pub struct NativeSite {
    pub native: Native,
    pub args: Vec<Slot>,
    pub result_slots: u16,
}

/// What an `alloca` makes.
#[derive(Clone, Debug)]
pub struct AllocaSite {
    /// Bytes, or bytes per element for `AllocaN`.
    pub size: u64,
    pub align: u64,
    /// Its address may outlive the frame: keep the id out of use after the frame is gone.
    pub escapes: bool,
    /// The variable's name, where debug information tells.
    pub name: Option<Box<str>>,
    /// Where it is declared, an index into `Program::locations` plus one; 0 is unknown.
    pub declared: u32,
    /// Memory that the program has asked for by `alloca`.
    pub asked: bool,
}

#[derive(Clone, Debug)]
pub struct SwitchTable {
    pub default: u32,
    pub kind: SwitchKind,
}

impl SwitchTable {
    /// Where a value leads; `wide` gives it if it has more than 64 bits.
    #[inline(always)]
    pub fn target(&self, value: u64, wide: impl FnOnce() -> u128) -> u32 {
        let target = match &self.kind {
            SwitchKind::Dense { low, targets } => targets.get(value.wrapping_sub(*low) as usize).copied(),
            SwitchKind::Sparse(map) => map.get(&value).copied(),
            SwitchKind::Wide(map) => map.get(&wide()).copied(),
        };
        target.unwrap_or(self.default)
    }
}

#[derive(Clone, Debug)]
pub enum SwitchKind {
    /// `targets[value - low]`.
    Dense {
        low: u64,
        targets: Vec<u32>,
    },
    Sparse(FxHashMap<u64, u32>),
    /// More than 64 bits wide: (high, low) halves; operands are two slots.
    Wide(FxHashMap<u128, u32>),
}

/// A position in the source.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Location {
    pub file: u32,
    pub line: u32,
    pub column: u32,
    /// The name of the function that the source line belongs to (another one than the code's where it was inlined).
    pub function: u32,
    /// Module and block of the source that it lies in.
    pub scope: (u16, threadbare_ir::MdId),
    /// Where the inlined call stands, as a location of its own plus one; 0 if it was not inlined.
    pub inlined_at: u32,
}

/// Where a source variable lives from a position on.
#[derive(Clone, Debug)]
pub struct Variable {
    /// From in front of this operation on, or from behind it.
    pub pc: u32,
    pub behind: bool,
    pub name: Box<str>,
    /// Module and metadata node of its type.
    pub ty: Option<(u16, threadbare_ir::MdId)>,
    /// The same of its declaration.
    pub declaration: (u16, threadbare_ir::MdId),
    pub place: Place,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    Slot(Slot),
    /// The slot holds the variable's address.
    Address(Slot),
    Constant(u64),
    /// From here on it has no value.
    NeverSet,
    /// From here on nobody knows.
    Unknown,
}

#[derive(Clone, Debug)]
pub struct Function {
    pub name: Box<str>,
    pub code: Vec<Op>,
    pub slots: u32,
    pub param_slots: u16,
    pub params: Vec<ArgClass>,
    pub results: Vec<ArgClass>,
    /// The number of its classes, parameters and results: a call site of the same number fits.
    pub signature: u32,
    pub varargs: bool,
    /// Part of the runtime: reports name the program's frame that called it.
    pub library: bool,
    /// Calls setjmp: every slot counts as live, and frames start out zeroed.
    pub returns_twice: bool,
    /// It may be called through a pointer.
    pub address_taken: bool,
    /// Source location of each operation, an index into `Program::locations` plus one; 0 is unknown.
    pub locations: Vec<u32>,
    /// For each operation at which a frame may rest (a visible one, and the first): the number of its list of live slots
    /// plus one; 0 elsewhere.
    pub live_resting: Vec<u32>,
    /// The same for calls: what the frame still needs when the callee returns, without the result.
    pub live_calling: Vec<u32>,
    /// Where each list starts and ends in `live_slots`.
    pub live_lists: Vec<(u32, u32)>,
    pub live_slots: Vec<Slot>,
    /// Slots that hold, at one time or another, what nobody needs: it is neither saved nor restored. Sorted.
    pub in_vain: Vec<Slot>,
    /// Position of each basic block that a `blockaddress` or `setjmp` names.
    pub blocks: Vec<u32>,
    pub variables: Vec<Variable>,
}

/// A variable of static storage.
#[derive(Clone, Debug)]
pub struct GlobalVar {
    pub name: Box<str>,
    /// As the linker calls it: a static variable of a function has the name of that before its own.
    pub symbol: Box<str>,
    pub size: u64,
    pub align: u64,
    pub constant: bool,
    pub address: u64,
    /// Initial bytes (trailing zeros left out), and which of them are undefined (ranges).
    pub bytes: Vec<u8>,
    pub undefined: Vec<(u64, u64)>,
    pub library: bool,
    pub ty: Option<(u16, threadbare_ir::MdId)>,
    pub file: u32,
    pub line: u32,
}

/// Everything that does not change while a program runs.
#[derive(Default)]
pub struct Program {
    pub functions: Vec<Function>,
    pub globals: Vec<GlobalVar>,
    /// Templates of thread-local variables; every thread gets its own copies.
    pub thread_locals: Vec<GlobalVar>,
    pub args: Vec<Slot>,
    pub calls: Vec<CallSite>,
    pub natives: Vec<NativeSite>,
    pub visibles: Vec<VisibleSite>,
    pub allocas: Vec<AllocaSite>,
    pub switches: Vec<SwitchTable>,
    pub messages: Vec<Box<str>>,
    pub locations: Vec<Location>,
    pub files: Vec<Box<str>>,
    pub names: Vec<Box<str>>,
    /// The function that runs the main thread, `__tb_start`.
    pub entry: u32,
    /// The modules without their code: types by debug information.
    pub debug: Vec<threadbare_ir::Module>,
    /// Some constant was computed from addresses (their exclusive or, one half of one …): it cannot be told any more what
    /// is an address.
    pub mixed_addresses: bool,
    /// Some thread may cancel another.
    pub cancels: bool,
    /// Nobody looks whether a thread has ended, cancels or detaches one: threads are waited for by plain joins alone, and
    /// no operation races with a thread's start or end.
    pub plain_threads: bool,
    /// The outcome of some operation may hang on what memory holds: a compare-exchange, a read-modify-write, or an access
    /// in a loop that may wait.
    pub compares: bool,
    /// A function of the program that aborts is taken for an `assume` (`nondet`).
    pub assumes_by_abort: bool,
    /// Functions that may be called through a pointer.
    pub address_taken: rustc_hash::FxHashSet<u32>,
    /// Somebody looks at the time.
    pub reads_clock: bool,
    /// Whether there is a compare-exchange that may fail without a reason.
    pub weak_exchanges: bool,
    /// What of it is not executed, in words.
    pub foreign: Vec<String>,
    /// What is to hold in every state.
    pub invariants: Vec<crate::invariants::Invariant>,
    /// What stored states are known by.
    pub matching: crate::matching::Matching,
    /// Points of the program that properties may name.
    pub labels: crate::labels::Labels,
    /// A function that stands still at once: those of invariants are called from it.
    pub rest: u32,
    /// What its code may touch, once somebody asks.
    pub(crate) may_access: std::sync::OnceLock<crate::may_access::MayAccess>,
}

impl Program {
    /// The number of one of its visible operations.
    #[inline(always)]
    pub(crate) fn number_of(&self, site: &VisibleSite) -> usize {
        (std::ptr::from_ref(site).addr() - self.visibles.as_ptr().addr()) / size_of::<VisibleSite>()
    }

    /// Numbers the signatures of functions and call sites, so that a call can see at once that they fit.
    pub(crate) fn number_signatures(&mut self) {
        let mut numbers = FxHashMap::default();
        let mut number = |arguments: &[ArgClass], results: &[ArgClass]| {
            let next = numbers.len() as u32;
            *numbers.entry((arguments.to_vec(), results.to_vec())).or_insert(next)
        };
        for function in &mut self.functions {
            function.signature = number(&function.params, &function.results);
        }
        for site in &mut self.calls {
            // A call that is more than an entry is not to be taken for one.
            site.signature = if site.tail { u32::MAX } else { number(&site.classes, &site.result_classes) };
        }
    }
}

impl Function {
    /// An empty function, to be filled.
    pub(crate) fn default_for_swap() -> Function {
        Function {
            name: "".into(),
            code: Vec::new(),
            slots: 0,
            param_slots: 0,
            params: Vec::new(),
            results: Vec::new(),
            signature: 0,
            varargs: false,
            library: false,
            returns_twice: false,
            address_taken: false,
            locations: Vec::new(),
            live_resting: Vec::new(),
            live_calling: Vec::new(),
            live_lists: Vec::new(),
            live_slots: Vec::new(),
            in_vain: Vec::new(),
            blocks: Vec::new(),
            variables: Vec::new(),
        }
    }

    /// The slots that matter to a frame whose next operation is `pc`: it rests there, or has called another function
    /// just before. None where no frame rests: the execution ended in the middle of local code.
    #[inline]
    pub fn live(&self, pc: u32, resting: bool) -> &[Slot] {
        let list = if resting { self.live_resting[pc as usize] } else { self.live_calling[pc as usize - 1] } as usize;
        match self.live_lists.get(list.wrapping_sub(1)) {
            Some(&(start, end)) => &self.live_slots[start as usize..end as usize],
            None => &[],
        }
    }
}

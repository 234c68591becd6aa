//! The words of the grammar that come in lists, as tables.
//!
//! A word that is in no table is an error: LLVM adds words with every release, and one that we skipped might have
//! changed what the program means.

use crate::module::{BinOp, CastOp, FloatPred, IntPred, Linkage, Ordering, RmwOp};

/// A list of words with what they stand for.
pub(super) type Table<T> = [(&'static str, T)];

pub(super) fn find<T: Copy>(table: &Table<T>, word: &str) -> Option<T> {
    table.iter().find(|(entry, _)| *entry == word).map(|&(_, value)| value)
}

pub(super) const LINKAGES: &Table<Linkage> = &[
    ("private", Linkage::Private),
    ("internal", Linkage::Internal),
    ("weak", Linkage::Weak),
    ("weak_odr", Linkage::WeakOdr),
    ("linkonce", Linkage::LinkOnce),
    ("linkonce_odr", Linkage::LinkOnceOdr),
    ("available_externally", Linkage::AvailableExternally),
    ("appending", Linkage::Appending),
    ("common", Linkage::Common),
    ("extern_weak", Linkage::ExternWeak),
    ("external", Linkage::External),
];

pub(super) const PREEMPTION: &[&str] = &["dso_local", "dso_preemptable"];
pub(super) const VISIBILITY: &[&str] = &["default", "hidden", "protected"];
pub(super) const DLL_STORAGE: &[&str] = &["dllimport", "dllexport"];
pub(super) const UNNAMED_ADDR: &[&str] = &["unnamed_addr", "local_unnamed_addr"];
pub(super) const TLS_MODELS: &[&str] = &["localdynamic", "initialexec", "localexec"];
pub(super) const COMDAT_KINDS: &[&str] = &["any", "exactmatch", "largest", "nodeduplicate", "samesize"];
pub(super) const CODE_MODELS: &[&[u8]] = &[b"tiny", b"small", b"kernel", b"medium", b"large"];
/// What an alias may mean besides a name.
pub(super) const ALIASEE_EXPRESSIONS: &[&str] = &["addrspacecast", "bitcast", "getelementptr", "inttoptr"];
pub(super) const GLOBAL_SANITIZER_WORDS: &[&str] =
    &["no_sanitize_address", "no_sanitize_hwaddress", "sanitize_memtag", "sanitize_address_dyninit"];

/// Calls that pass arguments as C does, or that only say how the backend may do it.
pub(super) const CALLING_CONVENTIONS: &[&str] = &["ccc", "fastcc", "coldcc"];

pub(super) const BINARY_OPS: &Table<BinOp> = &[
    ("add", BinOp::Add),
    ("sub", BinOp::Sub),
    ("mul", BinOp::Mul),
    ("udiv", BinOp::UDiv),
    ("sdiv", BinOp::SDiv),
    ("urem", BinOp::URem),
    ("srem", BinOp::SRem),
    ("shl", BinOp::Shl),
    ("lshr", BinOp::LShr),
    ("ashr", BinOp::AShr),
    ("and", BinOp::And),
    ("or", BinOp::Or),
    ("xor", BinOp::Xor),
    ("fadd", BinOp::FAdd),
    ("fsub", BinOp::FSub),
    ("fmul", BinOp::FMul),
    ("fdiv", BinOp::FDiv),
    ("frem", BinOp::FRem),
];

pub(super) const CASTS: &Table<CastOp> = &[
    ("trunc", CastOp::Trunc),
    ("zext", CastOp::ZExt),
    ("sext", CastOp::SExt),
    ("fptrunc", CastOp::FpTrunc),
    ("fpext", CastOp::FpExt),
    ("fptoui", CastOp::FpToUi),
    ("fptosi", CastOp::FpToSi),
    ("uitofp", CastOp::UiToFp),
    ("sitofp", CastOp::SiToFp),
    ("ptrtoint", CastOp::PtrToInt),
    ("inttoptr", CastOp::IntToPtr),
    ("bitcast", CastOp::BitCast),
    ("addrspacecast", CastOp::AddrSpaceCast),
];

pub(super) const INT_PREDICATES: &Table<IntPred> = &[
    ("eq", IntPred::Eq),
    ("ne", IntPred::Ne),
    ("ugt", IntPred::Ugt),
    ("uge", IntPred::Uge),
    ("ult", IntPred::Ult),
    ("ule", IntPred::Ule),
    ("sgt", IntPred::Sgt),
    ("sge", IntPred::Sge),
    ("slt", IntPred::Slt),
    ("sle", IntPred::Sle),
];

pub(super) const FLOAT_PREDICATES: &Table<FloatPred> = &[
    ("false", FloatPred::False),
    ("oeq", FloatPred::Oeq),
    ("ogt", FloatPred::Ogt),
    ("oge", FloatPred::Oge),
    ("olt", FloatPred::Olt),
    ("ole", FloatPred::Ole),
    ("one", FloatPred::One),
    ("ord", FloatPred::Ord),
    ("ueq", FloatPred::Ueq),
    ("ugt", FloatPred::Ugt),
    ("uge", FloatPred::Uge),
    ("ult", FloatPred::Ult),
    ("ule", FloatPred::Ule),
    ("une", FloatPred::Une),
    ("uno", FloatPred::Uno),
    ("true", FloatPred::True),
];

pub(super) const ORDERINGS: &Table<Ordering> = &[
    ("unordered", Ordering::Unordered),
    ("monotonic", Ordering::Monotonic),
    ("acquire", Ordering::Acquire),
    ("release", Ordering::Release),
    ("acq_rel", Ordering::AcqRel),
    ("seq_cst", Ordering::SeqCst),
];

pub(super) const RMW_OPS: &Table<RmwOp> = &[
    ("xchg", RmwOp::Xchg),
    ("add", RmwOp::Add),
    ("sub", RmwOp::Sub),
    ("and", RmwOp::And),
    ("nand", RmwOp::Nand),
    ("or", RmwOp::Or),
    ("xor", RmwOp::Xor),
    ("max", RmwOp::Max),
    ("min", RmwOp::Min),
    ("umax", RmwOp::UMax),
    ("umin", RmwOp::UMin),
    ("fadd", RmwOp::FAdd),
    ("fsub", RmwOp::FSub),
    ("fmax", RmwOp::FMax),
    ("fmin", RmwOp::FMin),
    ("uinc_wrap", RmwOp::UIncWrap),
    ("udec_wrap", RmwOp::UDecWrap),
];

pub(super) const FAST_MATH: &[&str] = &["fast", "nnan", "ninf", "nsz", "arcp", "contract", "afn", "reassoc"];

/// What follows the word of an attribute.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Shape {
    Flag,
    /// `(ty)`
    Type,
    /// `(n)`
    Number,
    /// `(n)`, or `n` and in groups `=n`
    Align,
    /// `(n)` or `(n, m)`
    Numbers,
    /// `("…")`
    Text,
    /// `(sync)`, `(async)` or nothing
    UwTable,
    /// `(read, argmem: none)`
    Memory,
    /// `(nan inf)` or `(n)`
    FpClasses,
    /// `(ty lo, hi)`
    Range,
    /// `((lo, hi), …)`
    Initializes,
    /// `(address, ret: provenance)`
    Captures,
}

/// Where an attribute may stand, as a set of bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Place(u8);

impl Place {
    pub const PARAM: Place = Place(1);
    pub const RESULT: Place = Place(2);
    pub const FUNCTION: Place = Place(4);
    const VALUE: Place = Place(1 | 2);
    const PARAM_OR_FUNCTION: Place = Place(1 | 4);

    pub fn allows(self, place: Place) -> bool {
        self.0 & place.0 != 0
    }

    pub fn plural(self) -> &'static str {
        match self {
            Place::PARAM => "parameters",
            Place::RESULT => "results",
            _ => "functions",
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Attribute {
    pub word: &'static str,
    pub shape: Shape,
    pub place: Place,
}

const fn attribute(word: &'static str, shape: Shape, place: Place) -> Attribute {
    Attribute { word, shape, place }
}

const fn on_function(word: &'static str) -> Attribute {
    attribute(word, Shape::Flag, Place::FUNCTION)
}

const fn on_param(word: &'static str) -> Attribute {
    attribute(word, Shape::Flag, Place::PARAM)
}

const fn on_value(word: &'static str) -> Attribute {
    attribute(word, Shape::Flag, Place::VALUE)
}

/// Sorted by word, for the binary search.
pub(super) const ATTRIBUTES: &[Attribute] = &[
    attribute("align", Shape::Align, Place::VALUE),
    attribute("alignstack", Shape::Align, Place::PARAM_OR_FUNCTION),
    on_param("allocalign"),
    attribute("allockind", Shape::Text, Place::FUNCTION),
    on_param("allocptr"),
    attribute("allocsize", Shape::Numbers, Place::FUNCTION),
    on_function("alwaysinline"),
    on_function("builtin"),
    attribute("byref", Shape::Type, Place::PARAM),
    attribute("byval", Shape::Type, Place::PARAM),
    attribute("captures", Shape::Captures, Place::PARAM),
    on_function("cold"),
    on_function("convergent"),
    on_function("coro_elide_safe"),
    on_function("coro_only_destroy_when_complete"),
    on_param("dead_on_unwind"),
    attribute("dereferenceable", Shape::Number, Place::VALUE),
    attribute("dereferenceable_or_null", Shape::Number, Place::VALUE),
    on_function("disable_sanitizer_instrumentation"),
    attribute("elementtype", Shape::Type, Place::PARAM),
    on_function("fn_ret_thunk_extern"),
    on_function("hot"),
    on_function("hybrid_patchable"),
    on_param("immarg"),
    attribute("inalloca", Shape::Type, Place::PARAM),
    attribute("initializes", Shape::Initializes, Place::PARAM),
    on_function("inlinehint"),
    on_value("inreg"),
    on_function("jumptable"),
    attribute("memory", Shape::Memory, Place::FUNCTION),
    on_function("minsize"),
    on_function("mustprogress"),
    on_function("naked"),
    on_param("nest"),
    on_value("noalias"),
    on_function("nobuiltin"),
    on_function("nocallback"),
    on_param("nocapture"),
    on_function("nocf_check"),
    on_function("nodivergencesource"),
    on_function("noduplicate"),
    attribute("nofpclass", Shape::FpClasses, Place::VALUE),
    attribute("nofree", Shape::Flag, Place::PARAM_OR_FUNCTION),
    on_function("noimplicitfloat"),
    on_function("noinline"),
    on_function("nomerge"),
    on_function("nonlazybind"),
    on_value("nonnull"),
    on_function("noprofile"),
    on_function("norecurse"),
    on_function("noredzone"),
    on_function("noreturn"),
    on_function("nosanitize_bounds"),
    on_function("nosanitize_coverage"),
    on_function("nosync"),
    on_value("noundef"),
    on_function("nounwind"),
    on_function("null_pointer_is_valid"),
    on_function("optdebug"),
    on_function("optforfuzzing"),
    on_function("optnone"),
    on_function("optsize"),
    attribute("preallocated", Shape::Type, Place::PARAM_OR_FUNCTION),
    on_function("presplitcoroutine"),
    attribute("range", Shape::Range, Place::VALUE),
    attribute("readnone", Shape::Flag, Place::PARAM_OR_FUNCTION),
    attribute("readonly", Shape::Flag, Place::PARAM_OR_FUNCTION),
    on_param("returned"),
    on_function("returns_twice"),
    on_function("safestack"),
    on_function("sanitize_address"),
    on_function("sanitize_hwaddress"),
    on_function("sanitize_memory"),
    on_function("sanitize_memtag"),
    on_function("sanitize_numerical_stability"),
    on_function("sanitize_realtime"),
    on_function("sanitize_thread"),
    on_function("shadowcallstack"),
    on_value("signext"),
    on_function("skipprofile"),
    on_function("speculatable"),
    on_function("speculative_load_hardening"),
    attribute("sret", Shape::Type, Place::PARAM),
    on_function("ssp"),
    on_function("sspreq"),
    on_function("sspstrong"),
    on_function("strictfp"),
    on_param("swiftasync"),
    on_param("swifterror"),
    on_param("swiftself"),
    attribute("uwtable", Shape::UwTable, Place::FUNCTION),
    attribute("vscale_range", Shape::Numbers, Place::FUNCTION),
    on_function("willreturn"),
    on_param("writable"),
    attribute("writeonly", Shape::Flag, Place::PARAM_OR_FUNCTION),
    on_value("zeroext"),
];

pub(super) fn find_attribute(word: &str) -> Option<Attribute> {
    ATTRIBUTES.binary_search_by(|entry| entry.word.cmp(word)).ok().map(|index| ATTRIBUTES[index])
}

pub(super) const MEMORY_EFFECTS: &[&str] = &["none", "read", "write", "readwrite"];
pub(super) const MEMORY_PLACES: &[&str] = &["argmem", "inaccessiblemem", "errnomem"];
pub(super) const CAPTURE_KINDS: &[&str] = &["none", "address", "address_is_null", "provenance", "read_provenance"];
pub(super) const FP_CLASSES: &[&str] = &[
    "all", "nan", "snan", "qnan", "inf", "ninf", "pinf", "norm", "nnorm", "pnorm", "sub", "nsub", "psub", "zero",
    "nzero", "pzero",
];

/// The kinds of metadata that may be attached to an instruction, a function or a global.
pub(super) const ATTACHMENTS: &[&str] = &[
    "dbg",
    "tbaa",
    "llvm.loop",
    "srcloc",
    "prof",
    "range",
    "noundef",
    "nonnull",
    "align",
    "tbaa.struct",
    "alias.scope",
    "noalias",
    "fpmath",
    "invariant.load",
    "invariant.group",
    "nontemporal",
    "llvm.mem.parallel_loop_access",
    "llvm.access.group",
    "dereferenceable",
    "dereferenceable_or_null",
    "make.implicit",
    "unpredictable",
    "type",
    "section_prefix",
    "absolute_symbol",
    "associated",
    "callees",
    "irr_loop",
    "callback",
    "llvm.preserve.access.index",
    "vcall_visibility",
    "annotation",
    "auto-init",
    "nosanitize",
    "func_sanitize",
    "exclude",
    "memprof",
    "callsite",
    "kcfi_type",
    "pcsections",
    "DIAssignID",
    "coro.outside.frame",
    "mmra",
    "heapallocsite",
    "implicit.ref",
    "PGOFuncName",
    "guid",
    "unique_id",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_are_sorted() {
        assert!(ATTRIBUTES.is_sorted_by(|a, b| a.word < b.word));
    }

    #[test]
    fn every_attribute_is_found() {
        for entry in ATTRIBUTES {
            assert_eq!(find_attribute(entry.word).map(|a| a.shape), Some(entry.shape));
        }
        assert!(find_attribute("nosuch").is_none());
    }
}

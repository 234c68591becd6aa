//! The IR as our own types: what a module of textual LLVM IR says, and nothing of how it was written.
//!
//! Types are interned (`TypeId` is `Copy`, equality is identity). Locals and blocks are dense numbers within
//! their function, so that a consumer indexes arrays and never hashes names. Constants are trees; every operand
//! carries its type. Metadata is kept as generic nodes with named fields: `debug` gives them meaning.

use rustc_hash::{FxHashMap, FxHashSet};

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct TypeId(pub u32);

/// A local value of a function: parameters first (`0..params.len()`), then results in order of appearance.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct LocalId(pub u32);

/// A basic block of a function, in order of appearance; block 0 is the entry.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct BlockId(pub u32);

/// A numbered metadata node `!n`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct MdId(pub u32);

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FloatKind {
    Half,
    BFloat,
    Float,
    Double,
    X86Fp80,
    Fp128,
}

impl FloatKind {
    /// The width of the value (an `x86_fp80` occupies more in memory).
    pub fn bits(self) -> u32 {
        match self {
            FloatKind::Half | FloatKind::BFloat => 16,
            FloatKind::Float => 32,
            FloatKind::Double => 64,
            FloatKind::X86Fp80 => 80,
            FloatKind::Fp128 => 128,
        }
    }
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Type {
    Void,
    Int(u32),
    Float(FloatKind),
    Ptr,
    Label,
    Metadata,
    Token,
    Array(u64, TypeId),
    Vector(u64, TypeId),
    Struct {
        fields: Vec<TypeId>,
        packed: bool,
    },
    /// `%struct.S`; its body is `Types::body`.
    Named(String),
    Func {
        ret: TypeId,
        params: Vec<TypeId>,
        varargs: bool,
    },
}

/// The interned types of a module and the bodies of its named structs.
#[derive(Clone, Debug, Default)]
pub struct Types {
    pub(crate) list: Vec<Type>,
    pub(crate) index: FxHashMap<Type, TypeId>,
    /// Body of a named struct, absent while opaque.
    pub(crate) bodies: FxHashMap<TypeId, TypeId>,
}

impl Types {
    pub fn get(&self, id: TypeId) -> &Type {
        &self.list[id.0 as usize]
    }

    pub fn intern(&mut self, ty: Type) -> TypeId {
        if let Some(&id) = self.index.get(&ty) {
            return id;
        }
        let id = TypeId(self.list.len() as u32);
        self.list.push(ty.clone());
        self.index.insert(ty, id);
        id
    }

    /// The type behind a name: a named struct's body, any other type itself. `None` for an opaque struct.
    pub fn resolve(&self, id: TypeId) -> Option<TypeId> {
        match self.get(id) {
            Type::Named(_) => self.bodies.get(&id).copied(),
            _ => Some(id),
        }
    }
}

#[derive(Clone, PartialEq, Debug)]
pub struct Operand {
    pub ty: TypeId,
    pub value: Value,
}

#[derive(Clone, PartialEq, Debug)]
pub enum Value {
    Local(LocalId),
    Const(Const),
}

#[derive(Clone, PartialEq, Debug)]
pub enum Const {
    /// Two's complement in the low bits, zero above the type's width.
    Int(u128),
    /// An integer of more than 128 bits: limbs of 64 bits, lowest first, as many as its type needs; two's complement,
    /// zero above the type's width.
    WideInt(Vec<u64>),
    /// The bit pattern in the operand's own format (a `float` is 32 bits, an `x86_fp80` 80 bits).
    Float(u128),
    Null,
    Undef,
    Poison,
    Zero,
    /// The elements of a struct, array or vector.
    Aggregate(Vec<ConstOperand>),
    /// `c"…"`, unescaped.
    Bytes(Vec<u8>),
    /// `splat (ty v)`.
    Splat(Box<ConstOperand>),
    /// `@name`: a global, function, alias or ifunc.
    Global(String),
    BlockAddress {
        function: String,
        block: BlockRef,
    },
    Gep {
        source: TypeId,
        args: Vec<ConstOperand>,
    },
    Cast {
        op: CastOp,
        from: Box<ConstOperand>,
        to: TypeId,
    },
    Binary {
        op: BinOp,
        lhs: Box<ConstOperand>,
        rhs: Box<ConstOperand>,
    },
    /// `icmp`/`fcmp`, `select`, `extractelement` … as constant expressions no longer exist in LLVM 19.
    Metadata(Box<MdValue>),
}

#[derive(Clone, PartialEq, Debug)]
pub struct ConstOperand {
    pub ty: TypeId,
    pub value: Const,
}

/// The target of a `blockaddress`: a name until the whole module is read, then a number of that function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum BlockRef {
    Name(String),
    Id(BlockId),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum BinOp {
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
    FAdd,
    FSub,
    FMul,
    FDiv,
    FRem,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum CastOp {
    Trunc,
    ZExt,
    SExt,
    FpTrunc,
    FpExt,
    FpToUi,
    FpToSi,
    UiToFp,
    SiToFp,
    PtrToInt,
    IntToPtr,
    BitCast,
    AddrSpaceCast,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum IntPred {
    Eq,
    Ne,
    Ugt,
    Uge,
    Ult,
    Ule,
    Sgt,
    Sge,
    Slt,
    Sle,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum FloatPred {
    False,
    Oeq,
    Ogt,
    Oge,
    Olt,
    Ole,
    One,
    Ord,
    Ueq,
    Ugt,
    Uge,
    Ult,
    Ule,
    Une,
    Uno,
    True,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, PartialOrd, Ord)]
pub enum Ordering {
    NotAtomic,
    /// A plain access that is to be seen like an atomic one. No text has it: passes over the code say so.
    Observed,
    Unordered,
    Monotonic,
    Acquire,
    Release,
    AcqRel,
    SeqCst,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum RmwOp {
    Xchg,
    Add,
    Sub,
    And,
    Nand,
    Or,
    Xor,
    Max,
    Min,
    UMax,
    UMin,
    FAdd,
    FSub,
    FMax,
    FMin,
    UIncWrap,
    UDecWrap,
}

/// What of an instruction's `nsw`, `nuw`, `exact` … a checker may care about. Fast-math flags are read and dropped.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ArithFlags {
    pub nuw: bool,
    pub nsw: bool,
    pub exact: bool,
}

#[derive(Clone, PartialEq, Debug)]
pub enum InstKind {
    Binary {
        op: BinOp,
        flags: ArithFlags,
        lhs: Operand,
        rhs: Value,
    },
    FNeg(Operand),
    Cast {
        op: CastOp,
        from: Operand,
        to: TypeId,
    },
    ICmp {
        pred: IntPred,
        lhs: Operand,
        rhs: Value,
    },
    FCmp {
        pred: FloatPred,
        lhs: Operand,
        rhs: Value,
    },
    Alloca {
        ty: TypeId,
        count: Option<Operand>,
        align: u32,
    },
    Load {
        ty: TypeId,
        ptr: Value,
        ordering: Ordering,
        volatile: bool,
        align: u32,
    },
    Store {
        value: Operand,
        ptr: Value,
        ordering: Ordering,
        volatile: bool,
        align: u32,
    },
    Gep {
        source: TypeId,
        base: Operand,
        indices: Vec<Operand>,
        inbounds: bool,
    },
    AtomicRmw {
        op: RmwOp,
        ptr: Value,
        value: Operand,
        ordering: Ordering,
        volatile: bool,
    },
    CmpXchg {
        ptr: Value,
        expected: Operand,
        new: Value,
        weak: bool,
        success: Ordering,
        failure: Ordering,
        volatile: bool,
    },
    /// `NotAtomic` is a fence against signal handlers only, which orders nothing between threads.
    Fence(Ordering),
    Call(Box<Call>),
    Phi {
        ty: TypeId,
        incoming: Vec<(Value, BlockId)>,
    },
    Select {
        cond: Operand,
        then: Operand,
        els: Value,
    },
    ExtractValue {
        agg: Operand,
        path: Vec<u32>,
    },
    InsertValue {
        agg: Operand,
        elem: Operand,
        path: Vec<u32>,
    },
    ExtractElement {
        vector: Operand,
        index: Operand,
    },
    InsertElement {
        vector: Operand,
        elem: Value,
        index: Operand,
    },
    /// `mask` holds element numbers; `None` is an undefined element.
    ShuffleVector {
        a: Operand,
        b: Value,
        mask: Vec<Option<u32>>,
    },
    VaArg {
        list: Value,
        ty: TypeId,
    },
    Freeze(Operand),
    Br(BlockId),
    CondBr {
        cond: Value,
        then: BlockId,
        els: BlockId,
    },
    Switch {
        value: Operand,
        default: BlockId,
        cases: Vec<(u128, BlockId)>,
    },
    IndirectBr {
        addr: Value,
        targets: Vec<BlockId>,
    },
    Ret(Option<Operand>),
    Unreachable,
    /// `#dbg_value`, `#dbg_declare`, `#dbg_assign`, `#dbg_label`.
    Dbg(Box<DbgRecord>),
}

impl InstKind {
    /// Whether this ends a block.
    pub fn is_terminator(&self) -> bool {
        matches!(
            self,
            InstKind::Br(_)
                | InstKind::CondBr { .. }
                | InstKind::Switch { .. }
                | InstKind::IndirectBr { .. }
                | InstKind::Ret(_)
                | InstKind::Unreachable
        )
    }
}

#[derive(Clone, PartialEq, Debug)]
pub struct Call {
    /// The function type that the call was written with; `ret` is its result.
    pub fn_ty: TypeId,
    pub ret: TypeId,
    pub callee: Callee,
    pub args: Vec<Arg>,
    /// Attributes of the call itself, e.g. `returns_twice`, `noreturn`, with those of its `#n` groups.
    pub returns_twice: bool,
    /// `musttail`: the callee takes the place of the caller.
    pub must_tail: bool,
}

#[derive(Clone, PartialEq, Debug)]
pub enum Callee {
    Value(Value),
    Asm { template: String, constraints: String },
}

#[derive(Clone, PartialEq, Debug)]
pub struct Arg {
    pub operand: Operand,
    pub attrs: ParamAttrs,
}

/// The parameter attributes that change what a call means.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ParamAttrs {
    /// `byval(ty)`: the callee gets a copy.
    pub byval: Option<TypeId>,
    pub sret: Option<TypeId>,
    pub align: u32,
    pub signext: bool,
    pub zeroext: bool,
    pub noundef: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DbgKind {
    Value,
    Declare,
    Assign,
    Label,
}

#[derive(Clone, PartialEq, Debug)]
pub struct DbgRecord {
    pub kind: DbgKind,
    /// The value or address; `None` when it was optimised away (poison, an empty node).
    pub value: Option<Operand>,
    /// The `DILocalVariable` or `DILabel`.
    pub variable: MdId,
    /// The operations of the `DIExpression`, e.g. `DW_OP_deref`, `DW_OP_LLVM_fragment`, numbers as `Int`.
    pub expression: Vec<DbgOp>,
    /// The `DILocation` that says the scope.
    pub location: Option<MdId>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum DbgOp {
    Word(String),
    Int(u64),
}

#[derive(Clone, PartialEq, Debug)]
pub struct Inst {
    pub result: Option<LocalId>,
    pub kind: InstKind,
    /// The `DILocation`.
    pub loc: Option<MdId>,
    /// Line of the `.ll` text, for messages where there is no debug information.
    pub text_line: u32,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Block {
    pub name: String,
    pub insts: Vec<Inst>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Linkage {
    External,
    Internal,
    Private,
    Weak,
    WeakOdr,
    LinkOnce,
    LinkOnceOdr,
    Common,
    Appending,
    ExternWeak,
    AvailableExternally,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Param {
    pub ty: TypeId,
    pub attrs: ParamAttrs,
    pub name: String,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Function {
    pub name: String,
    pub linkage: Linkage,
    pub ret: TypeId,
    pub params: Vec<Param>,
    pub varargs: bool,
    /// Empty for a declaration.
    pub blocks: Vec<Block>,
    /// The type of every local, and its name in the text.
    pub local_types: Vec<TypeId>,
    pub local_names: Vec<String>,
    pub returns_twice: bool,
    pub noreturn: bool,
    /// The `DISubprogram`.
    pub subprogram: Option<MdId>,
    pub text_line: u32,
}

impl Function {
    pub fn is_declaration(&self) -> bool {
        self.blocks.is_empty()
    }
}

#[derive(Clone, PartialEq, Debug)]
pub struct Global {
    pub name: String,
    pub linkage: Linkage,
    pub ty: TypeId,
    /// Absent for an `external` declaration.
    pub init: Option<Const>,
    pub constant: bool,
    pub thread_local: bool,
    pub align: u32,
    /// The `DIGlobalVariableExpression`s.
    pub dbg: Vec<MdId>,
    pub text_line: u32,
}

/// `@name = alias ty, ptr @target`; an ifunc is an alias whose target is a resolver.
#[derive(Clone, PartialEq, Debug)]
pub struct Alias {
    pub name: String,
    pub linkage: Linkage,
    pub ty: TypeId,
    pub target: Const,
    pub ifunc: bool,
    pub text_line: u32,
}

#[derive(Clone, PartialEq, Debug)]
pub enum MdValue {
    Ref(MdId),
    Str(String),
    Int(i128),
    /// A bare word such as `DW_TAG_member` or `DIFlagPrototyped | DIFlagBitField`.
    Word(String),
    Node(Box<MdNode>),
    Value(Box<Operand>),
    Null,
}

/// `!DILocation(line: 3, …)` has kind `DILocation` and named fields; `!{…}` has an empty kind and unnamed ones.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct MdNode {
    pub kind: String,
    pub distinct: bool,
    pub fields: Vec<(String, MdValue)>,
}

#[derive(Clone, Debug, Default)]
pub struct Module {
    pub source_filename: String,
    pub data_layout: String,
    pub triple: String,
    pub types: Types,
    pub globals: Vec<Global>,
    pub functions: Vec<Function>,
    pub aliases: Vec<Alias>,
    /// Names that are hidden or protected: in the file that the loader maps, they are what they are there, whatever others define.
    pub own_names: FxHashSet<String>,
    /// The sections of variables that ask for one.
    pub sections: Vec<(String, String)>,
    /// `module asm` lines, with the line of the text.
    pub module_asm: Vec<(String, u32)>,
    /// Indexed by `MdId`; a number that the text skips is an empty node.
    pub metadata: Vec<MdNode>,
    /// `!llvm.dbg.cu = !{…}` and friends.
    pub named_metadata: FxHashMap<String, Vec<MdId>>,
}

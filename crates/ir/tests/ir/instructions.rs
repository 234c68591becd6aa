//! One line of text, the type of its result, and what the instruction must be.

use threadbare_ir::*;

use super::{function, insts, module, result_type};

/// Declares what the lines of the table use.
const PRELUDE: &str = "
%pair = type { i32, [2 x i64] }
declare i32 @callee(i32, ptr)
declare void @varargs(ptr, ...)
declare void @llvm.assume(i1)
declare void @takes_metadata(metadata, metadata)
define void @f(i32 %a, i32 %b, i64 %w, ptr %p, ptr %q, i1 %c, double %d, float %s, <4 x i32> %v, <4 x i32> %u,
    <4 x float> %vf, <4 x ptr> %vp, <4 x i1> %vc, %pair %agg, x86_fp80 %l, half %h, <2 x i64> %v2) {
entry:
";

fn check(line: &str, expected_type: &str, expected: fn(&InstKind) -> bool) {
    let text = format!("{PRELUDE}  {line}\n  unreachable\n}}\nattributes #0 = {{ returns_twice }}\n!0 = !{{}}\n");
    let module = module(&text);
    let f = function(&module, "f");
    let inst = insts(f).next().expect("a function has an instruction");
    assert_eq!(result_type(&module, f, inst), expected_type, "{line}");
    assert!(expected(&inst.kind), "{line}: {:?}", inst.kind);
}

/// The text, the type of the result, and a look at the instruction.
type Case = (&'static str, &'static str, fn(&InstKind) -> bool);

fn check_all(table: &[Case]) {
    for &(line, expected_type, expected) in table {
        check(line, expected_type, expected);
    }
}

fn is_local(value: &Value, id: u32) -> bool {
    *value == Value::Local(LocalId(id))
}

#[test]
fn arithmetic() {
    use InstKind::*;
    const PLAIN: ArithFlags = ArithFlags { nuw: false, nsw: false, exact: false };
    check_all(&[
        (
            "%r = add i32 %a, %b",
            "i32",
            |k| matches!(k, Binary { op: BinOp::Add, flags: PLAIN, lhs, rhs } if is_local(&lhs.value, 0) && is_local(rhs, 1)),
        ),
        ("%r = add nuw nsw i32 %a, 7", "i32", |k| {
            matches!(
                k,
                Binary {
                    flags: ArithFlags { nuw: true, nsw: true, exact: false },
                    rhs: Value::Const(Const::Int(7)),
                    ..
                }
            )
        }),
        ("%r = sub nsw i32 0, %a", "i32", |k| {
            matches!(k, Binary { op: BinOp::Sub, flags: ArithFlags { nuw: false, nsw: true, .. }, .. })
        }),
        ("%r = mul i64 %w, -3", "i64", |k| {
            matches!(k, Binary { op: BinOp::Mul, rhs: Value::Const(Const::Int(0xffff_ffff_ffff_fffd)), .. })
        }),
        ("%r = udiv exact i32 %a, %b", "i32", |k| {
            matches!(k, Binary { op: BinOp::UDiv, flags: ArithFlags { exact: true, .. }, .. })
        }),
        ("%r = sdiv i32 %a, %b", "i32", |k| matches!(k, Binary { op: BinOp::SDiv, .. })),
        ("%r = urem i32 %a, %b", "i32", |k| matches!(k, Binary { op: BinOp::URem, .. })),
        ("%r = srem i32 %a, %b", "i32", |k| matches!(k, Binary { op: BinOp::SRem, .. })),
        ("%r = shl nuw i32 %a, 1", "i32", |k| matches!(k, Binary { op: BinOp::Shl, .. })),
        ("%r = lshr exact i32 %a, 1", "i32", |k| matches!(k, Binary { op: BinOp::LShr, .. })),
        ("%r = ashr i32 %a, 1", "i32", |k| matches!(k, Binary { op: BinOp::AShr, .. })),
        ("%r = and <4 x i32> %v, splat (i32 255)", "<4 x i32>", |k| {
            matches!(k, Binary { op: BinOp::And, rhs: Value::Const(Const::Splat(_)), .. })
        }),
        ("%r = or disjoint i32 %a, %b", "i32", |k| matches!(k, Binary { op: BinOp::Or, .. })),
        ("%r = xor i1 %c, true", "i1", |k| {
            matches!(k, Binary { op: BinOp::Xor, rhs: Value::Const(Const::Int(1)), .. })
        }),
        ("%r = fadd fast double %d, 1.0", "double", |k| matches!(k, Binary { op: BinOp::FAdd, .. })),
        ("%r = fsub nnan ninf nsz float %s, 1.0", "float", |k| matches!(k, Binary { op: BinOp::FSub, .. })),
        ("%r = fmul arcp contract afn reassoc <4 x float> %vf, %vf", "<4 x float>", |k| {
            matches!(k, Binary { op: BinOp::FMul, .. })
        }),
        ("%r = fdiv x86_fp80 %l, 0xK3FFF8000000000000000", "x86_fp80", |k| {
            matches!(k, Binary { op: BinOp::FDiv, rhs: Value::Const(Const::Float(0x3fff_8000_0000_0000_0000)), .. })
        }),
        ("%r = frem double %d, %d", "double", |k| matches!(k, Binary { op: BinOp::FRem, .. })),
        ("%r = fneg nsz double %d", "double", |k| matches!(k, FNeg(o) if is_local(&o.value, 6))),
        ("%r = freeze i32 %a", "i32", |k| matches!(k, Freeze(_))),
        ("%r = icmp samesign ult i32 %a, 10", "i1", |k| matches!(k, ICmp { pred: IntPred::Ult, .. })),
        ("%r = icmp ne ptr %p, null", "i1", |k| {
            matches!(k, ICmp { pred: IntPred::Ne, rhs: Value::Const(Const::Null), .. })
        }),
        ("%r = icmp sge <4 x i32> %v, zeroinitializer", "<4 x i1>", |k| {
            matches!(k, ICmp { pred: IntPred::Sge, rhs: Value::Const(Const::Zero), .. })
        }),
        ("%r = fcmp nnan une double %d, 0.0", "i1", |k| matches!(k, FCmp { pred: FloatPred::Une, .. })),
        ("%r = fcmp ord <4 x float> %vf, %vf", "<4 x i1>", |k| matches!(k, FCmp { pred: FloatPred::Ord, .. })),
        ("%r = fcmp true float %s, %s", "i1", |k| matches!(k, FCmp { pred: FloatPred::True, .. })),
        ("%r = select i1 %c, i32 %a, i32 5", "i32", |k| matches!(k, Select { els: Value::Const(Const::Int(5)), .. })),
        ("%r = select <4 x i1> %vc, <4 x i32> %v, <4 x i32> %u", "<4 x i32>", |k| matches!(k, Select { .. })),
        ("%r = select nsz i1 %c, double %d, double poison", "double", |k| {
            matches!(k, Select { els: Value::Const(Const::Poison), .. })
        }),
    ]);
}

#[test]
fn casts() {
    let table = [
        ("trunc nuw nsw i64 %w to i32", "i32", CastOp::Trunc),
        ("zext nneg i32 %a to i64", "i64", CastOp::ZExt),
        ("sext <4 x i32> %v to <4 x i64>", "<4 x i64>", CastOp::SExt),
        ("fptrunc double %d to float", "float", CastOp::FpTrunc),
        ("fpext fast half %h to x86_fp80", "x86_fp80", CastOp::FpExt),
        ("fptoui double %d to i8", "i8", CastOp::FpToUi),
        ("fptosi <4 x float> %vf to <4 x i32>", "<4 x i32>", CastOp::FpToSi),
        ("uitofp nneg i32 %a to fp128", "fp128", CastOp::UiToFp),
        ("sitofp i1 %c to bfloat", "bfloat", CastOp::SiToFp),
        ("ptrtoint ptr %p to i64", "i64", CastOp::PtrToInt),
        ("inttoptr i64 %w to ptr", "ptr", CastOp::IntToPtr),
        ("ptrtoint <4 x ptr> %vp to <4 x i64>", "<4 x i64>", CastOp::PtrToInt),
        ("bitcast <4 x i32> %v to i128", "i128", CastOp::BitCast),
        ("bitcast double %d to i64", "i64", CastOp::BitCast),
        ("bitcast ptr %p to ptr", "ptr", CastOp::BitCast),
    ];
    for (line, expected_type, op) in table {
        let module = module(&format!("{PRELUDE}  %r = {line}\n  unreachable\n}}\n"));
        let f = function(&module, "f");
        let inst = insts(f).next().expect("a function has an instruction");
        assert_eq!(result_type(&module, f, inst), expected_type, "{line}");
        assert!(matches!(inst.kind, InstKind::Cast { op: found, .. } if found == op), "{line}");
    }
}

#[test]
fn memory() {
    use InstKind::*;
    check_all(&[
        ("%r = alloca i32", "ptr", |k| matches!(k, Alloca { count: None, align: 0, .. })),
        ("%r = alloca %pair, align 16", "ptr", |k| matches!(k, Alloca { count: None, align: 16, .. })),
        ("%r = alloca i8, i64 %w, align 1, !dbg !0", "ptr", |k| matches!(k, Alloca { count: Some(_), align: 1, .. })),
        ("%r = alloca i32, align 4, addrspace(0)", "ptr", |k| matches!(k, Alloca { align: 4, .. })),
        ("%r = load i32, ptr %p, align 4, !tbaa !0", "i32", |k| {
            matches!(k, Load { ordering: Ordering::NotAtomic, volatile: false, align: 4, .. })
        }),
        ("%r = load volatile %pair, ptr %p", "%pair", |k| matches!(k, Load { volatile: true, align: 0, .. })),
        ("%r = load atomic i64, ptr %p acquire, align 8", "i64", |k| {
            matches!(k, Load { ordering: Ordering::Acquire, align: 8, .. })
        }),
        ("%r = load atomic volatile ptr, ptr %p unordered, align 8", "ptr", |k| {
            matches!(k, Load { ordering: Ordering::Unordered, volatile: true, .. })
        }),
        ("store i32 %a, ptr %p, align 4", "", |k| matches!(k, Store { ordering: Ordering::NotAtomic, .. })),
        ("store atomic volatile i32 7, ptr %p syncscope(\"\") release, align 4", "", |k| {
            matches!(k, Store { ordering: Ordering::Release, volatile: true, .. })
        }),
        (
            "%r = getelementptr inbounds %pair, ptr %p, i64 %w, i32 1, i64 %w",
            "ptr",
            |k| matches!(k, Gep { inbounds: true, indices, .. } if indices.len() == 3),
        ),
        ("%r = getelementptr nusw nuw i8, ptr %p, i64 -1", "ptr", |k| matches!(k, Gep { inbounds: false, .. })),
        ("%r = getelementptr i8, ptr %p", "ptr", |k| matches!(k, Gep { indices, .. } if indices.is_empty())),
        ("%r = getelementptr i32, ptr %p, <4 x i32> %v", "<4 x ptr>", |k| matches!(k, Gep { .. })),
        ("%r = getelementptr i32, <4 x ptr> %vp, i64 1", "<4 x ptr>", |k| matches!(k, Gep { .. })),
        ("%r = atomicrmw add ptr %p, i32 1 seq_cst, align 4", "i32", |k| {
            matches!(k, AtomicRmw { op: RmwOp::Add, ordering: Ordering::SeqCst, volatile: false, .. })
        }),
        ("%r = atomicrmw volatile umin ptr %p, i64 %w monotonic", "i64", |k| {
            matches!(k, AtomicRmw { op: RmwOp::UMin, ordering: Ordering::Monotonic, volatile: true, .. })
        }),
        ("%r = atomicrmw xchg ptr %p, ptr %q acq_rel, align 8", "ptr", |k| {
            matches!(k, AtomicRmw { op: RmwOp::Xchg, .. })
        }),
        ("%r = atomicrmw fadd ptr %p, double %d release, align 8", "double", |k| {
            matches!(k, AtomicRmw { op: RmwOp::FAdd, .. })
        }),
        ("%r = atomicrmw udec_wrap ptr %p, i32 3 acquire", "i32", |k| {
            matches!(k, AtomicRmw { op: RmwOp::UDecWrap, .. })
        }),
        ("%r = cmpxchg weak volatile ptr %p, i32 %a, i32 %b acq_rel monotonic, align 4", "{i32, i1}", |k| {
            matches!(
                k,
                CmpXchg { weak: true, volatile: true, success: Ordering::AcqRel, failure: Ordering::Monotonic, .. }
            )
        }),
        ("%r = cmpxchg ptr %p, ptr null, ptr %q seq_cst seq_cst", "{ptr, i1}", |k| {
            matches!(k, CmpXchg { weak: false, volatile: false, .. })
        }),
        ("fence acq_rel", "", |k| matches!(k, Fence(Ordering::AcqRel))),
        ("fence syncscope(\"singlethread\") seq_cst", "", |k| matches!(k, Fence(Ordering::NotAtomic))),
        ("%r = va_arg ptr %p, double", "double", |k| matches!(k, VaArg { .. })),
    ]);
}

#[test]
fn parts_of_values() {
    use InstKind::*;
    check_all(&[
        ("%r = extractvalue %pair %agg, 0", "i32", |k| matches!(k, ExtractValue { path, .. } if *path == [0])),
        ("%r = extractvalue %pair %agg, 1, 1", "i64", |k| matches!(k, ExtractValue { path, .. } if *path == [1, 1])),
        (
            "%r = extractvalue { i32, i1 } zeroinitializer, 1, !dbg !0",
            "i1",
            |k| matches!(k, ExtractValue { path, .. } if *path == [1]),
        ),
        (
            "%r = insertvalue %pair poison, i64 %w, 1, 0",
            "%pair",
            |k| matches!(k, InsertValue { path, .. } if *path == [1, 0]),
        ),
        ("%r = extractelement <4 x i32> %v, i64 2", "i32", |k| matches!(k, ExtractElement { .. })),
        ("%r = insertelement <4 x ptr> %vp, ptr %p, i32 %a", "<4 x ptr>", |k| matches!(k, InsertElement { .. })),
        (
            "%r = shufflevector <4 x i32> %v, <4 x i32> %u, <2 x i32> <i32 7, i32 poison>",
            "<2 x i32>",
            |k| matches!(k, ShuffleVector { mask, .. } if *mask == [Some(7), None]),
        ),
        (
            "%r = shufflevector <4 x i32> %v, <4 x i32> poison, <3 x i32> zeroinitializer",
            "<3 x i32>",
            |k| matches!(k, ShuffleVector { mask, .. } if *mask == [Some(0); 3]),
        ),
        (
            "%r = shufflevector <4 x i32> %v, <4 x i32> poison, <2 x i32> splat (i32 3)",
            "<2 x i32>",
            |k| matches!(k, ShuffleVector { mask, .. } if *mask == [Some(3); 2]),
        ),
        (
            "%r = shufflevector <4 x i32> %v, <4 x i32> %u, <2 x i32> undef",
            "<2 x i32>",
            |k| matches!(k, ShuffleVector { mask, .. } if *mask == [None; 2]),
        ),
    ]);
}

fn call(kind: &InstKind) -> &Call {
    match kind {
        InstKind::Call(call) => call,
        other => panic!("{other:?} is no call"),
    }
}

#[test]
fn calls() {
    check_all(&[
        ("%r = call i32 @callee(i32 %a, ptr %p)", "i32", |k| {
            call(k).callee == Callee::Value(Value::Const(Const::Global("callee".into()))) && call(k).args.len() == 2
        }),
        (
            "%r = tail call fastcc noundef signext range(i32 0, 5) i32 @callee(i32 noundef signext 3, ptr align 8 byval(%pair) %p) #0",
            "i32",
            |k| {
                let args = &call(k).args;
                call(k).returns_twice
                    && args[0].attrs == ParamAttrs { signext: true, noundef: true, ..ParamAttrs::default() }
                    && args[1].attrs.align == 8
                    && args[1].attrs.byval.is_some()
            },
        ),
        ("call void (ptr, ...) @varargs(ptr %p, i32 %a, double 1.0)", "", |k| call(k).args.len() == 3),
        ("call void %p(i32 1)", "", |k| matches!(&call(k).callee, Callee::Value(Value::Local(LocalId(3))))),
        ("%r = notail call i32 (i32) inttoptr (i64 64 to ptr)(i32 1) returns_twice", "i32", |k| call(k).returns_twice),
        ("%r = tail call nsz nnan double %p(double nofpclass(nan inf) %d) \"key\"=\"value\" nounwind", "double", |k| {
            !call(k).returns_twice
        }),
        ("call void @llvm.assume(i1 true) [ \"align\"(ptr %p, i64 16), \"empty\"() ]", "", |k| call(k).args.len() == 1),
        (
            "%r = call i32 asm sideeffect alignstack inteldialect \"mov $0, $1 \\22q\\22\", \"=r,r,~{memory}\"(i32 %a) #0",
            "i32",
            |k| {
                call(k).callee
                    == Callee::Asm { template: "mov $0, $1 \"q\"".into(), constraints: "=r,r,~{memory}".into() }
            },
        ),
        ("call void @takes_metadata(metadata !\"text\", metadata i32 %a)", "", |k| {
            let text = MdValue::Str("text".into());
            call(k).args[0].operand.value == Value::Const(Const::Metadata(Box::new(text)))
                && matches!(&call(k).args[1].operand.value, Value::Const(Const::Metadata(m))
                    if matches!(&**m, MdValue::Value(o) if is_local(&o.value, 0)))
        }),
        ("call void @takes_metadata(metadata !0, metadata !{!0, null, i32 1})", "", |k| {
            matches!(&call(k).args[1].operand.value, Value::Const(Const::Metadata(m))
                if matches!(&**m, MdValue::Node(n) if n.fields.len() == 3))
        }),
    ]);
}

#[test]
fn every_parameter_attribute_is_read() {
    let attributes = "allocalign allocptr byref(i32) captures(none) captures(address, ret: provenance) dead_on_unwind \
        dereferenceable(8) dereferenceable_or_null(8) elementtype(i32) immarg inalloca(i32) initializes((0, 4), (8, 12)) \
        inreg nest noalias nocapture nofpclass(3) nofpclass(all) nofree nonnull preallocated(i32) range(i8 -1, 5) \
        readnone readonly returned swiftasync swifterror swiftself writable writeonly zeroext align 4 align(8) \
        alignstack(16) sret(%pair) \"text\" \"key\"=\"value\"";
    let module = module(&format!("%pair = type {{ i32 }}\ndeclare void @f(ptr {attributes})\n"));
    let attrs = module.functions[0].params[0].attrs;
    assert!(attrs.zeroext && attrs.sret.is_some() && attrs.align == 8);
}

#[test]
fn debug_records() {
    let text = "
define void @f(i32 %a, ptr %p) {
  #dbg_value(i32 %a, !1, !DIExpression(), !2)
  #dbg_declare(ptr %p, !1, !DIExpression(DW_OP_plus_uconst, 8, DW_OP_LLVM_fragment, 0, 32), !2)
  #dbg_value(!DIArgList(i32 %a, i32 %later), !1, !DIExpression(DW_OP_LLVM_arg, 0), !2)
  #dbg_value(i32 poison, !1, !DIExpression(), !2)
  #dbg_value(!0, !1, !DIExpression(), !2)
  #dbg_value(!{}, !1, !DIExpression(), !2)
  #dbg_assign(i32 7, !1, !DIExpression(), !3, ptr %p, !DIExpression(), !2)
  #dbg_label(!4, !2)
  %later = add i32 %a, 1
  ret void
}
!0 = !{}
!1 = !DILocalVariable(name: \"x\", scope: !0)
!2 = !DILocation(line: 1, scope: !0)
!3 = distinct !DIAssignID()
!4 = !DILabel(scope: !0, name: \"out\", file: !0, line: 3)
";
    let module = module(text);
    let f = &module.functions[0];
    let records: Vec<_> = insts(f)
        .filter_map(|inst| match &inst.kind {
            InstKind::Dbg(record) => Some((inst, &**record)),
            _ => None,
        })
        .collect();
    assert_eq!(records.len(), 8);
    assert!(records.iter().all(|(inst, record)| inst.loc == Some(MdId(2)) && record.location == inst.loc));
    let local = |n: usize| match &records[n].1.value {
        Some(Operand { value: Value::Local(id), .. }) => Some(id.0),
        _ => None,
    };
    assert_eq!((local(0), local(1)), (Some(0), Some(1)));
    let expected = [
        DbgOp::Word("DW_OP_plus_uconst".into()),
        DbgOp::Int(8),
        DbgOp::Word("DW_OP_LLVM_fragment".into()),
        DbgOp::Int(0),
        DbgOp::Int(32),
    ];
    assert_eq!(records[1].1.expression, expected);
    let Some(Operand { value: Value::Const(Const::Metadata(list)), .. }) = &records[2].1.value else {
        panic!("a list is kept: {:?}", records[2]);
    };
    let MdValue::Node(list) = &**list else { panic!("{list:?}") };
    let later = MdValue::Value(Box::new(Operand { ty: f.local_types[2], value: Value::Local(LocalId(2)) }));
    assert_eq!(list.fields[1].1, later, "a forward reference inside a list is resolved");
    assert!(records[3..6].iter().all(|(_, record)| record.value.is_none()));
    assert_eq!(records[6].1.kind, DbgKind::Assign);
    assert!(matches!(&records[6].1.value, Some(Operand { value: Value::Const(Const::Int(7)), .. })));
    assert_eq!((records[7].1.kind, records[7].1.variable), (DbgKind::Label, MdId(4)));
}

#[test]
fn control_flow() {
    let text = "
define i32 @f(i32 %x, i1 %c, ptr %p) {
entry:
  br i1 %c, label %loop, label %table
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ], [ %x, %table ], [ 7, %jump ]
  %next = add i32 %i, 1
  br label %loop
table:
  switch i32 %x, label %out [
    i32 1, label %loop
    i32 -1, label %jump
  ]
jump:
  indirectbr ptr %p, [label %loop, label %out]
out:
  ret i32 %x
dead:
  unreachable
}
";
    let module = module(text);
    let f = &module.functions[0];
    let last = |block: usize| &f.blocks[block].insts.last().expect("no block is empty").kind;
    assert!(matches!(last(0), InstKind::CondBr { then: BlockId(1), els: BlockId(2), .. }));
    assert_eq!(*last(1), InstKind::Br(BlockId(1)));
    let InstKind::Switch { default: BlockId(4), cases, .. } = last(2) else { panic!("{:?}", last(2)) };
    assert_eq!(*cases, [(1, BlockId(1)), (0xffff_ffff, BlockId(3))]);
    assert!(matches!(last(3), InstKind::IndirectBr { targets, .. } if *targets == [BlockId(1), BlockId(4)]));
    assert!(matches!(last(4), InstKind::Ret(Some(_))));
    assert_eq!(*last(5), InstKind::Unreachable);
    let InstKind::Phi { incoming, .. } = &f.blocks[1].insts[0].kind else { panic!("no phi") };
    let expected = [
        (Value::Const(Const::Int(0)), BlockId(0)),
        (Value::Local(LocalId(4)), BlockId(1)),
        (Value::Local(LocalId(0)), BlockId(2)),
        (Value::Const(Const::Int(7)), BlockId(3)),
    ];
    assert_eq!(*incoming, expected);
}

//! Whole modules: globals, functions, names and numbers, attributes, metadata.

use threadbare_ir::*;

use super::{function, module};

#[test]
fn headers() {
    let module = module(
        "; ModuleID = 'x'\nsource_filename = \"dir/a\\22b.c\"\ntarget datalayout = \"e-m:e\"\n\
         target triple = \"x86_64-pc-linux-gnu\"\nmodule asm \".globl x\"\nmodule asm \".set x, 1\"\n",
    );
    assert_eq!(module.source_filename, "dir/a\"b.c");
    assert_eq!(module.data_layout, "e-m:e");
    assert_eq!(module.triple, "x86_64-pc-linux-gnu");
    assert_eq!(module.module_asm, [(".globl x".into(), 5), (".set x, 1".into(), 6)]);
}

#[test]
fn globals() {
    let text = "
$c = comdat any
@a = global i32 1, align 4
@b = external dso_local global [4 x i8], align 16
@c = linkonce_odr hidden unnamed_addr constant i64 2, section \".data\", partition \"p\", comdat, align 8
@d = internal thread_local(initialexec) global ptr null, comdat($c), align 8, !dbg !0, !dbg !1
@e = extern_weak global i8
@\"f g\" = common local_unnamed_addr global i32 0, code_model \"large\", no_sanitize_address
@0 = private unnamed_addr constant [2 x i8] c\"x\\00\" #0
@g = weak dso_local dllexport externally_initialized global i32 3
@llvm.used = appending global [1 x ptr] [ptr @a], section \"llvm.metadata\"
@al = weak alias i32, ptr @a
@part = alias i8, getelementptr inbounds (i8, ptr @a, i64 1)
@fn = dso_local ifunc i32 (i32), ptr @resolver, partition \"p\"
declare ptr @resolver()
attributes #0 = { \"bss-section\"=\"x\" }
!0 = !{}
!1 = !{}
";
    let module = module(text);
    let summary: Vec<_> = module
        .globals
        .iter()
        .map(|g| (g.name.as_str(), g.linkage, g.init.is_some(), g.constant, g.thread_local, g.align, g.dbg.len()))
        .collect();
    use Linkage::*;
    let expected = [
        ("a", External, true, false, false, 4, 0),
        ("b", External, false, false, false, 16, 0),
        ("c", LinkOnceOdr, true, true, false, 8, 0),
        ("d", Internal, true, false, true, 8, 2),
        ("e", ExternWeak, false, false, false, 0, 0),
        ("f g", Common, true, false, false, 0, 0),
        ("0", Private, true, true, false, 0, 0),
        ("g", Weak, true, false, false, 0, 0),
        ("llvm.used", Appending, true, false, false, 0, 0),
    ];
    assert_eq!(summary, expected);
    assert_eq!(module.globals[3].text_line, 6);
    let aliases: Vec<_> = module.aliases.iter().map(|a| (a.name.as_str(), a.linkage, a.ifunc)).collect();
    assert_eq!(aliases, [("al", Weak, false), ("part", External, false), ("fn", External, true)]);
    assert_eq!(module.aliases[0].target, Const::Global("a".into()));
    assert!(matches!(module.aliases[1].target, Const::Gep { .. }));
}

#[test]
fn function_headers() {
    let text = "
define internal dso_local hidden fastcc noundef i32 @f(i32 noundef %x, ptr byval(%s) align 8 %\"y z\", ...) \
unnamed_addr #0 section \"s\" partition \"p\" comdat align 16 gc \"g\" prefix i32 1 prologue i8 2 \
personality ptr @p !dbg !0 !prof !0 {
  ret i32 %x
}
declare !dbg !0 extern_weak zeroext i1 @p(ptr nocapture, i64 signext) local_unnamed_addr addrspace(0) noreturn memory(read, argmem: none)
declare void @setjmp_like() #1
$f = comdat nodeduplicate
%s = type <{ i8, i32 }>
attributes #0 = { nounwind uwtable(sync) memory(none) \"frame-pointer\"=\"all\" }
attributes #1 = { returns_twice allockind(\"alloc,zeroed\") allocsize(0,1) alignstack=16 vscale_range(1,16) }
!0 = !{}
";
    let module = module(text);
    let f = function(&module, "f");
    assert_eq!((f.linkage, f.varargs, f.subprogram, f.text_line), (Linkage::Internal, true, Some(MdId(0)), 2));
    let names: Vec<_> = f.params.iter().map(|p| p.name.as_str()).collect();
    assert_eq!(names, ["x", "y z"]);
    assert_eq!(f.local_names, ["x", "y z"]);
    assert!(f.params[0].attrs.noundef && f.params[1].attrs.byval.is_some() && f.params[1].attrs.align == 8);
    assert!(!f.noreturn && !f.returns_twice && !f.is_declaration());
    let p = function(&module, "p");
    assert_eq!((p.linkage, p.subprogram), (Linkage::ExternWeak, Some(MdId(0))));
    assert!(p.noreturn && p.is_declaration() && p.params[1].attrs.signext);
    assert_eq!(p.local_types.len(), 2);
    assert!(function(&module, "setjmp_like").returns_twice);
}

#[test]
fn every_function_attribute_is_read() {
    let attributes = "alwaysinline builtin cold convergent disable_sanitizer_instrumentation fn_ret_thunk_extern hot \
        inlinehint jumptable minsize mustprogress naked nobuiltin nocallback nocf_check noduplicate nofree \
        noimplicitfloat noinline nomerge nonlazybind noprofile norecurse noredzone nosanitize_bounds \
        nosanitize_coverage nosync nounwind null_pointer_is_valid optdebug optforfuzzing optnone optsize \
        presplitcoroutine safestack sanitize_address sanitize_hwaddress sanitize_memory sanitize_memtag sanitize_thread \
        shadowcallstack skipprofile speculatable speculative_load_hardening ssp sspreq sspstrong strictfp uwtable \
        uwtable(async) willreturn memory(argmem: readwrite, inaccessiblemem: write)";
    module(&format!("declare void @f() {attributes}\ndeclare void @g() #0\nattributes #0 = {{ {attributes} }}\n"));
}

#[test]
fn locals_are_dense_and_numbers_shared() {
    // Parameters 0 and 1, entry block 2, results from 3; the named block takes no number.
    let text = "
define i32 @f(i32, i32 %named, i32) {
  %3 = add i32 %0, %1
  %x = add i32 %3, %named
  br label %5
later:
  %4 = add i32 %x, %6
  ret i32 %4
5:
  %6 = add i32 %x, 1
  br label %later
}
";
    let module = module(text);
    let f = &module.functions[0];
    assert_eq!(f.local_names, ["0", "named", "1", "3", "x", "4", "6"]);
    let blocks: Vec<_> = f.blocks.iter().map(|b| b.name.as_str()).collect();
    assert_eq!(blocks, ["2", "later", "5"]);
    let InstKind::Binary { lhs, rhs, .. } = &f.blocks[1].insts[0].kind else { panic!("no add") };
    assert_eq!((&lhs.value, rhs), (&Value::Local(LocalId(4)), &Value::Local(LocalId(6))));
    assert_eq!(f.local_types.len(), 7);
}

#[test]
fn unlabelled_blocks_and_unnamed_results_take_numbers() {
    let text = "
define i32 @f() {
  call i32 @f()
  br label %3
  unreachable
3:
  ret i32 %1
}
";
    let module = module(text);
    let blocks: Vec<_> = module.functions[0].blocks.iter().map(|b| b.name.as_str()).collect();
    assert_eq!(blocks, ["0", "2", "3"]);
}

#[test]
fn quoted_names_equal_plain_ones() {
    let text = "
define void @\"f\"(i32 %\"a\") {
  br label %entry
\"e\\6Etry\":
  %\"b c\" = add i32 %a, 1
  br label %entry2
entry2:
  %d = add i32 %\"b c\", 1
  br label %\"e\\6Etry\"
}
@x = global ptr @f
@\"\\01raw\\C3\\A9\" = global i32 0
";
    let module = module(text);
    assert_eq!(module.functions[0].local_names, ["a", "b c", "d"]);
    assert_eq!(module.globals[1].name, "\u{1}raw\u{e9}");
}

#[test]
fn types_are_interned_and_named() {
    let text = "
%node = type { ptr, %opaque_user, <{ i8, i16 }> }
%opaque_user = type { ptr }
%hidden = type opaque
%0 = type { [3 x <2 x float>], {} }
@a = external global %node
@b = external global { ptr, %opaque_user, <{ i8, i16 }> }
@c = external global %0
";
    let module = module(text);
    let types = &module.types;
    let (a, b) = (module.globals[0].ty, module.globals[1].ty);
    assert_ne!(a, b);
    assert_eq!(types.resolve(a), Some(b));
    assert_eq!(types.get(a), &Type::Named("node".into()));
    assert_eq!(types.get(module.globals[2].ty), &Type::Named("0".into()));
    let shown = types.display(types.resolve(module.globals[2].ty).expect("it has a body")).to_string();
    assert_eq!(shown, "{[3 x <2 x float>], {}}");
}

#[test]
fn call_groups_are_settled_at_the_end() {
    let text = "
declare i32 @s(ptr)
define void @f(ptr %p) {
  %a = call i32 @s(ptr %p) #1
  %b = call i32 @s(ptr %p) #0
  ret void
}
attributes #0 = { nounwind }
attributes #1 = { returns_twice }
";
    let module = module(text);
    let twice: Vec<_> = module.functions[1].blocks[0]
        .insts
        .iter()
        .filter_map(|inst| match &inst.kind {
            InstKind::Call(call) => Some(call.returns_twice),
            _ => None,
        })
        .collect();
    assert_eq!(twice, [true, false]);
}

#[test]
fn metadata_nodes() {
    let text = "
!named = !{!0, !2}
!empty.one = !{}
!0 = !{i32 7, !\"text \\22q\\22\", null, !1, !{!0}, ptr @g, i64 -1}
!1 = distinct !DICompositeType(tag: DW_TAG_structure_type, name: \"s\", size: 64, flags: DIFlagFwdDecl | DIFlagVector, elements: !{}, runtimeLang: 5)
!2 = !DIEnumerator(name: \"LOW\", value: -9223372036854775808, isUnsigned: false)
!4 = !GenericDINode(tag: DW_TAG_member, header: \"h\", operands: {!0, null})
!5 = !DITemplateValueParameter(type: !0, value: i32 3)
@g = global i32 0
";
    let module = module(text);
    assert_eq!(module.named_metadata["named"], [MdId(0), MdId(2)]);
    assert!(module.named_metadata["empty.one"].is_empty());
    assert_eq!(module.metadata.len(), 6);
    assert_eq!(module.metadata[3], MdNode::default(), "a number that the text skips");
    let values: Vec<_> = module.metadata[0].fields.iter().map(|(_, value)| value).collect();
    assert!(matches!(values[0], MdValue::Value(o) if o.value == Value::Const(Const::Int(7))));
    assert_eq!(*values[1], MdValue::Str("text \"q\"".into()));
    assert_eq!((values[2], values[3]), (&MdValue::Null, &MdValue::Ref(MdId(1))));
    assert!(matches!(values[4], MdValue::Node(n) if n.fields[0].1 == MdValue::Ref(MdId(0))));
    let node = &module.metadata[1];
    assert!(node.distinct && node.kind == "DICompositeType");
    assert_eq!(node.field_word("flags"), Some("DIFlagFwdDecl | DIFlagVector"));
    assert_eq!(module.metadata[2].field_int("value"), Some(i64::MIN.into()));
    assert!(matches!(module.metadata[4].field("operands"), Some(MdValue::Node(n)) if n.fields.len() == 2));
    assert!(matches!(module.metadata[5].field("value"), Some(MdValue::Value(_))));
}

#[test]
fn what_has_no_meaning_here_is_still_read() {
    let text = "
define i32 @f(i32 %x) {
entry:
  %y = add i32 %x, %x
  br label %next
next:
  ret i32 %y
  uselistorder i32 %x, { 1, 0 }
  uselistorder label %next, { 1, 0 }
}
uselistorder ptr @f, { 1, 0, 2 }
uselistorder_bb @f, %next, { 1, 0 }
^0 = module: (path: \"a.o\", hash: (1, 2, 3))
^1 = gv: (name: \"f\", summaries: (function: (module: ^0, flags: (linkage: external), insts: 3)))
^2 = flags: 8
^3 = blockcount: 5
";
    assert_eq!(module(text).functions.len(), 1);
}

#[test]
fn lines_are_kept() {
    let text = "define void @f() {\n  ; a comment\n  call void @f(),\n    !dbg !0\n\n  ret void\n}\n!0 = !{!\"two\nlines\"}\n!x = !{!0}\n";
    let module = module(text);
    let lines: Vec<_> = module.functions[0].blocks[0].insts.iter().map(|inst| inst.text_line).collect();
    assert_eq!(lines, [3, 6]);
}

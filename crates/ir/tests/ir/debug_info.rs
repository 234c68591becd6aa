//! Debug information as reports use it.

use threadbare_ir::debug::*;
use threadbare_ir::*;

use super::clang::compile;
use super::module;

fn data() -> Module {
    parse_bytes(&compile("data.c", &["-O0", "-g"])).expect("clang's text is right")
}

fn global<'m>(module: &'m Module, name: &str) -> Variable<'m> {
    let global = module.globals.iter().find(|g| g.name == name).unwrap_or_else(|| panic!("no '{name}'"));
    module.global_variable(global.dbg[0]).expect("it has debug information")
}

fn type_of(module: &Module, name: &str) -> MdId {
    global(module, name).ty.expect("no variable is void")
}

#[test]
fn globals_have_names_types_and_places() {
    let module = data();
    let table = [
        ("queue", "struct queue"),
        ("table", "const binary[4]"),
        ("inside", "char *"),
        ("matrix", "int[3][4]"),
        ("as_number", "uintptr_t"),
        ("wide", "const wchar_t[5]"),
        ("per_thread", "int"),
        ("first", "struct node"),
    ];
    for (name, ty) in table {
        let variable = global(&module, name);
        assert_eq!(variable.name, name);
        assert_eq!(module.di_type_name(variable.ty), ty, "{name}");
        assert!(variable.line > 0 && variable.file.expect("it has a file").ends_with("/tests/c/data.c"));
        assert_eq!((variable.arg, variable.fragment), (None, None));
    }
}

#[test]
fn offsets_become_paths() {
    let module = data();
    let table: &[(&str, u64, u64, &str)] = &[
        ("queue", 0, 4, ".items[0].key"),
        ("queue", 8, 8, ".items[0].weight"),
        ("queue", 48, 4, ".items[3].key"),
        ("queue", 64, 4, ".head"),
        ("queue", 68, 4, ".tail"),
        ("queue", 72, 8, ".list"),
        ("queue", 0, 80, ""),
        ("queue", 16, 16, ".items[1]"),
        ("queue", 0, 64, ".items"),
        ("queue", 5, 1, ".items[0]+5"),
        ("queue", 66, 1, ".head+2"),
        ("queue", 100, 4, "+100"),
        ("matrix", 0, 4, "[0][0]"),
        ("matrix", 44, 4, "[2][3]"),
        ("matrix", 48, 4, "[3][0]"),
        ("matrix", 2, 4, "+2"),
        ("array", 32, 4, "[8]"),
        ("counter", 0, 4, ""),
        ("counter", 1, 1, "+1"),
        ("first", 16, 4, ".value.i"),
        ("first", 16, 1, ".value.bytes[0]"),
        ("first", 19, 1, ".value.bytes[3]"),
        ("first", 18, 2, ".value.halves.high"),
        ("first", 24, 4, ".y"),
        ("first", 20, 4, ".x"),
        ("flags", 0, 1, ".ready, .count"),
        ("flags", 1, 1, ".level"),
        ("flags", 8, 4, ".wide"),
        ("flags", 13, 1, ".dirty"),
        ("flags", 0, 4, ".ready, .count, .level"),
        ("wire", 1, 4, ".length"),
        ("wire", 5, 8, ".id"),
        ("named", 40, 8, "[2].op"),
        ("thread_item", 8, 8, ".weight"),
    ];
    for &(name, offset, size, path) in table {
        let ty = type_of(&module, name);
        assert_eq!(module.describe_offset(ty, offset, size), path, "{size} bytes at {name}+{offset}");
    }
    // And the way back.
    let mut back = 0;
    for &(name, offset, _, path) in table.iter().filter(|row| !row.3.contains(['+', ','])) {
        if let Ok(parts) = module.bits_of_part(name, type_of(&module, name), path) {
            assert_eq!(parts.iter().map(|part| part.start / 8).collect::<Vec<_>>(), [offset], "{name}{path}");
            back += 1;
        }
    }
    assert!(back > 15, "{back}");
    assert!(module.bits_of_part("matrix", type_of(&module, "matrix"), "[3][0]").is_err(), "beyond its end");
}

#[test]
fn types_one_level_at_a_time() {
    let module = data();
    let DiType::Record(queue) = module.di_type(type_of(&module, "queue")) else { panic!("no struct") };
    assert_eq!((queue.kind, queue.name, queue.bits), (RecordKind::Struct, Some("queue"), 640));
    let members: Vec<_> = queue.members.iter().map(|m| (m.name, m.bit_offset, m.bit_size)).collect();
    let expected = [(Some("items"), 0, 512), (Some("head"), 512, 32), (Some("tail"), 544, 32), (Some("list"), 576, 64)];
    assert_eq!(members, expected);
    let volatile = module.di_type(queue.members[1].ty.expect("head has a type"));
    assert!(matches!(volatile, DiType::Qualified { qualifier: Qualifier::Volatile, of: Some(_) }));
    let atomic = module.di_type(queue.members[2].ty.expect("tail has a type"));
    assert!(matches!(atomic, DiType::Qualified { qualifier: Qualifier::Atomic, of: Some(_) }));
    let DiType::Array { dimensions, element, vector: false, bits: 512 } =
        module.di_type(queue.members[0].ty.expect("items has a type"))
    else {
        panic!("items is no array")
    };
    assert_eq!(dimensions, [Some(4)]);
    assert_eq!(module.di_size(element.expect("items has elements")), Some(16));

    let DiType::Record(flags) = module.di_type(type_of(&module, "flags")) else { panic!("no struct") };
    let fields: Vec<_> = flags.members.iter().map(|m| (m.name, m.bit_offset, m.bit_size, m.bit_field)).collect();
    let expected = [
        (Some("ready"), 0, 1, true),
        (Some("count"), 1, 7, true),
        (Some("level"), 8, 5, true),
        (Some("wide"), 64, 40, true),
        (Some("dirty"), 104, 1, true),
    ];
    assert_eq!(fields, expected);

    let DiType::Typedef { name: "binary", of: Some(pointer) } = module.di_type(element_of_const(&module, "table"))
    else {
        panic!("no typedef")
    };
    assert_eq!(module.di_type_name(Some(pointer)), "int (*)(int, int)");
    let DiType::Base { name: "int", encoding: Encoding::Signed, bits: 32 } =
        module.di_type(type_of(&module, "counter"))
    else {
        panic!("no int")
    };
    let DiType::Array { dimensions, .. } = module.di_type(type_of(&module, "matrix")) else { panic!("no array") };
    assert_eq!(dimensions, [Some(3), Some(4)]);
}

/// The element type of an array of const elements, without the `const`.
fn element_of_const(module: &Module, name: &str) -> MdId {
    let DiType::Array { element: Some(element), .. } = module.di_type(type_of(module, name)) else {
        panic!("'{name}' is no array")
    };
    match module.di_type(element) {
        DiType::Qualified { qualifier: Qualifier::Const, of: Some(of) } => of,
        other => panic!("{other:?}"),
    }
}

#[test]
fn enums_functions_and_flexible_arrays() {
    let module = data();
    let find = |kind: &str, name: &str| {
        let index = module.metadata.iter().position(|n| n.kind == kind && n.field_str("name") == Some(name));
        MdId(index.unwrap_or_else(|| panic!("no {name}")) as u32)
    };
    let DiType::Enum { enumerators, bits: 32, name: Some("colour"), .. } =
        module.di_type(find("DICompositeType", "colour"))
    else {
        panic!("no enum")
    };
    assert_eq!(enumerators, [("RED", 0), ("GREEN", 5), ("BLUE", 6), ("NEGATIVE", -3)]);
    let text = find("DICompositeType", "text");
    assert_eq!(module.describe_offset(text, 0, 8), ".length");
    assert_eq!(module.describe_offset(text, 108, 1), ".bytes[100]");
    let DiType::Record(record) = module.di_type(text) else { panic!("no struct") };
    let flexible = module.di_type(record.members[1].ty.expect("bytes has a type"));
    assert!(matches!(flexible, DiType::Array { dimensions, .. } if dimensions == [None]));
    let union = find("DICompositeType", "number");
    assert!(matches!(module.di_type(union), DiType::Record(Record { kind: RecordKind::Union, .. })));
    assert_eq!(module.di_size(union), Some(4));
}

#[test]
fn locals_and_scopes() {
    let module = data();
    let mut seen = Vec::new();
    for function in module.functions.iter().filter(|f| f.name == "make_text") {
        for inst in function.blocks.iter().flat_map(|block| &block.insts) {
            let InstKind::Dbg(record) = &inst.kind else {
                continue;
            };
            let variable = module.local_variable(record.variable).expect("it is a variable");
            let scope = variable.scope.expect("a local has a scope");
            assert_eq!(module.scope_function(scope), Some("make_text"));
            seen.push((variable.name.to_owned(), variable.arg, module.di_type_name(variable.ty)));
            let location = module.location(record.location.expect("it has a place")).expect("it is a location");
            assert_eq!(location.line, variable.line);
            assert_eq!(location.inlined_at, None);
        }
    }
    let expected = [
        ("from".to_owned(), Some(1), "const char *".to_owned()),
        ("length".to_owned(), None, "size_t".to_owned()),
        ("text".to_owned(), None, "struct text *".to_owned()),
    ];
    assert_eq!(seen, expected);
}

#[test]
fn every_location_of_optimised_code_leads_to_a_function() {
    let mut inlined = 0;
    for program in super::clang::PROGRAMS {
        let module = parse_bytes(&compile(program, &["-O2", "-g"])).expect("clang's text is right");
        for inst in module.functions.iter().flat_map(|f| &f.blocks).flat_map(|block| &block.insts) {
            let Some(loc) = inst.loc else { continue };
            let chain = module.inline_chain(loc);
            assert!(!chain.is_empty());
            for location in &chain {
                assert!(module.scope_function(location.scope).is_some());
                assert!(location.file.starts_with('/'), "{}", location.file);
            }
            assert_eq!(chain.last().and_then(|location| location.inlined_at), None);
            inlined += usize::from(chain.len() > 1);
        }
    }
    assert!(inlined > 0);
}

#[test]
fn files_fragments_and_labels() {
    let text = "
@g = internal global i32 0, !dbg !0
!0 = !DIGlobalVariableExpression(var: !1, expr: !DIExpression(DW_OP_LLVM_fragment, 32, 64))
!1 = distinct !DIGlobalVariable(name: \"g\", scope: null, file: !2, line: 7, type: !5)
!2 = !DIFile(filename: \"src/a.c\", directory: \"/home/x/\")
!3 = !DIFile(filename: \"/usr/include/b.h\", directory: \"/home/x\")
!4 = !DILabel(scope: !6, name: \"again\", file: !3, line: 9)
!5 = !DIBasicType(name: \"long\", size: 64, encoding: DW_ATE_signed)
!6 = distinct !DISubprogram(name: \"f\", file: !2)
!7 = !DILocation(line: 4, column: 2, scope: !8, inlinedAt: !9)
!8 = distinct !DILexicalBlockFile(scope: !6, file: !3, discriminator: 1)
!9 = distinct !DILocation(line: 5, scope: !6)
";
    let module = module(text);
    let variable = module.global_variable(MdId(0)).expect("it is a variable");
    assert_eq!(variable.fragment, Some((32, 64)));
    assert_eq!(variable.file.as_deref(), Some("/home/x/src/a.c"));
    let label = module.label(MdId(4)).expect("it is a label");
    assert_eq!((label.name, label.line, label.file.as_deref()), ("again", 9, Some("/usr/include/b.h")));
    let chain = module.inline_chain(MdId(7));
    let places: Vec<_> = chain.iter().map(|l| (&*l.file, l.line, l.column)).collect();
    assert_eq!(places, [("/usr/include/b.h", 4, 2), ("/home/x/src/a.c", 5, 0)]);
    assert_eq!(module.scope_subprogram(MdId(8)), Some(MdId(6)));
}

/// Metadata that goes in circles or branches without end, and ids that are not there.
#[test]
fn nonsense_ends() {
    let mut text = String::from(
        "
!0 = !DILocation(line: 1, scope: !1, inlinedAt: !0)
!1 = !DILexicalBlock(scope: !1)
!2 = !DIDerivedType(tag: DW_TAG_typedef, name: \"t\", baseType: !2)
!3 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !3)
!4 = !DICompositeType(tag: DW_TAG_array_type, baseType: !4, elements: !5)
!5 = !{!6}
!6 = !DISubrange(count: 3)
!7 = !DICompositeType(tag: DW_TAG_union_type, elements: !8, size: 64)
!8 = !{!9, !9, !9}
!9 = !DIDerivedType(tag: DW_TAG_member, name: \"m\", baseType: !7, size: 64)
!10 = !DISubroutineType(types: !11)
!11 = !{!10, !10, !10, null}
!12 = !DICompositeType(tag: DW_TAG_array_type, baseType: !13, elements: !14)
!13 = !DIBasicType(name: \"char\", size: 8, encoding: DW_ATE_signed_char)
!14 = !{!6, !0, null, i32 4}
",
    );
    text.push_str("!15 = !DILocation(line: -1, column: 99999999999, scope: !7)\n");
    let module = module(&text);
    for id in (0..40).map(MdId) {
        module.di_type(id);
        module.di_type_name(Some(id));
        module.di_size(id);
        module.strip_di_type(id);
        module.inline_chain(id);
        module.scope_function(id);
        module.location(id);
        module.local_variable(id);
        module.global_variable(id);
        module.label(id);
        for (offset, size) in [(0, 0), (1, 8), (u64::MAX, u64::MAX), (7, 1)] {
            module.describe_offset(id, offset, size);
        }
    }
    assert_eq!(module.inline_chain(MdId(0)).len(), 1);
    assert_eq!(module.location(MdId(15)).map(|l| (l.line, l.column)), Some((0, 0)));
}

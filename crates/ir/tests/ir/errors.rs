//! Text that must be refused: the line, the column and the words of the message.

use threadbare_ir::parse;

fn check(text: &str, line: u32, column: u32, message: &str) {
    match parse(text) {
        Ok(_) => panic!("accepted:\n{text}"),
        Err(error) => {
            assert_eq!((error.line, error.column, error.message.as_str()), (line, column, message), "\n{text}");
        }
    }
}

/// The message for a function body of one line, which is line 2.
fn check_inst(line: &str, column: u32, message: &str) {
    let text = format!(
        "%s = type {{ i32, [2 x i8] }} %o = type opaque define void @f(i32 %a, i64 %w, ptr %p, double %d, \
         <4 x i32> %v, i1 %c) {{\n  {line}\n  ret void\n}}\n!0 = !{{}}\n"
    );
    check(&text, 2, column, message);
}

#[test]
fn tokens() {
    check("@a = global i32 &", 1, 17, "unexpected character: '&'");
    check("@\"abc", 1, 1, "unterminated quoted name: '@\"abc'");
    check("source_filename = \"abc\n", 1, 19, "unterminated string: '\"abc'");
    check("@a = global i32 12abc", 1, 17, "malformed number: '12abc'");
    check("@a = global double 1.5e", 1, 20, "malformed number: '1.5e'");
    check("@a = global double .5", 1, 20, "expected a value but found '.5'");
    check("@a = global [1 x i8] c\"a", 1, 22, "unterminated string: 'c\"a'");
    check("@99999999999 = global i32 0", 1, 1, "malformed numbered name: '@99999999999'");
    check("@ = global i32 0", 1, 1, "expected a name after the sigil: '@'");
    check("@\"\\FF\" = global i32 0", 1, 1, "names that are not UTF-8 are unsupported");
    check("@\"a\\00\" = global i32 0", 1, 1, "a name holds a NUL byte");
    check("@\"7\" = global i32 0", 1, 1, "the quoted name \"7\" reads like a number");
}

#[test]
fn top_level() {
    check("\n\n  foo", 3, 3, "unknown top-level entity 'foo'");
    check("]", 1, 1, "expected a top-level entity but found ']'");
    check("target foo = \"x\"", 1, 8, "expected 'triple' or 'datalayout' but found 'foo'");
    check("target triple \"x\"", 1, 15, "expected '=' but found '\"x\"'");
    check("module asm", 1, 11, "expected a string but found the end of the text");
    check("$c = comdat sometimes", 1, 13, "expected a kind of comdat but found 'sometimes'");
    check("^0 = gv: (a (b)", 1, 16, "expected ')' but found the end of the text");
    check("^0 = thing: ()", 1, 6, "expected a kind of summary but found 'thing:'");
    check("uselistorder ptr null, { 0 1 }", 1, 28, "expected '}' but found '1'");
    check("attributes #0 = { nounwind foo }", 1, 28, "unknown attribute 'foo'");
    check("attributes #0 = { #1 }", 1, 19, "an attribute group cannot hold another");
    check("attributes #0 = { zeroext }", 1, 19, "attribute 'zeroext' does not apply to functions");
    check("attributes #0 = { memory(maybe) }", 1, 26, "expected a memory effect but found 'maybe'");
    check("attributes #0 = { nounwind", 1, 27, "expected an attribute or '}' but found the end of the text");
    check("attributes #0 = {}\nattributes #0 = {}", 2, 12, "redefinition of attribute group '#0'");
}

#[test]
fn globals() {
    check("@a = globl i32 0", 1, 6, "expected 'global' or 'constant' but found 'globl'");
    check("@a = global i32", 1, 16, "expected a value but found the end of the text");
    check("@a = global i32 0, aline 4", 1, 20, "expected a property of the variable but found 'aline'");
    check("@a = global i32 0, align 3", 1, 26, "alignment 3 is not a power of two");
    check("@a = global i32 0, align 8589934592", 1, 26, "an alignment is too large: 8589934592");
    check("@a = global void", 1, 13, "'void' is only allowed as a function's result");
    check("@a = global i32 0\n@a = global i32 0", 2, 1, "redefinition of '@a'");
    check("@a = global ptr @b", 1, 17, "use of undefined value '@b'");
    check("@1 = global i32 0", 1, 1, "expected the number '@0' but found '@1'");
    check("@a = addrspace(3) global i32 0", 1, 16, "address space 3 is unsupported");
    check("@a = global i32 0, code_model \"huge\"", 1, 31, "expected a code model but found '\"huge\"'");
    check("@a = thread_local(often) global i32 0", 1, 19, "expected a model of thread-local storage but found 'often'");
    check("@a = alias i32, i32 0", 1, 17, "expected type 'ptr' but found 'i32'");
    check("@a = global i32 0 #7", 1, 19, "use of undefined attribute group '#7'");
    check("@a = global i32 0, !strange !0", 1, 20, "unknown metadata attachment '!strange'");
}

#[test]
fn types() {
    check("@a = external global i0", 1, 22, "'i0' is no integer type");
    check("@a = external global i8388608", 1, 22, "'i8388608' is no integer type");
    check("@a = external global <vscale x 4 x i32>", 1, 23, "scalable vectors are unsupported");
    check("@a = external global target(\"spirv.Image\")", 1, 22, "type 'target' is unsupported");
    check("@a = external global ppc_fp128", 1, 22, "type 'ppc_fp128' is unsupported");
    check("@a = external global x86_amx", 1, 22, "type 'x86_amx' is unsupported");
    check("@a = external global ptr addrspace(1)", 1, 36, "address space 1 is unsupported");
    check("@a = external global <0 x i32>", 1, 23, "a vector cannot have 0 elements");
    check("@a = external global <2 x [2 x i32]>", 1, 27, "vectors of '[2 x i32]' do not exist");
    check("@a = external global [2 x void]", 1, 27, "'void' is only allowed as a function's result");
    check("@a = external global { label }", 1, 24, "'label' cannot be an element");
    check("@a = external global [-1 x i8]", 1, 23, "an array length must be from 0 to 18446744073709551615, but is -1");
    check("@a = external global [4 by i8]", 1, 25, "expected 'x' but found 'by'");
    check("@a = external global i32*", 1, 25, "expected a top-level entity but found '*'");
    check("@a = external global %t", 1, 22, "use of undefined type '%t'");
    check("%t = type { i32 }\n%t = type { i64 }", 2, 1, "redefinition of type '%t'");
    check("%t = type i32", 1, 11, "names for types other than structs are unsupported");
    check("%t = type { i32, %t }", 1, 1, "type '%t' contains itself");
    check("%t = type { [2 x %u] }\n%u = type { %t }", 1, 1, "type '%t' contains itself");
    check("declare i32 (i32) @f()", 1, 9, "a function cannot return 'i32 (i32)'");
    check("declare void @f(..., i32)", 1, 20, "expected ')' after '...' but found ','");
}

#[test]
fn constants() {
    check("@a = global i8 256", 1, 16, "integer '256' does not fit i8");
    check("@a = global i8 -129", 1, 16, "integer '-129' does not fit i8");
    check("@a = global i1 2", 1, 16, "integer '2' does not fit i1");
    check(
        "@a = global i128 340282366920938463463374607431768211456",
        1,
        18,
        "integer '340282366920938463463374607431768211456' does not fit i128",
    );
    check("@a = global i4097 1", 1, 19, "integer constants of more than 4096 bits are unsupported");
    let over = "680564733841876926926749214863536422912"; // 2^129
    check(
        &format!("@a = global i129 {over}"),
        1,
        18,
        "integer '680564733841876926926749214863536422912' does not fit i129",
    );
    check("@a = global float 0.1", 1, 19, "float '0.1' is no value of type 'float'");
    check("@a = global x86_fp80 1.0", 1, 22, "float '1.0' is no value of type 'x86_fp80'");
    check("@a = global float 0xH3C00", 1, 19, "float '0xH3C00' is no value of type 'float'");
    check("@a = global double 0x", 1, 20, "float '0x' is no value of type 'double'");
    check("@a = global double 1", 1, 20, "an integer cannot have type 'double'");
    check("@a = global i32 1.0", 1, 17, "a float cannot have type 'i32'");
    check("@a = global i32 null", 1, 17, "'null' cannot have type 'i32'");
    check("@a = global i8 true", 1, 16, "a truth value cannot have type 'i8'");
    check("@a = global i64 @a", 1, 17, "a global cannot have type 'i64'");
    check("@a = global i32 %x", 1, 17, "a local value is not a constant");
    check("@a = global [2 x i8] c\"abc\"", 1, 22, "a string of 3 bytes cannot have type '[2 x i8]'");
    check("@a = global [2 x i8] [i8 1]", 1, 23, "type '[2 x i8]' needs 2 elements, not 1");
    check("@a = global [2 x i8] [i8 1, i16 2]", 1, 29, "expected type 'i8' but found 'i16'");
    check("@a = global {i8} {i8 1, i8 2}", 1, 25, "too many elements for type '{i8}'");
    check("@a = global {i8} <{i8 1}>", 1, 19, "a packed struct cannot have type '{i8}'");
    check("@a = global i8 splat (i8 1)", 1, 16, "a splat cannot have type 'i8'");
    check("@a = global ptr inttoptr (i64 1 to i64)", 1, 27, "invalid cast from 'i64' to 'i64'");
    check("@a = global i64 zext (i32 1 to i64)", 1, 17, "constant 'zext' is unsupported");
    check("@a = global i64 udiv (i64 1, i64 1)", 1, 17, "expected a value but found 'udiv'");
    check("@a = global i1 icmp eq (i64 1, i64 1)", 1, 16, "constant 'icmp' is unsupported");
    check("@a = global ptr dso_local_equivalent @a", 1, 17, "constant 'dso_local_equivalent' is unsupported");
    check(
        "@a = global ptr getelementptr ({i8}, ptr @a, i32 0, i32 1)",
        1,
        32,
        "invalid getelementptr index into '{i8}'",
    );
    check("@a = global ptr getelementptr (i8)", 1, 32, "getelementptr without a pointer");
    check("@a = global ptr blockaddress(@f, %x)\ndeclare void @f()", 1, 34, "function '@f' has no block '%x'");
    check(
        "@a = global ptr blockaddress(@f, %x)\ndefine void @f() {\n  ret void\n}",
        1,
        34,
        "function '@f' has no block '%x'",
    );
}

#[test]
fn functions() {
    check("define void @f() {\n}", 2, 1, "a function body needs at least one block");
    check("define void @f()", 1, 17, "expected '{' but found the end of the text");
    check("define void @f() {\n  ret void", 2, 11, "expected an instruction but found the end of the text");
    check("define void @f() {\n  br label %x\n}", 2, 12, "use of undefined block '%x'");
    check("define i32 @f() {\n  ret i32 %x\n}", 2, 11, "use of undefined value '%x'");
    check("define void @f(i32 %x, i32 %x) {\n  ret void\n}", 1, 28, "redefinition of '%x'");
    check("define void @f(i32 %1) {\n  ret void\n}", 1, 20, "expected the number '%0' but found '%1'");
    check("define void @f() {\n1:\n  ret void\n}", 2, 1, "expected the number '0' but found '1'");
    check("define void @f() {\na:\n  ret void\na:\n  ret void\n}", 4, 1, "redefinition of block 'a'");
    check("define void @f(i32 %a) {\na:\n  ret void\n}", 2, 1, "'%a' is a value, not a block");
    check("define extern_weak void @f() {\n  ret void\n}", 1, 8, "a definition cannot have this linkage");
    check("declare internal void @f()", 1, 9, "a declaration cannot have this linkage");
    check("define x86_stdcallcc void @f() {\n  ret void\n}", 1, 8, "calling convention 'x86_stdcallcc' is unsupported");
    check("define cc 10 void @f() {\n  ret void\n}", 1, 8, "calling convention 'cc' is unsupported");
    check("declare void @f(i32 cold)", 1, 21, "attribute 'cold' does not apply to parameters");
    check("declare returned i32 @f(i32)", 1, 9, "attribute 'returned' does not apply to results");
    check("declare void @f(i32 shiny)", 1, 21, "expected ',' or ')' but found 'shiny'");
    check("declare void @f() shiny", 1, 19, "unknown top-level entity 'shiny'");
    check("define void @f() shiny {\n  ret void\n}", 1, 18, "expected '{' but found 'shiny'");
    check("declare void @f() #3", 1, 19, "use of undefined attribute group '#3'");
    check("declare void @f(label)", 1, 17, "a block cannot be a parameter");
    check("declare label @f()", 1, 9, "a function cannot return 'label'");
}

#[test]
fn instructions() {
    check_inst("foo i32 %a", 3, "unknown instruction 'foo'");
    check_inst("invoke void @f() to label %x unwind label %y", 3, "instruction 'invoke' is unsupported");
    check_inst("%x = landingpad { ptr, i32 } cleanup", 8, "instruction 'landingpad' is unsupported");
    check_inst("callbr void asm \"\", \"\"() to label %x []", 3, "instruction 'callbr' is unsupported");
    check_inst("%x add i32 %a, 1", 6, "expected '=' but found 'add'");
    check("define void @f(i32 %a) {\n  %x = add i32 %a\n  ret void\n}", 3, 3, "expected ',' but found 'ret'");
}

#[test]
fn operands() {
    check_inst("%x = add i64 %a, 1", 16, "'%a' has type 'i32', not 'i64'");
    check_inst("%x = add double %d, 1.0", 12, "'add' does not apply to 'double'");
    check_inst("%x = fadd i32 %a, 1", 13, "'fadd' does not apply to 'i32'");
    check_inst("%x = add fast i32 %a, 1", 12, "expected a type but found 'fast'");
    check_inst("%x = add exact i32 %a, 1", 12, "expected a type but found 'exact'");
    check_inst("%x = fneg i32 %a", 13, "'fneg' does not apply to 'i32'");
    check_inst("%x = icmp lt i32 %a, 1", 13, "expected a predicate but found 'lt'");
    check_inst("%x = icmp eq double %d, %d", 16, "'icmp' does not apply to 'double'");
    check_inst("%x = fcmp oeq i32 %a, %a", 17, "'fcmp' does not apply to 'i32'");
    check_inst("%x = trunc i32 %a to i64", 14, "invalid cast from 'i32' to 'i64'");
    check_inst("%x = zext <4 x i32> %v to i64", 13, "invalid cast from '<4 x i32>' to 'i64'");
    check_inst("%x = bitcast i32 %a to double", 16, "invalid cast from 'i32' to 'double'");
    check_inst("%x = bitcast ptr %p to i64", 16, "invalid cast from 'ptr' to 'i64'");
    check_inst("%x = select i32 %a, i32 %a, i32 %a", 15, "expected type 'i1' but found 'i32'");
    check_inst("%x = select i1 %c, i32 %a, i64 %w", 30, "expected type 'i32' but found 'i64'");
    check_inst("%x = phi i32 [ 0, %a ]", 21, "'%a' is a value, not a block");
    check_inst("%x = extractvalue { i32 } undef, 1", 36, "type '{i32}' has no element 1");
    check_inst("%x = extractvalue i32 %a, 0", 29, "type 'i32' has no element 0");
    check_inst("%x = insertvalue { i32 } undef, i64 %w, 0", 35, "expected type 'i32' but found 'i64'");
    check_inst("%x = extractelement i32 %a, i32 0", 23, "'i32' is no vector");
    check_inst("%x = insertelement <4 x i32> %v, i64 1, i32 0", 36, "expected type 'i32' but found 'i64'");
    check_inst(
        "%x = shufflevector <4 x i32> %v, <4 x i32> %v, <1 x i32> <i32 8>",
        50,
        "the operands have no element 8",
    );
    check_inst(
        "%x = shufflevector <4 x i32> %v, <4 x i32> %v, <4000000000 x i32> zeroinitializer",
        50,
        "malformed shuffle mask",
    );
    check_inst("store i32 %a, i64 %w", 17, "expected type 'ptr' but found 'i64'");
    check_inst("store void, ptr %p", 9, "'void' is only allowed as a function's result");
    check_inst("%x = load atomic i32, ptr %p release, align 4", 13, "a load cannot release");
    check_inst("%x = load atomic i32, ptr %p acquire", 13, "an atomic access needs an alignment");
    check_inst("store atomic i32 1, ptr %p acq_rel, align 4", 9, "a store cannot acquire");
    check_inst("%x = load i32, ptr %p acquire, align 4", 25, "unknown instruction 'acquire'");
    check_inst(
        "%x = load atomic i32, ptr %p syncscope(\"agent\") acquire, align 4",
        42,
        "expected \"singlethread\" but found '\"agent\"'",
    );
    check_inst("fence monotonic", 9, "a fence must acquire or release");
    check_inst("fence strong", 9, "expected an ordering but found 'strong'");
    check_inst("%x = atomicrmw plus ptr %p, i32 1 seq_cst", 18, "expected an atomic operation but found 'plus'");
    check_inst("%x = atomicrmw add ptr %p, double 1.0 seq_cst", 30, "'add' does not apply to 'double'");
    check_inst("%x = atomicrmw add ptr %p, i32 1 unordered", 36, "'atomicrmw' cannot be unordered");
    check_inst("%x = cmpxchg ptr %p, i32 0, i32 1 seq_cst release", 37, "invalid orderings for 'cmpxchg'");
    check_inst("%x = alloca %o", 15, "type '%o' has no size");
    check_inst("%x = alloca inalloca i32", 15, "'alloca inalloca' is unsupported");
    check_inst("%x = getelementptr %s, ptr %p, i32 0, i32 %a", 22, "invalid getelementptr index into '%s'");
    check_inst("%x = getelementptr %s, i64 %w, i32 0", 22, "'i64' is no pointer");
    check_inst("%x = getelementptr i8, ptr %p, double %d", 22, "'double' is no index type");
    check_inst("%x = getelementptr %o, ptr %p, i32 1", 22, "type '%o' has no size");
    check_inst("switch i32 %a, label %x [ i32 1, label %x i32 1, label %x ]", 45, "duplicate case");
    check_inst("br i32 %a, label %x, label %x", 6, "expected type 'i1' but found 'i32'");
    check_inst("ret i32 %a", 7, "expected type 'void' but found 'i32'");
    check_inst("%x = store i32 1, ptr %p", 3, "an instruction without result cannot have a name");
    check_inst("%x = call void @f()", 3, "an instruction without result cannot have a name");
    check_inst("call void (i32) @f(i64 %w)", 8, "expected type 'i32' but found 'i64'");
    check_inst("call void (i32) @f()", 8, "the call passes 0 arguments for 1 parameters");
    check_inst("call void @f(i32 %a, ...)", 24, "forwarding '...' to a 'musttail' call is unsupported");
    check_inst("call void @f() bogus", 18, "unknown instruction 'bogus'");
    check_inst("call void @f() [ \"x\" ]", 24, "expected '(' but found ']'");
    check_inst("call preserve_mostcc void @f()", 8, "calling convention 'preserve_mostcc' is unsupported");
    check_inst("call void @f(), !odd !0", 19, "unknown metadata attachment '!odd'");
    check_inst("call void @f(), align 4", 19, "expected a metadata attachment but found 'align'");
    check_inst("call void @f(), !dbg !9", 24, "use of undefined metadata '!9'");
    check_inst("call void @f() #9", 18, "use of undefined attribute group '#9'");
    check_inst("#dbg_thing(!0, !0)", 3, "unknown debug record '#dbg_thing'");
    check_inst("#dbg_value(i32 %a, !0, !0, !0)", 26, "expected '!DIExpression' but found '!0'");
    check(
        "define void @f(i1 %c) {\n  br label %x\nx:\n  %y = add i1 %c, %c\n  %z = phi i1 [ %c, %0 ]\n  ret void\n}",
        5,
        3,
        "'phi' after other instructions of its block",
    );
    check(
        "define void @f() {\n  br label %x\nx:\n  %y = add i32 %z, 1\n  %z = add i64 1, 1\n  ret void\n}",
        5,
        3,
        "'%z' has type 'i64', not 'i32'",
    );
}

#[test]
fn metadata() {
    check("!0 = !DIThing()", 1, 6, "unknown metadata node '!DIThing'");
    check("!0 = !DILocation(row: 1)", 1, 18, "unknown field 'row' of '!DILocation'");
    check("!0 = !DILocation(line: 1, line: 2)", 1, 27, "field 'line' occurs twice");
    check("!0 = !DILocation(line: bogus)", 1, 24, "expected metadata but found 'bogus'");
    check("!0 = !DILocation(line: 1", 1, 25, "expected ',' or ')' but found the end of the text");
    check(
        "!0 = !DIExpression(DW_TAG_member)",
        1,
        20,
        "expected an operation of a DIExpression but found 'DW_TAG_member'",
    );
    check("!0 = !DIFile(filename: \"a\", flags: 1)", 1, 29, "unknown field 'flags' of '!DIFile'");
    check("!0 = !{!1}", 1, 8, "use of undefined metadata '!1'");
    check("!0 = !{}\n!0 = !{}", 2, 1, "redefinition of metadata '!0'");
    check("!4000000000 = !{}", 1, 1, "metadata number '!4000000000' is too large");
    check("!0 = !{!4000000000}", 1, 8, "use of undefined metadata '!4000000000'");
    check("!0 = i32 1", 1, 6, "expected a metadata node but found 'i32'");
    check("!a = !{!\"x\"}", 1, 8, "expected a numbered metadata node but found '!'");
    check("!a = !{}\n!a = !{}", 2, 1, "redefinition of metadata '!a'");
    check(
        "!0 = !{ptr blockaddress(@f, %x)}\ndefine void @f() {\nx:\n  ret void\n}",
        1,
        1,
        "block addresses in metadata are unsupported",
    );
}

#[test]
fn non_utf8_text_has_places_too() {
    let error = threadbare_ir::parse_bytes(b"; \xff\xfe\n\xff").expect_err("no entity begins so");
    assert_eq!((error.line, error.column), (2, 1));
    assert_eq!(error.to_string(), "2:1: unexpected character: '\u{fffd}'");
}

/// As in LLVM: a value is computed before it is used, whichever way control comes there. Such code was executed.
#[test]
fn values_that_are_not_there_yet() {
    let body = |text: &str| format!("define i32 @f(i1 %c) {{\n{text}}}\n");
    let late = "'%x' is used where it has not been computed on every way";
    check(&body("  %y = add i32 %x, 1\n  %x = add i32 1, 2\n  ret i32 %y\n"), 2, 3, late);
    check(&body("  %x = add i32 %x, 1\n  ret i32 %x\n"), 2, 3, late);
    let diamond = |join: &str| {
        body(&format!(
            "  br i1 %c, label %a, label %b\na:\n  %x = add i32 1, 2\n  br label %j\nb:\n  br label %j\nj:\n{join}  ret i32 0\n"
        ))
    };
    check(&diamond("  %y = add i32 %x, 1\n"), 9, 3, late);
    check(&diamond("  %y = phi i32 [ 0, %a ], [ %x, %b ]\n"), 9, 3, late);
    check(&diamond("  %y = phi i32 [ %x, %a ]\n"), 9, 3, "'phi' has no value for the way from block '%b'");
    check(
        &diamond("  %y = phi i32 [ %x, %a ], [ 0, %b ], [ 0, %j ]\n"),
        9,
        3,
        "'phi' has a value for block '%j', which does not lead here",
    );
    check(&body("e:\n  br label %e\n"), 3, 3, "a jump to the first block of a function");
    // What goes round, and what is never executed, is fine.
    let fine = [
        diamond("  %y = phi i32 [ %x, %a ], [ 0, %b ]\n"),
        body("  ret i32 0\ndead:\n  %y = add i32 %x, 1\n  %x = add i32 %y, 1\n  ret i32 %x\n"),
        body(
            "  br label %l\nl:\n  %i = phi i32 [ 0, %0 ], [ %n, %l ]\n  %n = add i32 %i, 1\n  br i1 %c, label %l, label %o\no:\n  \
             ret i32 %n\n",
        ),
        body(
            "  switch i32 1, label %a [ i32 1, label %b i32 2, label %b ]\na:\n  ret i32 1\nb:\n  %p = phi i32 [ 3, %0 ], [ 3, %0 ]\n  ret i32 %p\n",
        ),
    ];
    for text in fine {
        parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    }
}

/// A circle of aliases made Threadbare overflow its stack.
#[test]
fn aliases_that_mean_themselves() {
    check("@a = alias i32, ptr @a", 1, 1, "the alias '@a' means itself");
    let circle = "@a = alias i32, ptr @b\n@b = alias i32, getelementptr (i8, ptr @a, i64 4)\n";
    check(circle, 1, 1, "the alias '@a' means itself");
}

//! Constants of globals: text against value, and block addresses.

use threadbare_ir::*;

use super::module;

fn initialiser(ty: &str, value: &str) -> Const {
    let text = format!("%s = type {{ i8, i32 }}\n@x = global i32 0\n@g = global {ty} {value}\n");
    module(&text).globals[1].init.clone().expect("a definition has an initialiser")
}

#[test]
fn integers() {
    let table: &[(&str, &str, u128)] = &[
        ("i1", "true", 1),
        ("i1", "false", 0),
        ("i1", "-1", 1),
        ("i8", "-128", 0x80),
        ("i8", "255", 0xff),
        ("i32", "-1", 0xffff_ffff),
        ("i37", "-1", (1 << 37) - 1),
        ("i64", "9223372036854775808", 1 << 63),
        ("i128", "-170141183460469231731687303715884105728", 1 << 127),
        ("i128", "340282366920938463463374607431768211455", u128::MAX),
        ("i128", "-1", u128::MAX),
    ];
    for &(ty, text, value) in table {
        assert_eq!(initialiser(ty, text), Const::Int(value), "{ty} {text}");
    }
}

#[test]
fn integers_of_more_than_128_bits() {
    let table: &[(&str, &str, &[u64])] = &[
        ("i129", "0", &[0, 0, 0]),
        ("i129", "-1", &[u64::MAX, u64::MAX, 1]),
        ("i129", "340282366920938463463374607431768211456", &[0, 0, 1]),
        ("i129", "680564733841876926926749214863536422911", &[u64::MAX, u64::MAX, 1]),
        ("i129", "-340282366920938463463374607431768211456", &[0, 0, 1]),
        ("i176", "18446744073709551617", &[1, 1, 0]),
        ("i176", "-18446744073709551616", &[0, u64::MAX, 0xffff_ffff_ffff]),
        ("i192", "-1", &[u64::MAX; 3]),
        ("i192", "6277101735386680763835789423207666416102355444464034512895", &[u64::MAX; 3]),
        ("i192", "-3138550867693340381917894711603833208051177722232017256448", &[0, 0, 1 << 63]),
        ("i4096", "-2", &[&[u64::MAX - 1][..], &[u64::MAX; 63]].concat()),
    ];
    for &(ty, text, limbs) in table {
        assert_eq!(initialiser(ty, text), Const::WideInt(limbs.to_vec()), "{ty} {text}");
    }
}

#[test]
fn floats() {
    let table: &[(&str, &str, u128)] = &[
        ("double", "1.0", f64::to_bits(1.0).into()),
        ("double", "-0.0", 1 << 63),
        ("double", "1.000000e-01", f64::to_bits(0.1).into()),
        ("double", "+1.5E+3", f64::to_bits(1500.0).into()),
        ("double", "0x7FF0000000000001", 0x7ff0_0000_0000_0001),
        ("float", "2.5", f32::to_bits(2.5).into()),
        ("float", "0x3FB99999A0000000", f32::to_bits(0.1).into()),
        ("float", "0x36A0000000000000", 1),
        ("half", "0xH3C00", 0x3c00),
        ("half", "1.0", 0x3c00),
        ("bfloat", "0xR4049", 0x4049),
        ("x86_fp80", "0xK4000C8F5C28F5C28F800", 0x4000_c8f5_c28f_5c28_f800),
        ("fp128", "0xL00000000000000003FFF000000000000", 0x3fff << 112),
    ];
    for &(ty, text, bits) in table {
        assert_eq!(initialiser(ty, text), Const::Float(bits), "{ty} {text}");
    }
}

#[test]
fn simple_and_aggregate() {
    assert_eq!(initialiser("ptr", "null"), Const::Null);
    assert_eq!(initialiser("ptr", "@x"), Const::Global("x".into()));
    assert_eq!(initialiser("%s", "undef"), Const::Undef);
    assert_eq!(initialiser("[2 x %s]", "poison"), Const::Poison);
    assert_eq!(initialiser("[99999999999 x i8]", "zeroinitializer"), Const::Zero);
    assert_eq!(initialiser("[6 x i8]", r#"c"a\22\\\00z!""#), Const::Bytes(b"a\"\\\0z!".to_vec()));
    assert_eq!(initialiser("[0 x i32]", "[]"), Const::Aggregate(vec![]));
    assert_eq!(initialiser("{}", "{}"), Const::Aggregate(vec![]));
    let Const::Aggregate(fields) = initialiser("%s", "{ i8 1, i32 -1 }") else { panic!("no struct") };
    assert_eq!(fields[1].value, Const::Int(0xffff_ffff));
    let Const::Aggregate(fields) = initialiser("<{ i8, ptr }>", "<{ i8 1, ptr @x }>") else { panic!("no struct") };
    assert_eq!(fields.len(), 2);
    let Const::Aggregate(lanes) = initialiser("<2 x i8>", "<i8 1, i8 2>") else { panic!("no vector") };
    assert_eq!(lanes[1].value, Const::Int(2));
    assert!(matches!(initialiser("<4 x i8>", "splat (i8 7)"), Const::Splat(lane) if lane.value == Const::Int(7)));
}

#[test]
fn expressions() {
    let Const::Gep { args, .. } =
        initialiser("ptr", "getelementptr inbounds nuw inrange(-8, 16) (%s, ptr @x, i64 1, i32 1)")
    else {
        panic!("no getelementptr")
    };
    assert_eq!(args.len(), 3);
    assert_eq!(args[0].value, Const::Global("x".into()));
    for (ty, text, expected) in [
        ("i64", "ptrtoint (ptr @x to i64)", CastOp::PtrToInt),
        ("ptr", "inttoptr (i64 -1 to ptr)", CastOp::IntToPtr),
        ("i32", "trunc (i64 ptrtoint (ptr @x to i64) to i32)", CastOp::Trunc),
        ("i64", "bitcast (<2 x i32> <i32 1, i32 2> to i64)", CastOp::BitCast),
    ] {
        assert!(matches!(initialiser(ty, text), Const::Cast { op, .. } if op == expected), "{text}");
    }
    for (text, expected) in [
        ("sub (i64 ptrtoint (ptr @x to i64), i64 1)", BinOp::Sub),
        ("add nuw nsw (i64 ptrtoint (ptr @x to i64), i64 1)", BinOp::Add),
        ("xor (i64 ptrtoint (ptr @x to i64), i64 1)", BinOp::Xor),
    ] {
        assert!(matches!(initialiser("i64", text), Const::Binary { op, .. } if op == expected), "{text}");
    }
}

#[test]
fn block_addresses_become_numbers() {
    let text = "
@table = constant [2 x ptr] [ptr blockaddress(@f, %second), ptr blockaddress(@f, %1)]
define ptr @g() {
  %p = select i1 true, ptr blockaddress(@f, %second), ptr null
  ret ptr getelementptr (i8, ptr blockaddress(@f, %1), i64 1)
}
define void @f() {
  br label %second
second:
  br label %1
1:
  ret void
}
";
    let module = module(text);
    let address = |block| Const::BlockAddress { function: "f".into(), block: BlockRef::Id(BlockId(block)) };
    let Some(Const::Aggregate(entries)) = &module.globals[0].init else { panic!("no table") };
    assert_eq!((&entries[0].value, &entries[1].value), (&address(1), &address(2)));
    let insts = &module.functions[0].blocks[0].insts;
    assert!(matches!(&insts[0].kind, InstKind::Select { then, .. } if then.value == Value::Const(address(1))));
    let InstKind::Ret(Some(Operand { value: Value::Const(Const::Gep { args, .. }), .. })) = &insts[1].kind else {
        panic!("{:?}", insts[1])
    };
    assert_eq!(args[0].value, address(2));
}

//! Operations by what they do: plain accesses, comparisons, constants.

use crate::bytecode::{Op, Pred, Slot};

#[derive(Clone, Copy)]
pub enum Value {
    Slot(Slot),
    Constant(u64),
}

/// `constant + base + index * scale`.
#[derive(Clone, Copy)]
pub struct Address {
    pub base: Option<Slot>,
    pub index: Option<Slot>,
    pub constant: u64,
}

pub enum PlainAccess {
    Load(Slot),
    Store(Value),
}

pub fn plain_access(op: &Op) -> Option<(Address, PlainAccess)> {
    let through = |a| Address { base: Some(a), index: None, constant: 0 };
    let indexed = |a, b| Address { base: Some(a), index: Some(b), constant: 0 };
    let named = |constant| Address { base: None, index: None, constant };
    let table = |constant, b| Address { base: None, index: Some(b), constant };
    macro_rules! widths {
        ($($ld:ident $ldg:ident $ldx:ident $ldgx:ident $st:ident $stg:ident $stx:ident $stgx:ident)*) => {
            match *op {
                $(
                    Op::$ld { d, a, .. } => (through(a), PlainAccess::Load(d)),
                    Op::$ldg { d, p } => (named(p), PlainAccess::Load(d)),
                    Op::$ldx { d, a, b, .. } => (indexed(a, b), PlainAccess::Load(d)),
                    Op::$ldgx { d, b, p, .. } => (table(p, b), PlainAccess::Load(d)),
                    Op::$st { v, a, .. } => (through(a), PlainAccess::Store(Value::Slot(v))),
                    Op::$stg { v, p } => (named(p), PlainAccess::Store(Value::Slot(v))),
                    Op::$stx { v, a, b, .. } => (indexed(a, b), PlainAccess::Store(Value::Slot(v))),
                    Op::$stgx { v, b, p, .. } => (table(p, b), PlainAccess::Store(Value::Slot(v))),
                )*
                Op::LdN { d, a, .. } => (through(a), PlainAccess::Load(d)),
                Op::StN { v, a, .. } => (through(a), PlainAccess::Store(Value::Slot(v))),
                Op::StI { a, i, .. } => (through(a), PlainAccess::Store(Value::Constant(i))),
                _ => return None,
            }
        };
    }
    Some(widths! {
        Ld1 LdG1 LdX1 LdGX1 St1 StG1 StX1 StGX1
        Ld2 LdG2 LdX2 LdGX2 St2 StG2 StX2 StGX2
        Ld4 LdG4 LdX4 LdGX4 St4 StG4 StX4 StGX4
        Ld8 LdG8 LdX8 LdGX8 St8 StG8 StX8 StGX8
    })
}

pub struct Comparison {
    pub predicate: Pred,
    pub width: u8,
    pub a: Slot,
    pub b: Value,
    pub then: Then,
}

pub enum Then {
    Set(Slot),
    Jump(u32, u32),
}

pub fn comparison(op: &Op) -> Option<Comparison> {
    macro_rules! predicates {
        ($($predicate:ident $width:literal $set:ident $seti:ident $br:ident $bri:ident)*) => {
            match *op {
                $(
                    Op::$set { d, a, b } => (Pred::$predicate, $width, a, Value::Slot(b), Then::Set(d)),
                    Op::$seti { d, a, i } => (Pred::$predicate, $width, a, Value::Constant(i), Then::Set(d)),
                    Op::$br { a, b, t, f } => (Pred::$predicate, $width, a, Value::Slot(b), Then::Jump(t, f)),
                    Op::$bri { a, i, t, f } => {
                        (Pred::$predicate, $width, a, Value::Constant(i as i64 as u64), Then::Jump(t, f))
                    }
                )*
                Op::SetW { p, w, d, a, b } => (p, w, a, Value::Slot(b), Then::Set(d)),
                _ => return None,
            }
        };
    }
    let (predicate, width, a, b, then) = predicates! {
        Eq 64 SetEq SetEqI BrEq BrEqI
        Ne 64 SetNe SetNeI BrNe BrNeI
        Ult 64 SetUlt SetUltI BrUlt BrUltI
        Ule 64 SetUle SetUleI BrUle BrUleI
        Ugt 64 SetUgt SetUgtI BrUgt BrUgtI
        Uge 64 SetUge SetUgeI BrUge BrUgeI
        Slt 32 SetSlt32 SetSlt32I BrSlt32 BrSlt32I
        Sle 32 SetSle32 SetSle32I BrSle32 BrSle32I
        Sgt 32 SetSgt32 SetSgt32I BrSgt32 BrSgt32I
        Sge 32 SetSge32 SetSge32I BrSge32 BrSge32I
        Slt 64 SetSlt64 SetSlt64I BrSlt64 BrSlt64I
        Sle 64 SetSle64 SetSle64I BrSle64 BrSle64I
        Sgt 64 SetSgt64 SetSgt64I BrSgt64 BrSgt64I
        Sge 64 SetSge64 SetSge64I BrSge64 BrSge64I
    };
    Some(Comparison { predicate, width, a, b, then })
}

/// A constant in an operation that could be an address.
pub fn immediate(op: &Op) -> Option<u64> {
    macro_rules! binary {
        ($($name:ident)*) => {
            match *op {
                $( Op::$name { i, .. } => Some(i), )*
                Op::Imm { i, .. } | Op::AluI { i, .. } | Op::StI { i, .. } => Some(i),
                Op::LeaG { p, .. } => Some(p),
                _ => None,
            }
        };
    }
    binary! {
        Add32I Sub32I Mul32I Shl32I LShr32I AShr32I Add64I Sub64I Mul64I Shl64I LShr64I AShr64I AndI OrI XorI
    }
}

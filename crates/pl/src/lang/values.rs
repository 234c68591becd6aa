//! Arithmetic, the same for what is computed before the program runs and while it does.

use std::fmt;

use super::ast::{Binary, Unary};
use super::bytecode::Value;

/// Why there is no result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NoValue {
    DivisionByZero,
    Overflow,
}

impl fmt::Display for NoValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            NoValue::DivisionByZero => "division by zero",
            NoValue::Overflow => "the result does not fit into 64 bits",
        })
    }
}

#[inline(always)]
pub fn apply(operator: Binary, a: Value, b: Value) -> Result<Value, NoValue> {
    use Binary::*;
    if let (Value::Int(a), Value::Int(b)) = (a, b) {
        let result = match operator {
            Plus => a.checked_add(b),
            Minus => a.checked_sub(b),
            Times => a.checked_mul(b),
            Divide | Remainder if b == 0 => return Err(NoValue::DivisionByZero),
            Divide => a.checked_div(b),
            Remainder => a.checked_rem(b),
            Equal => return Ok(Value::Bool(a == b)),
            Differ => return Ok(Value::Bool(a != b)),
            Less => return Ok(Value::Bool(a < b)),
            AtMost => return Ok(Value::Bool(a <= b)),
            Greater => return Ok(Value::Bool(a > b)),
            AtLeast => return Ok(Value::Bool(a >= b)),
        };
        return result.map(Value::Int).ok_or(NoValue::Overflow);
    }
    match operator {
        Equal => Ok(Value::Bool(a == b)),
        Differ => Ok(Value::Bool(a != b)),
        _ => unreachable!("types are checked: {a:?} {operator:?} {b:?}"),
    }
}

/// `None` is an overflow.
#[inline(always)]
pub fn apply_unary(operator: Unary, value: Value) -> Option<Value> {
    match (operator, value) {
        (Unary::Not, Value::Bool(value)) => Some(Value::Bool(!value)),
        (Unary::Negate, Value::Int(value)) => value.checked_neg().map(Value::Int),
        _ => unreachable!("types are checked: {operator:?} {value:?}"),
    }
}

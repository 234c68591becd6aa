//! Debug records: `#dbg_value(…)` and its kin, which LLVM 19 prints between instructions.

use crate::lexer::Token;
use crate::module::{Const, DbgKind, DbgOp, DbgRecord, MdId, MdValue, Operand, Value};

use super::{Parser, Result};

impl Parser<'_> {
    pub(super) fn debug_record(&mut self, name: &str) -> Result<DbgRecord> {
        let kind = match name {
            "dbg_value" => DbgKind::Value,
            "dbg_declare" => DbgKind::Declare,
            "dbg_assign" => DbgKind::Assign,
            "dbg_label" => DbgKind::Label,
            _ => return Err(self.error(format!("unknown debug record '#{name}'"))),
        };
        self.advance();
        self.expect(b'(')?;
        let mut record = DbgRecord { kind, value: None, variable: MdId(0), expression: Vec::new(), location: None };
        if kind != DbgKind::Label {
            record.value = self.described_value()?;
            self.expect(b',')?;
        }
        record.variable = self.metadata_id()?;
        self.expect(b',')?;
        if kind != DbgKind::Label {
            record.expression = self.expression()?;
            self.expect(b',')?;
        }
        if kind == DbgKind::Assign {
            // The store that assigns, its address and how the address leads to the variable.
            self.metadata_id()?;
            self.expect(b',')?;
            self.metadata_operand()?;
            self.expect(b',')?;
            self.expression()?;
            self.expect(b',')?;
        }
        record.location = Some(self.metadata_id()?);
        self.expect(b')')?;
        Ok(record)
    }

    /// The value or address that is described: `None` for poison and for an empty node, which say "gone".
    fn described_value(&mut self) -> Result<Option<Operand>> {
        Ok(match self.metadata_operand()? {
            MdValue::Value(operand) => match operand.value {
                Value::Const(Const::Undef | Const::Poison) => None,
                _ => Some(*operand),
            },
            list @ MdValue::Node(_) if is_arg_list(&list) => {
                let value = Value::Const(Const::Metadata(Box::new(list)));
                Some(Operand { ty: self.common.metadata, value })
            }
            _ => None,
        })
    }

    fn expression(&mut self) -> Result<Vec<DbgOp>> {
        if self.current.token != Token::MdName("DIExpression") {
            return Err(self.unexpected("'!DIExpression'"));
        }
        self.advance();
        self.expect(b'(')?;
        let mut operations = Vec::new();
        self.list(b')', |p| {
            let here = p.current.start;
            operations.push(match p.expression_operation()? {
                MdValue::Word(word) => DbgOp::Word(word),
                MdValue::Int(number) => DbgOp::Int(
                    u64::try_from(number).map_err(|_| p.error_at(here, "a number below 0 or above 64 bits"))?,
                ),
                _ => return Err(p.error_at(here, "expected a word or a number")),
            });
            Ok(())
        })?;
        Ok(operations)
    }
}

fn is_arg_list(value: &MdValue) -> bool {
    matches!(value, MdValue::Node(node) if node.kind == "DIArgList")
}

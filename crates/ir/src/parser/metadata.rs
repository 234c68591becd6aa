//! Metadata: nodes, tuples, strings, attachments.
//!
//! Nodes keep their fields by name; the tables of `metadata_words` say which there are.

use crate::lexer::{Symbol, Token, unescape};
use crate::module::{MdId, MdNode, MdValue, Operand, Value};

use super::metadata_words::{fields_of, is_expression_word, is_value_word};
use super::words::ATTACHMENTS;
use super::{Parser, Result, lossy};

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Unknown,
    Used,
    Defined,
}

/// The numbered nodes, and what is known of each number.
///
/// A number beyond the length of the text cannot belong to a text that LLVM printed (nodes count from 0), so it is
/// refused before any table grows to its size.
pub(super) struct MetadataTable {
    text_len: usize,
    pub nodes: Vec<MdNode>,
    states: Vec<State>,
    /// Numbers that were used before their definition, with the place.
    waiting: Vec<(u32, usize)>,
}

impl MetadataTable {
    pub fn new(text_len: usize) -> Self {
        MetadataTable { text_len, nodes: Vec::new(), states: Vec::new(), waiting: Vec::new() }
    }

    /// `None` when the number is too large.
    fn state(&mut self, id: u32) -> Option<&mut State> {
        let index = id as usize;
        if index > self.text_len {
            return None;
        }
        if index >= self.states.len() {
            self.states.resize(index + 1, State::Unknown);
        }
        self.states.get_mut(index)
    }

    fn mention(&mut self, id: u32, at: usize) -> Option<()> {
        let state = self.state(id)?;
        if *state == State::Unknown {
            *state = State::Used;
            self.waiting.push((id, at));
        }
        Some(())
    }

    fn define(&mut self, id: u32, node: MdNode) {
        let index = id as usize;
        if index >= self.nodes.len() {
            self.nodes.resize_with(index + 1, MdNode::default);
        }
        self.nodes[index] = node;
    }

    pub fn undefined(&self) -> Option<(u32, usize)> {
        self.waiting.iter().copied().find(|&(id, _)| self.states[id as usize] != State::Defined)
    }
}

impl<'a> Parser<'a> {
    /// `!7 = distinct !DISubprogram(…)`
    pub(super) fn metadata_definition(&mut self, id: u32) -> Result<()> {
        let here = self.current.start;
        self.pending.saw_block_address = false;
        self.advance();
        self.expect(b'=')?;
        let distinct = self.eat_word("distinct");
        let mut node = match self.current.token {
            Token::Bang | Token::MdName(_) => self.nested(|p| p.inline_node())?,
            _ => return Err(self.unexpected("a metadata node")),
        };
        node.distinct = distinct;
        if std::mem::take(&mut self.pending.saw_block_address) {
            return Err(self.error_at(here, "block addresses in metadata are unsupported"));
        }
        match self.metadata.state(id) {
            Some(State::Defined) => Err(self.error_at(here, format!("redefinition of metadata '!{id}'"))),
            Some(state) => {
                *state = State::Defined;
                self.metadata.define(id, node);
                Ok(())
            }
            None => Err(self.error_at(here, format!("metadata number '!{id}' is too large"))),
        }
    }

    /// `!llvm.dbg.cu = !{!0, !1}`
    pub(super) fn named_metadata(&mut self, name: &str) -> Result<()> {
        let here = self.current.start;
        self.advance();
        self.expect(b'=')?;
        if self.current.token != Token::Bang {
            return Err(self.unexpected("'!{'"));
        }
        self.advance();
        self.expect(b'{')?;
        let mut ids = Vec::new();
        self.list(b'}', |p| {
            ids.push(p.metadata_id()?);
            Ok(())
        })?;
        if self.module.named_metadata.insert(name.to_owned(), ids).is_some() {
            return Err(self.error_at(here, format!("redefinition of metadata '!{name}'")));
        }
        Ok(())
    }

    /// `!7`
    pub(super) fn metadata_id(&mut self) -> Result<MdId> {
        let Token::MdId(id) = self.current.token else {
            return Err(self.unexpected("a numbered metadata node"));
        };
        if self.metadata.mention(id, self.current.start).is_none() {
            return Err(self.error(format!("use of undefined metadata '!{id}'")));
        }
        self.advance();
        Ok(MdId(id))
    }

    /// The attachment `!name !7`; its number if it is debug information.
    pub(super) fn attachment(&mut self, name: &str) -> Result<Option<MdId>> {
        if !ATTACHMENTS.contains(&name) {
            return Err(self.error(format!("unknown metadata attachment '!{name}'")));
        }
        self.advance();
        if name == "dbg" {
            return self.metadata_id().map(Some);
        }
        match self.current.token {
            Token::MdId(_) => self.metadata_id().map(drop)?,
            Token::Bang | Token::MdName(_) => self.nested(|p| p.inline_node()).map(drop)?,
            _ => return Err(self.unexpected("a metadata node")),
        }
        Ok(None)
    }

    /// `, !dbg !7, !tbaa !9`
    pub(super) fn instruction_attachments(&mut self) -> Result<Option<MdId>> {
        let mut loc = None;
        while self.eat(b',') {
            let Token::MdName(name) = self.current.token else {
                return Err(self.unexpected("a metadata attachment"));
            };
            loc = self.attachment(name)?.or(loc);
        }
        Ok(loc)
    }

    /// `!dbg !7 !prof !9`
    pub(super) fn function_attachments(&mut self) -> Result<Option<MdId>> {
        let mut subprogram = None;
        while let Token::MdName(name) = self.current.token {
            subprogram = self.attachment(name)?.or(subprogram);
        }
        Ok(subprogram)
    }

    /// What follows the type `metadata` of an argument: here locals may occur.
    pub(super) fn metadata_operand(&mut self) -> Result<MdValue> {
        match self.current.token {
            Token::MdName("DIArgList") => {
                self.advance();
                self.expect(b'(')?;
                let mut fields = Vec::new();
                self.list(b')', |p| {
                    let operand = p.operand()?;
                    fields.push((String::new(), MdValue::Value(Box::new(operand))));
                    Ok(())
                })?;
                Ok(MdValue::Node(Box::new(MdNode { kind: "DIArgList".to_owned(), distinct: false, fields })))
            }
            Token::MdId(_) | Token::Bang | Token::MdName(_) => self.metadata_value(),
            _ => Ok(MdValue::Value(Box::new(self.operand()?))),
        }
    }

    /// An element of a tuple, or the value of a field that is metadata itself.
    fn metadata_value(&mut self) -> Result<MdValue> {
        match self.current.token {
            Token::MdId(_) => self.metadata_id().map(MdValue::Ref),
            Token::Bang => {
                if let Token::Str(raw) = self.peek() {
                    self.advance();
                    self.advance();
                    return Ok(MdValue::Str(lossy(raw)));
                }
                self.nested(|p| p.inline_node()).map(|node| MdValue::Node(Box::new(node)))
            }
            Token::MdName(_) => self.nested(|p| p.inline_node()).map(|node| MdValue::Node(Box::new(node))),
            Token::Word("null") => {
                self.advance();
                Ok(MdValue::Null)
            }
            _ if self.at_type() => {
                let constant = self.constant_operand()?;
                let operand = Operand { ty: constant.ty, value: Value::Const(constant.value) };
                Ok(MdValue::Value(Box::new(operand)))
            }
            _ => Err(self.unexpected("metadata")),
        }
    }

    /// `!{…}` or `!DIKind(…)`
    fn inline_node(&mut self) -> Result<MdNode> {
        let Token::MdName(kind) = self.current.token else {
            self.advance();
            self.expect(b'{')?;
            let fields = self.tuple()?;
            return Ok(MdNode { kind: String::new(), distinct: false, fields });
        };
        let Some(known) = fields_of(kind) else {
            return Err(self.error(format!("unknown metadata node '!{kind}'")));
        };
        self.advance();
        self.expect(b'(')?;
        let mut fields = Vec::new();
        if kind == "DIExpression" {
            self.list(b')', |p| {
                fields.push((String::new(), p.expression_operation()?));
                Ok(())
            })?;
        } else {
            fields.reserve_exact(8.min(known.len()));
            self.list(b')', |p| {
                let field = p.field(kind, known, &fields)?;
                fields.push(field);
                Ok(())
            })?;
        }
        Ok(MdNode { kind: kind.to_owned(), distinct: false, fields })
    }

    fn tuple(&mut self) -> Result<Vec<(String, MdValue)>> {
        let mut fields = Vec::new();
        self.list(b'}', |p| {
            fields.push((String::new(), p.metadata_value()?));
            Ok(())
        })?;
        Ok(fields)
    }

    /// A `DW_OP_…` or a number.
    pub(super) fn expression_operation(&mut self) -> Result<MdValue> {
        match self.current.token {
            Token::Word(word) if is_expression_word(word) => {
                self.advance();
                Ok(MdValue::Word(word.to_owned()))
            }
            Token::Int(_) => self.signed("a number").map(MdValue::Int),
            _ => Err(self.unexpected("an operation of a DIExpression")),
        }
    }

    fn field(&mut self, kind: &str, known: &[&str], before: &[(String, MdValue)]) -> Result<(String, MdValue)> {
        let name = match self.current.token {
            Token::Label(Symbol::Plain(name)) if known.contains(&name) => name,
            Token::Label(_) => {
                let written = self.excerpt();
                let field = written.trim_end_matches(':');
                return Err(self.error(format!("unknown field '{field}' of '!{kind}'")));
            }
            _ => return Err(self.unexpected("a field")),
        };
        if before.iter().any(|(other, _)| other == name) {
            return Err(self.error(format!("field '{name}' occurs twice")));
        }
        self.advance();
        Ok((name.to_owned(), self.field_value()?))
    }

    fn field_value(&mut self) -> Result<MdValue> {
        match self.current.token {
            Token::Int(_) => self.signed("a number").map(MdValue::Int),
            Token::Str(raw) => {
                self.advance();
                Ok(MdValue::Str(String::from_utf8_lossy(&unescape(raw)).into_owned()))
            }
            Token::Word(word) if is_value_word(word) => {
                let mut words = word.to_owned();
                self.advance();
                while self.eat(b'|') {
                    match self.current.token {
                        Token::Word(word) if is_value_word(word) => {
                            words.push_str(" | ");
                            words.push_str(word);
                        }
                        _ => return Err(self.unexpected("a flag")),
                    }
                    self.advance();
                }
                Ok(MdValue::Word(words))
            }
            Token::Punct(b'{') => self.nested(|p| {
                p.advance();
                let node = MdNode { kind: String::new(), distinct: false, fields: p.tuple()? };
                Ok(MdValue::Node(Box::new(node)))
            }),
            _ => self.metadata_value(),
        }
    }
}

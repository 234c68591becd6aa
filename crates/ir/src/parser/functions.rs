//! Functions: `declare`, `define`, and bodies.

use crate::lexer::Token;
use crate::module::{Block, BlockId, Function, Inst, InstKind, Linkage, Param, Type, Value};
use crate::visit;

use super::dominance;
use super::finish::Site;
use super::words::{DLL_STORAGE, PREEMPTION, Place, UNNAMED_ADDR};
use super::{Parser, Result};

impl Parser<'_> {
    /// `declare !dbg !5 i32 @f(ptr, ...) #1`
    pub(super) fn declare(&mut self) -> Result<()> {
        let line = self.current.line;
        self.advance();
        let subprogram = self.function_attachments()?;
        let here = self.current.start;
        let mut function = self.header(line)?;
        if !matches!(function.linkage, Linkage::External | Linkage::ExternWeak) {
            return Err(self.error_at(here, "a declaration cannot have this linkage"));
        }
        function.subprogram = subprogram;
        self.keep_locals(&mut function);
        self.module.functions.push(function);
        Ok(())
    }

    /// `define i32 @f(i32 %x) #0 !dbg !5 { … }`
    pub(super) fn define(&mut self) -> Result<()> {
        let line = self.current.line;
        self.advance();
        let here = self.current.start;
        let mut function = self.header(line)?;
        if matches!(function.linkage, Linkage::ExternWeak | Linkage::Common | Linkage::Appending) {
            return Err(self.error_at(here, "a definition cannot have this linkage"));
        }
        function.subprogram = self.function_attachments()?;
        self.body(&mut function)?;
        self.keep_locals(&mut function);
        if let Some((inst, message)) = dominance::violation(&function) {
            return Err(self.error_in_line(inst.text_line, message));
        }
        self.module.functions.push(function);
        Ok(())
    }

    fn keep_locals(&mut self, function: &mut Function) {
        function.local_types = std::mem::take(&mut self.scope.local_types);
        function.local_names = std::mem::take(&mut self.scope.local_names);
    }

    /// Everything up to the attachments of a definition.
    fn header(&mut self, text_line: u32) -> Result<Function> {
        let linkage = self.linkage().unwrap_or(Linkage::External);
        self.maybe_one_of(PREEMPTION);
        let is_own = self.visibility();
        self.maybe_one_of(DLL_STORAGE);
        self.calling_convention()?;
        self.param_attrs(Place::RESULT)?;
        let here = self.current.start;
        let ret = self.any_type()?;
        if !self.may_be_returned(ret) {
            return Err(self.error_at(here, format!("a function cannot return '{}'", self.show(ret))));
        }
        let name = self.defined_global()?;
        if is_own {
            self.module.own_names.insert(name.clone());
        }
        self.scope.reset(ret);
        let (params, varargs) = self.params()?;
        self.maybe_one_of(UNNAMED_ADDR);
        self.address_space()?;
        let attrs = self.fn_attrs()?;
        let index = self.module.functions.len();
        for &(group, place) in &self.pending.groups {
            self.pending.function_groups.push((index, group, place));
        }
        self.header_tail()?;
        Ok(Function {
            name,
            linkage,
            ret,
            params,
            varargs,
            blocks: Vec::new(),
            local_types: Vec::new(),
            local_names: Vec::new(),
            returns_twice: attrs.returns_twice,
            noreturn: attrs.noreturn,
            subprogram: None,
            text_line,
        })
    }

    fn params(&mut self) -> Result<(Vec<Param>, bool)> {
        let mut params = Vec::new();
        let mut varargs = false;
        self.expect(b'(')?;
        self.list(b')', |p| {
            if p.current.token == Token::Ellipsis {
                p.advance();
                varargs = true;
                return if p.at(b')') { Ok(()) } else { Err(p.unexpected("')' after '...'")) };
            }
            let here = p.current.start;
            let ty = p.ty()?;
            if *p.module.types.get(ty) == Type::Label {
                return Err(p.error_at(here, "a block cannot be a parameter"));
            }
            let attrs = p.param_attrs(Place::PARAM)?;
            let here = p.current.start;
            let written = match p.current.token {
                Token::Local(symbol) => Some(p.name(symbol)?),
                _ => None,
            };
            if written.is_some() {
                p.advance();
            }
            let defined = p.scope.define_local(written, ty);
            let id = p.named(defined, here)?;
            let name = p.scope.local_names[id.0 as usize].clone();
            params.push(Param { ty, attrs, name });
            Ok(())
        })?;
        Ok((params, varargs))
    }

    /// Section, comdat, alignment and the like: none of it matters to what the function does.
    fn header_tail(&mut self) -> Result<()> {
        for word in ["section", "partition"] {
            if self.eat_word(word) {
                self.string()?;
            }
        }
        self.comdat_use()?;
        if self.eat_word("align") {
            self.alignment()?;
        }
        if self.eat_word("gc") {
            self.string()?;
        }
        for word in ["prefix", "prologue", "personality"] {
            if self.eat_word(word) {
                self.constant_operand()?;
            }
        }
        Ok(())
    }

    fn body(&mut self, function: &mut Function) -> Result<()> {
        self.expect(b'{')?;
        let mut forward_users = Vec::new();
        if self.at(b'}') {
            return Err(self.error("a function body needs at least one block"));
        }
        while !self.eat(b'}') {
            if self.current.token == Token::Word("uselistorder") {
                self.local_use_list_order()?;
                continue;
            }
            let block = self.block(function.blocks.len(), &mut forward_users)?;
            function.blocks.push(block);
        }
        if let Some((message, place)) = self.scope.undefined() {
            return Err(self.error_at(place, message));
        }
        self.settle(function, &forward_users);
        Ok(())
    }

    /// `uselistorder i32 %x, { 1, 0 }`, also of blocks.
    fn local_use_list_order(&mut self) -> Result<()> {
        self.advance();
        let ty = self.ty()?;
        if ty == self.common.label {
            self.label_name()?;
        } else {
            self.value(ty)?;
        }
        self.use_list_indices()
    }

    fn block(&mut self, index: usize, forward_users: &mut Vec<(usize, usize)>) -> Result<Block> {
        let here = self.current.start;
        let label = match self.current.token {
            Token::Label(symbol) => Some(self.name(symbol)?),
            _ => None,
        };
        if label.is_some() {
            self.advance();
        }
        let defined = self.scope.define_label(label, BlockId(index as u32), here);
        let name = self.named(defined, here)?;
        let function = self.module.functions.len();
        let mut insts: Vec<Inst> = Vec::new();
        let mut must_return = false;
        loop {
            let here = self.current.start;
            self.scope.used_forward = false;
            let inst = self.whole_instruction()?;
            if self.scope.used_forward {
                forward_users.push((index, insts.len()));
            }
            let site = Site { function, block: index, inst: insts.len() };
            if std::mem::take(&mut self.pending.saw_block_address) {
                self.pending.address_sites.push(site);
            }
            match &inst.kind {
                InstKind::Call(_) => {
                    let groups = self.pending.groups.drain(..);
                    self.pending.call_groups.extend(groups.map(|(group, place)| (site, group, place)));
                }
                InstKind::Phi { .. } => {
                    let leads = |i: &Inst| matches!(i.kind, InstKind::Phi { .. } | InstKind::Dbg(_));
                    if !insts.last().is_none_or(leads) {
                        return Err(self.error_at(here, "'phi' after other instructions of its block"));
                    }
                }
                _ => {}
            }
            if must_return && !matches!(inst.kind, InstKind::Ret(_) | InstKind::Dbg(_)) {
                return Err(self.error_at(here, "a 'musttail' call that no 'ret' follows"));
            }
            must_return |= matches!(&inst.kind, InstKind::Call(call) if call.must_tail);
            let last = inst.kind.is_terminator();
            insts.push(inst);
            if last {
                return Ok(Block { name, insts });
            }
        }
    }

    /// An instruction with its result and metadata, or a debug record.
    fn whole_instruction(&mut self) -> Result<Inst> {
        let text_line = self.current.line;
        let here = self.current.start;
        let name = match self.current.token {
            Token::DbgRecord(name) => {
                let record = self.debug_record(name)?;
                let loc = record.location;
                return Ok(Inst { result: None, kind: InstKind::Dbg(Box::new(record)), loc, text_line });
            }
            Token::Local(symbol) => {
                let name = self.name(symbol)?;
                self.advance();
                self.expect(b'=')?;
                Some(name)
            }
            _ => None,
        };
        let (kind, ty) = self.instruction()?;
        let loc = self.instruction_attachments()?;
        let result = if ty != self.common.void {
            let defined = self.scope.define_local(name, ty);
            Some(self.named(defined, here)?)
        } else if name.is_some() {
            return Err(self.error_at(here, "an instruction without result cannot have a name"));
        } else {
            None
        };
        Ok(Inst { result, kind, loc, text_line })
    }

    /// Replaces forward numbers by locals, and label numbers by blocks.
    fn settle(&mut self, function: &mut Function, forward_users: &[(usize, usize)]) {
        for &(block, inst) in forward_users {
            visit::values_mut(&mut function.blocks[block].insts[inst].kind, &mut |value| {
                if let Value::Local(id) = value {
                    *id = self.scope.settled_local(*id);
                }
            });
        }
        for inst in function.blocks.iter_mut().flat_map(|block| &mut block.insts) {
            visit::blocks_mut(&mut inst.kind, |block| *block = self.scope.settled_block(*block));
        }
    }
}

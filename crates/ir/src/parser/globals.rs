//! Global variables, aliases, ifuncs and comdats.

use crate::lexer::{Symbol, Token};
use crate::module::{Alias, Global, Linkage, MdId, Type};

use super::finish::GlobalEntry;
use super::words::{
    ALIASEE_EXPRESSIONS, CODE_MODELS, COMDAT_KINDS, DLL_STORAGE, GLOBAL_SANITIZER_WORDS, LINKAGES, PREEMPTION,
    TLS_MODELS, UNNAMED_ADDR, find,
};
use super::{Parser, Result};

impl<'a> Parser<'a> {
    /// `@name = …`
    pub(super) fn global(&mut self) -> Result<()> {
        let text_line = self.current.line;
        self.pending.saw_block_address = false;
        let name = self.defined_global()?;
        self.expect(b'=')?;
        let written_linkage = self.linkage();
        let linkage = written_linkage.unwrap_or(Linkage::External);
        self.maybe_one_of(PREEMPTION);
        if self.visibility() {
            self.module.own_names.insert(name.clone());
        }
        self.maybe_one_of(DLL_STORAGE);
        let thread_local = self.thread_local()?;
        self.maybe_one_of(UNNAMED_ADDR);
        if let Token::Word(word @ ("alias" | "ifunc")) = self.current.token {
            self.advance();
            return self.alias(name, linkage, word == "ifunc", text_line);
        }
        self.address_space()?;
        self.eat_word("externally_initialized");
        let constant = match self.current.token {
            Token::Word("global") => false,
            Token::Word("constant") => true,
            _ => return Err(self.unexpected("'global' or 'constant'")),
        };
        self.advance();
        let here = self.current.start;
        let ty = self.ty()?;
        if !self.is_first_class(ty) {
            return Err(self.error_at(here, format!("a variable cannot have type '{}'", self.show(ty))));
        }
        let declared = matches!(written_linkage, Some(Linkage::External | Linkage::ExternWeak));
        let init = if declared { None } else { Some(self.constant(ty)?) };
        if std::mem::take(&mut self.pending.saw_block_address) {
            self.pending.address_globals.push(self.module.globals.len());
        }
        let (align, dbg, section) = self.global_tail()?;
        self.module.sections.extend(section.map(|section| (name.clone(), section)));
        self.module.globals.push(Global { name, linkage, ty, init, constant, thread_local, align, dbg, text_line });
        Ok(())
    }

    fn global_tail(&mut self) -> Result<(u32, Vec<MdId>, Option<String>)> {
        let (mut align, mut dbg, mut section) = (0, Vec::new(), None);
        while self.eat(b',') {
            match self.current.token {
                Token::Word("align") => {
                    self.advance();
                    align = self.alignment()?;
                }
                Token::Word("section") => {
                    self.advance();
                    section = Some(self.string()?);
                }
                Token::Word("partition") => {
                    self.advance();
                    self.string()?;
                }
                Token::Word("comdat") => self.comdat_use()?,
                Token::Word("code_model") => {
                    self.advance();
                    if !matches!(self.current.token, Token::Str(model) if CODE_MODELS.contains(&model)) {
                        return Err(self.unexpected("a code model"));
                    }
                    self.advance();
                }
                Token::Word(word) if GLOBAL_SANITIZER_WORDS.contains(&word) => self.advance(),
                Token::MdName(name) => dbg.extend(self.attachment(name)?),
                _ => return Err(self.unexpected("a property of the variable")),
            }
        }
        self.fn_attrs()?;
        let groups = self.pending.groups.drain(..);
        self.pending.other_groups.extend(groups);
        Ok((align, dbg, section))
    }

    fn alias(&mut self, name: String, linkage: Linkage, ifunc: bool, text_line: u32) -> Result<()> {
        let ty = self.any_type()?;
        self.expect(b',')?;
        let here = self.current.start;
        // An expression comes without its type.
        let is_expression = matches!(self.current.token, Token::Word(word) if ALIASEE_EXPRESSIONS.contains(&word));
        let target_ty = if is_expression { self.common.ptr } else { self.ty()? };
        self.check_type(target_ty, self.common.ptr, here)?;
        let target = self.constant(target_ty)?;
        if std::mem::take(&mut self.pending.saw_block_address) {
            return Err(self.error_at(here, "an alias of a block is unsupported"));
        }
        if *self.module.types.get(ty) == Type::Void {
            return Err(self.error_at(here, "an alias cannot have type 'void'"));
        }
        if self.eat_comma_before_word("partition") {
            self.string()?;
        }
        self.module.aliases.push(Alias { name, linkage, ty, target, ifunc, text_line });
        Ok(())
    }

    pub(super) fn linkage(&mut self) -> Option<Linkage> {
        let Token::Word(word) = self.current.token else {
            return None;
        };
        let linkage = find(LINKAGES, word)?;
        self.advance();
        Some(linkage)
    }

    /// `thread_local`, maybe with a model.
    fn thread_local(&mut self) -> Result<bool> {
        if !self.eat_word("thread_local") {
            return Ok(false);
        }
        if self.eat(b'(') {
            self.one_of(TLS_MODELS, "a model of thread-local storage")?;
            self.expect(b')')?;
        }
        Ok(true)
    }

    /// `@name` where it is defined (or a function declared): at most once.
    pub(super) fn defined_global(&mut self) -> Result<String> {
        let Token::Global(symbol) = self.current.token else {
            return Err(self.unexpected("a global name"));
        };
        if let Symbol::Number(number) = symbol {
            let expected = self.pending.next_global_number;
            if number != expected {
                return Err(self.error(format!("expected the number '@{expected}' but found '@{number}'")));
            }
            self.pending.next_global_number += 1;
        }
        let here = self.current.start;
        let name = self.name(symbol)?.into_text();
        let owned = name.clone().into_owned();
        let entry = self.pending.globals.entry(name);
        let entry = entry.or_insert(GlobalEntry { defined: false, first_use: here });
        if std::mem::replace(&mut entry.defined, true) {
            return Err(self.error(format!("redefinition of '@{owned}'")));
        }
        self.advance();
        Ok(owned)
    }

    /// `$name = comdat any`
    pub(super) fn comdat_definition(&mut self, symbol: Symbol<'a>) -> Result<()> {
        self.name(symbol)?;
        self.advance();
        self.expect(b'=')?;
        self.expect_word("comdat")?;
        self.one_of(COMDAT_KINDS, "a kind of comdat")
    }

    /// `comdat`, `comdat($name)` or nothing.
    pub(super) fn comdat_use(&mut self) -> Result<()> {
        if !self.eat_word("comdat") || !self.eat(b'(') {
            return Ok(());
        }
        let Token::Comdat(symbol) = self.current.token else {
            return Err(self.unexpected("a comdat"));
        };
        self.name(symbol)?;
        self.advance();
        self.expect(b')')
    }
}

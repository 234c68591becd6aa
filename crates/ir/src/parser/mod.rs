//! The grammar, by recursive descent over one token (and one more where a comma may begin either of two things).
//!
//! This file holds the parser's state, the helpers that every rule uses, and the entities of the top level; each
//! other file adds the rules of one concern. What can only be known at the end of the text (undefined names, attribute
//! groups, block addresses) is settled in `finish`.

mod attributes;
mod calls;
mod constants;
mod control;
mod debug_records;
mod dominance;
mod finish;
mod floats;
mod functions;
mod globals;
mod instructions;
mod memory;
mod metadata;
mod metadata_words;
mod scope;
mod types;
mod vectors;
mod words;

use std::borrow::Cow;

use rustc_hash::FxHashMap;

use crate::error::ParseError;
use crate::lexer::{Lexeme, Lexer, Symbol, Token, unescape};
use crate::module::{Module, TypeId};
use finish::Pending;
use metadata::MetadataTable;
use scope::{Name, Scope};
use types::{Common, NamedType};

type Result<T> = std::result::Result<T, ParseError>;

/// How deep types, constants and metadata may nest in the text, and types by value: far beyond what a compiler
/// writes, and shallow enough for the stack of any thread that walks them.
const MAX_NESTING: u32 = 200;

/// Reads a module of textual LLVM 19 IR.
pub fn parse(text: &str) -> Result<Module> {
    parse_bytes(text.as_bytes())
}

/// Like `parse`, for a text whose strings may hold bytes that are not UTF-8.
pub fn parse_bytes(text: &[u8]) -> Result<Module> {
    if u32::try_from(text.len()).is_err() {
        return Err(ParseError::at(text, 0, "texts of 4 GiB and more are unsupported"));
    }
    let mut parser = Parser::new(text);
    parser.module()?;
    parser.finish()
}

pub(crate) struct Parser<'a> {
    lexer: Lexer<'a>,
    /// The token to look at next.
    current: Lexeme<'a>,
    /// The one after it, where a rule had to look.
    ahead: Option<Lexeme<'a>>,
    depth: u32,
    module: Module,
    common: Common,
    type_names: FxHashMap<Cow<'a, str>, NamedType>,
    metadata: MetadataTable,
    scope: Scope<'a>,
    pending: Pending<'a>,
}

impl<'a> Parser<'a> {
    fn new(text: &'a [u8]) -> Self {
        let mut lexer = Lexer::new(text);
        let current = lexer.next();
        let mut module = Module::default();
        let common = Common::new(&mut module.types);
        Parser {
            lexer,
            current,
            ahead: None,
            depth: 0,
            module,
            common,
            type_names: FxHashMap::default(),
            metadata: MetadataTable::new(text.len()),
            scope: Scope::new(text.len()),
            pending: Pending::default(),
        }
    }

    fn module(&mut self) -> Result<()> {
        loop {
            match self.current.token {
                Token::Eof => return Ok(()),
                Token::Word("source_filename") => {
                    self.advance();
                    self.expect(b'=')?;
                    self.module.source_filename = self.string()?;
                }
                Token::Word("target") => self.target()?,
                Token::Word("module") => {
                    let line = self.current.line;
                    self.advance();
                    self.expect_word("asm")?;
                    let text = self.string()?;
                    self.module.module_asm.push((text, line));
                }
                Token::Word("define") => self.define()?,
                Token::Word("declare") => self.declare()?,
                Token::Word("attributes") => self.attribute_group()?,
                Token::Word("uselistorder") => {
                    self.advance();
                    self.constant_operand()?;
                    self.use_list_indices()?;
                }
                Token::Word("uselistorder_bb") => self.use_list_order_of_blocks()?,
                Token::Local(symbol) => self.type_definition(symbol)?,
                Token::Global(_) => self.global()?,
                Token::Comdat(symbol) => self.comdat_definition(symbol)?,
                Token::MdId(id) => self.metadata_definition(id)?,
                Token::MdName(name) => self.named_metadata(name)?,
                Token::Summary(_) => self.summary()?,
                Token::Word(word) => {
                    return Err(self.error(format!("unknown top-level entity '{word}'")));
                }
                _ => return Err(self.unexpected("a top-level entity")),
            }
        }
    }

    fn target(&mut self) -> Result<()> {
        self.advance();
        let which = self.word("'triple' or 'datalayout'")?;
        if which != "triple" && which != "datalayout" {
            return Err(self.unexpected("'triple' or 'datalayout'"));
        }
        self.advance();
        self.expect(b'=')?;
        let value = self.string()?;
        if which == "triple" {
            self.module.triple = value;
        } else {
            self.module.data_layout = value;
        }
        Ok(())
    }

    /// `^0 = gv: (…)`: ThinLTO's index, which says nothing about the program. Like LLVM itself when it wants no
    /// index, this only checks that the parentheses balance.
    fn summary(&mut self) -> Result<()> {
        self.advance();
        self.expect(b'=')?;
        match self.current.token {
            Token::Label(Symbol::Plain("module" | "gv" | "typeid" | "typeidCompatibleVTable")) => {}
            Token::Label(Symbol::Plain("flags" | "blockcount")) => {
                self.advance();
                self.unsigned("a number")?;
                return Ok(());
            }
            _ => return Err(self.unexpected("a kind of summary")),
        }
        self.advance();
        let mut open = 0_usize;
        loop {
            match self.current.token {
                Token::Punct(b'(') => open += 1,
                Token::Punct(b')') if open > 0 => open -= 1,
                Token::Eof | Token::Bad(_) => return Err(self.unexpected("')'")),
                _ if open == 0 => return Err(self.unexpected("'('")),
                _ => {}
            }
            self.advance();
            if open == 0 {
                return Ok(());
            }
        }
    }

    /// `uselistorder_bb @f, %block, { 1, 0 }`
    fn use_list_order_of_blocks(&mut self) -> Result<()> {
        self.advance();
        let function = self.global_name()?;
        self.expect(b',')?;
        let Token::Local(symbol) = self.current.token else {
            return Err(self.unexpected("a block"));
        };
        let block = self.name(symbol)?.into_text().into_owned();
        self.pending.block_addresses.push((function, block, self.current.start));
        self.advance();
        self.use_list_indices()
    }

    /// The end of `uselistorder ptr @x, { 1, 0 }`: an order of LLVM's own lists, of no meaning here.
    fn use_list_indices(&mut self) -> Result<()> {
        self.expect(b',')?;
        self.expect(b'{')?;
        loop {
            self.unsigned("an index")?;
            if !self.eat(b',') {
                return self.expect(b'}');
            }
        }
    }

    // Tokens.

    fn advance(&mut self) {
        self.current = match self.ahead.take() {
            Some(lexeme) => lexeme,
            None => self.lexer.next(),
        };
    }

    fn peek(&mut self) -> Token<'a> {
        self.ahead.get_or_insert_with(|| self.lexer.next()).token
    }

    fn at(&self, punct: u8) -> bool {
        self.current.token == Token::Punct(punct)
    }

    fn eat(&mut self, punct: u8) -> bool {
        let found = self.at(punct);
        if found {
            self.advance();
        }
        found
    }

    fn expect(&mut self, punct: u8) -> Result<()> {
        if self.eat(punct) { Ok(()) } else { Err(self.unexpected(&format!("'{}'", punct as char))) }
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let found = matches!(self.current.token, Token::Word(w) if w == word);
        if found {
            self.advance();
        }
        found
    }

    fn expect_word(&mut self, word: &str) -> Result<()> {
        if self.eat_word(word) { Ok(()) } else { Err(self.unexpected(&format!("'{word}'"))) }
    }

    /// Eats a comma only when what follows it belongs to the rule that asks.
    fn eat_comma_before(&mut self, belongs: impl Fn(Token<'a>) -> bool) -> bool {
        let found = self.at(b',') && belongs(self.peek());
        if found {
            self.advance();
        }
        found
    }

    fn eat_comma_before_word(&mut self, word: &str) -> bool {
        let found = self.eat_comma_before(|token| matches!(token, Token::Word(w) if w == word));
        if found {
            self.advance();
        }
        found
    }

    /// Looks at a word without eating it.
    fn word(&self, what: &str) -> Result<&'a str> {
        match self.current.token {
            Token::Word(word) => Ok(word),
            _ => Err(self.unexpected(what)),
        }
    }

    fn unsigned(&mut self, what: &str) -> Result<u64> {
        let Token::Int(digits) = self.current.token else {
            return Err(self.unexpected(what));
        };
        let number = digits
            .parse()
            .map_err(|_| self.error(format!("{what} must be from 0 to {}, but is {digits}", u64::MAX)))?;
        self.advance();
        Ok(number)
    }

    fn unsigned32(&mut self, what: &str) -> Result<u32> {
        let here = self.current.start;
        let number = self.unsigned(what)?;
        number.try_into().map_err(|_| self.error_at(here, format!("{what} is too large: {number}")))
    }

    fn signed(&mut self, what: &str) -> Result<i128> {
        let Token::Int(digits) = self.current.token else {
            return Err(self.unexpected(what));
        };
        let number = digits.parse().map_err(|_| self.error(format!("{what} is too large: {digits}")))?;
        self.advance();
        Ok(number)
    }

    /// A string whose bytes are only shown or handed on: what is not UTF-8 in it is replaced.
    fn string(&mut self) -> Result<String> {
        let Token::Str(raw) = self.current.token else {
            return Err(self.unexpected("a string"));
        };
        self.advance();
        Ok(lossy(raw))
    }

    /// `"a" (…)`-like lists: `item` is called for each of the elements that commas separate, up to `close`.
    fn list(&mut self, close: u8, mut item: impl FnMut(&mut Self) -> Result<()>) -> Result<()> {
        if self.eat(close) {
            return Ok(());
        }
        loop {
            item(self)?;
            if self.eat(close) {
                return Ok(());
            }
            if !self.eat(b',') {
                return Err(self.unexpected(&format!("',' or '{}'", close as char)));
            }
        }
    }

    /// Runs `rule` one level deeper, or fails where the text nests too deep.
    fn nested<T>(&mut self, rule: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if self.depth == MAX_NESTING {
            return Err(self.error(format!("nested deeper than {MAX_NESTING} levels")));
        }
        self.depth += 1;
        let result = rule(self);
        self.depth -= 1;
        result
    }

    // Names.

    fn name(&self, symbol: Symbol<'a>) -> Result<Name<'a>> {
        match symbol {
            Symbol::Number(number) => Ok(Name::Number(number)),
            Symbol::Plain(text) => Ok(Name::Text(Cow::Borrowed(text))),
            Symbol::Quoted(raw) => self.quoted_name(raw).map(Name::Text),
        }
    }

    fn quoted_name(&self, raw: &'a [u8]) -> Result<Cow<'a, str>> {
        let text = match unescape(raw) {
            Cow::Borrowed(bytes) => std::str::from_utf8(bytes).map(Cow::Borrowed).ok(),
            Cow::Owned(bytes) => String::from_utf8(bytes).map(Cow::Owned).ok(),
        };
        let Some(text) = text else {
            return Err(self.error("names that are not UTF-8 are unsupported"));
        };
        if text.contains('\0') {
            return Err(self.error("a name holds a NUL byte"));
        }
        // Names and numbers share one space of strings in our types: `@"0"` must not become `@0`.
        if !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit()) {
            return Err(self.error(format!("the quoted name \"{text}\" reads like a number")));
        }
        Ok(text)
    }

    /// `@name`, noted as used.
    fn global_name(&mut self) -> Result<String> {
        let Token::Global(symbol) = self.current.token else {
            return Err(self.unexpected("a global name"));
        };
        let name = self.name(symbol)?.into_text();
        let owned = name.clone().into_owned();
        self.pending.use_global(name, self.current.start);
        self.advance();
        Ok(owned)
    }

    // Errors.

    fn error(&self, message: impl Into<String>) -> ParseError {
        self.error_at(self.current.start, message)
    }

    fn error_at(&self, offset: usize, message: impl Into<String>) -> ParseError {
        ParseError::at(self.lexer.text(), offset, message)
    }

    /// Points to the first word of a line.
    fn error_in_line(&self, line: u32, message: impl Into<String>) -> ParseError {
        let text = self.lexer.text().split(|&byte| byte == b'\n').nth(line as usize - 1).unwrap_or_default();
        let indent = text.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        ParseError { line, column: indent as u32 + 1, message: message.into() }
    }

    fn unexpected(&self, expected: &str) -> ParseError {
        match self.current.token {
            Token::Bad(message) => self.error(format!("{message}: '{}'", self.excerpt())),
            Token::Eof => self.error(format!("expected {expected} but found the end of the text")),
            _ => self.error(format!("expected {expected} but found '{}'", self.excerpt())),
        }
    }

    /// The current token as written.
    fn excerpt(&self) -> String {
        let text = String::from_utf8_lossy(&self.lexer.text()[self.current.start..self.current.end]);
        shortened(text.lines().next().unwrap_or_default())
    }

    /// A type as the text would write it, for messages.
    fn show(&self, ty: TypeId) -> String {
        shortened(&self.module.types.display(ty).to_string())
    }
}

/// Cut to what a message can hold.
fn shortened(text: &str) -> String {
    const LONGEST: usize = 60;
    match text.char_indices().nth(LONGEST) {
        Some((cut, _)) => format!("{}…", &text[..cut]),
        None => text.to_owned(),
    }
}

fn lossy(raw: &[u8]) -> String {
    String::from_utf8_lossy(&unescape(raw)).into_owned()
}

//! Attributes of parameters, results, functions and calls, and the groups `#n` that collect them.
//!
//! All are checked against the table; only what changes the meaning of a call is kept.

use crate::lexer::{Symbol, Token};
use crate::module::ParamAttrs;

use super::words::{
    Attribute, CAPTURE_KINDS, FP_CLASSES, MEMORY_EFFECTS, MEMORY_PLACES, Place, Shape, VISIBILITY, find_attribute,
};
use super::{Parser, Result};

/// What is kept of a function's or a call's attributes.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct FnAttrs {
    pub returns_twice: bool,
    pub noreturn: bool,
}

/// What an attribute's parentheses held, where anybody wants it.
enum Payload {
    None,
    Type(crate::module::TypeId),
    Number(u32),
}

impl<'a> Parser<'a> {
    pub(super) fn param_attrs(&mut self, place: Place) -> Result<ParamAttrs> {
        let mut attrs = ParamAttrs::default();
        while let Some(attribute) = self.next_attribute(place)? {
            let payload = self.payload(attribute.shape)?;
            match (attribute.word, payload) {
                ("noundef", _) => attrs.noundef = true,
                ("signext", _) => attrs.signext = true,
                ("zeroext", _) => attrs.zeroext = true,
                ("byval", Payload::Type(ty)) => attrs.byval = Some(ty),
                ("sret", Payload::Type(ty)) => attrs.sret = Some(ty),
                ("align", Payload::Number(align)) => attrs.align = align,
                _ => {}
            }
        }
        Ok(attrs)
    }

    /// Attributes of a function or call, up to the first token that is none. Its groups are added to
    /// `self.pending.groups`, because their contents come at the end of the text.
    pub(super) fn fn_attrs(&mut self) -> Result<FnAttrs> {
        let mut attrs = FnAttrs::default();
        self.pending.groups.clear();
        loop {
            if let Token::AttrGroup(group) = self.current.token {
                self.pending.groups.push((group, self.current.start));
                self.advance();
                continue;
            }
            let Some(attribute) = self.next_attribute(Place::FUNCTION)? else {
                return Ok(attrs);
            };
            self.payload(attribute.shape)?;
            attrs.returns_twice |= attribute.word == "returns_twice";
            attrs.noreturn |= attribute.word == "noreturn";
        }
    }

    /// `attributes #0 = { … }`
    pub(super) fn attribute_group(&mut self) -> Result<()> {
        self.advance();
        let Token::AttrGroup(group) = self.current.token else {
            return Err(self.unexpected("an attribute group"));
        };
        let here = self.current.start;
        self.advance();
        self.expect(b'=')?;
        self.expect(b'{')?;
        let attrs = self.fn_attrs()?;
        if let Some(&(_, nested)) = self.pending.groups.first() {
            return Err(self.error_at(nested, "an attribute group cannot hold another"));
        }
        if !self.eat(b'}') {
            return Err(match self.current.token {
                Token::Word(word) => self.error(format!("unknown attribute '{word}'")),
                _ => self.unexpected("an attribute or '}'"),
            });
        }
        if self.pending.group_attrs.insert(group, attrs).is_some() {
            return Err(self.error_at(here, format!("redefinition of attribute group '#{group}'")));
        }
        Ok(())
    }

    /// Eats the word of the next attribute; string attributes are passed over, as their keys are open-ended.
    fn next_attribute(&mut self, place: Place) -> Result<Option<Attribute>> {
        loop {
            match self.current.token {
                Token::Str(_) => {
                    self.advance();
                    if self.eat(b'=') {
                        self.string()?;
                    }
                }
                Token::Word(word) => {
                    let Some(attribute) = find_attribute(word) else {
                        return Ok(None);
                    };
                    if !attribute.place.allows(place) {
                        // `align` also belongs to the function itself, after its attributes.
                        if attribute.word == "align" {
                            return Ok(None);
                        }
                        let message = format!("attribute '{word}' does not apply to {}", place.plural());
                        return Err(self.error(message));
                    }
                    self.advance();
                    return Ok(Some(attribute));
                }
                _ => return Ok(None),
            }
        }
    }

    fn payload(&mut self, shape: Shape) -> Result<Payload> {
        match shape {
            Shape::Flag => return Ok(Payload::None),
            Shape::Align => {
                if self.eat(b'(') {
                    let align = self.alignment()?;
                    self.expect(b')')?;
                    return Ok(Payload::Number(align));
                }
                self.eat(b'=');
                return Ok(Payload::Number(self.alignment()?));
            }
            Shape::UwTable => {
                if self.eat(b'(') {
                    self.one_of(&["sync", "async"], "'sync' or 'async'")?;
                    self.expect(b')')?;
                }
                return Ok(Payload::None);
            }
            _ => {}
        }
        self.expect(b'(')?;
        let mut payload = Payload::None;
        match shape {
            Shape::Type => payload = Payload::Type(self.ty()?),
            Shape::Number => {
                self.unsigned("a number")?;
            }
            Shape::Numbers => {
                self.unsigned("a number")?;
                if self.eat(b',') {
                    self.unsigned("a number")?;
                }
            }
            Shape::Text => {
                self.string()?;
            }
            Shape::Memory => self.keyed_words(MEMORY_PLACES, MEMORY_EFFECTS, "a memory effect")?,
            Shape::Captures => self.keyed_words(&["ret"], CAPTURE_KINDS, "a kind of capture")?,
            Shape::FpClasses => {
                if matches!(self.current.token, Token::Int(_)) {
                    self.unsigned("a mask of classes")?;
                } else {
                    self.one_of(FP_CLASSES, "a floating-point class")?;
                    while matches!(self.current.token, Token::Word(_)) {
                        self.one_of(FP_CLASSES, "a floating-point class")?;
                    }
                }
            }
            Shape::Range => {
                let ty = self.ty()?;
                self.constant(ty)?;
                self.expect(b',')?;
                self.constant(ty)?;
            }
            Shape::Initializes => loop {
                self.expect(b'(')?;
                self.signed("an offset")?;
                self.expect(b',')?;
                self.signed("an offset")?;
                self.expect(b')')?;
                if !self.eat(b',') {
                    break;
                }
            },
            Shape::Flag | Shape::Align | Shape::UwTable => {}
        }
        self.expect(b')')?;
        Ok(payload)
    }

    /// `word, key: word, …`
    fn keyed_words(&mut self, keys: &[&str], words: &[&str], what: &str) -> Result<()> {
        loop {
            match self.current.token {
                Token::Label(Symbol::Plain(key)) if keys.contains(&key) => self.advance(),
                Token::Label(_) => return Err(self.unexpected(what)),
                _ => {}
            }
            self.one_of(words, what)?;
            if !self.eat(b',') {
                return Ok(());
            }
        }
    }

    /// Eats one of `words`.
    pub(super) fn one_of(&mut self, words: &[&str], what: &str) -> Result<()> {
        match self.current.token {
            Token::Word(word) if words.contains(&word) => {
                self.advance();
                Ok(())
            }
            _ => Err(self.unexpected(what)),
        }
    }

    /// Eats one of `words` if it is there.
    pub(super) fn maybe_one_of(&mut self, words: &[&str]) {
        if matches!(self.current.token, Token::Word(word) if words.contains(&word)) {
            self.advance();
        }
    }

    /// Whether nobody else may say what the name means.
    pub(super) fn visibility(&mut self) -> bool {
        let is_own = matches!(self.current.token, Token::Word("hidden" | "protected"));
        self.maybe_one_of(VISIBILITY);
        is_own
    }

    /// A power of two that fits our types; LLVM's own limit is one power higher.
    pub(super) fn alignment(&mut self) -> Result<u32> {
        let here = self.current.start;
        let align = self.unsigned("an alignment")?;
        // LLVM's greatest, which clang gives to accesses of null.
        if align.is_power_of_two() && align <= 1 << 32 {
            Ok(u32::try_from(align).unwrap_or(1 << 31))
        } else if align.is_power_of_two() {
            Err(self.error_at(here, format!("an alignment is too large: {align}")))
        } else {
            Err(self.error_at(here, format!("alignment {align} is not a power of two")))
        }
    }
}

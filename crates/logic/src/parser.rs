//! Tokens into a formula, by precedence.
//!
//! ```text
//! file         =  { name ":" formula }
//! formula      =  formula binary formula  |  unary formula  |  "(" formula ")"  |  "true"  |  "false"  |  proposition
//! unary        =  "!"  |  "X"  |  "F"  |  "G"
//! binary       =  "U"  |  "R"  |  "W"  |  "&&"  |  "||"  |  "->"  |  "<->"
//! proposition  =  "{" an expression of C "}"  |  word
//! word         =  name { "." name  |  "@" name  |  "[" text "]" } [ "(" text ")" ]      without blanks before the brackets
//! ```
//!
//! Of recorded executions (`parse_sequence_file`) more can be said:
//!
//! ```text
//! file         =  { "define" name "=" formula [ ";" ]  |  [ name ":" ] formula [ ";" ] }
//! formula      =  …  |  ( "A" | "E" ) formula  |  "may" "(" operand "~>" operand ")"  |  operand ( "<" | "||" | "~>" ) operand
//!              |  "[" formula "]"
//! proposition  =  "{" a comparison "}"  |  word [ ( "=" | "!=" | "<" | "<=" | ">" | ">=" ) value ]
//! word         =  …  |  [ name "." ] "*" "(" text ")"
//! name         =  …  |  anything in double quotes, as in `w("thread 0.1")`, `"first worker".3`
//! ```
//!
//! `EX` is `E X`. There `||` is a relation between events, and `or` is `|`; relations bind tighter than everything else with two sides.
//! What is defined may be used behind its definition.
//!
//! From the tightest to the loosest: the unary ones, then `U R W`, `&&`, `||`, `->`, `<->`. `U R W` and `->` associate
//! to the right, the others to the left. `lexer` has the other forms of the operators; `GF` and its like are `G F`.
//! Comments begin with `#` or `//` and end with the line.

use std::collections::HashSet;

use threadbare_core::source::{Complaint, Result, Source, Span};

use crate::lexer::{Language, Token, tokens};
use crate::name::unquoted;
use crate::syntax::{Binary, Expr, Form, Kind, Named, Proposition, Relation, Specification, Stated};

/// Formulas inside formulas: more would use up our own stack, and no automaton of them would fit anywhere.
const DEEPEST: usize = 200;
/// The operators and propositions of a formula, each as often as it stands there.
const LARGEST: usize = 4 * DEEPEST;
/// Letters of words are sets of propositions, in one machine word.
pub const MOST_PROPOSITIONS: usize = 64;

/// The whole text is one formula.
pub fn parse(source: &Source) -> Result<Specification> {
    let mut parser = Parser::new(source, Language::Programs)?;
    let specification = parser.specification()?;
    match parser.peek() {
        Token::End => Ok(specification),
        _ => Err(parser.unexpected("the end of the formula or an operator")),
    }
}

/// A file of formulas, each with a name: `name: formula`, in any number of lines.
pub fn parse_file(source: &Source) -> Result<Vec<Named>> {
    let mut parser = Parser::new(source, Language::Programs)?;
    let mut all: Vec<Named> = Vec::new();
    while parser.peek() != Token::End {
        let Some((name, name_span)) = parser.name() else {
            return Err(parser.unexpected("a name with a colon").note("as in `response: G (request -> F granted)`"));
        };
        if all.iter().any(|other| other.name == name) {
            return Err(Complaint::at(name_span, format!("there is a formula `{name}` already")));
        }
        let specification = parser.specification()?;
        all.push(Named { name, name_span, specification });
    }
    if all.is_empty() { Err(Complaint::nowhere("there is no formula in it")) } else { Ok(all) }
}

/// Formulas about recorded executions, and definitions that they use.
pub fn parse_sequence_file(source: &Source) -> Result<Vec<Stated>> {
    let mut parser = Parser::new(source, Language::Sequences)?;
    let mut all: Vec<Stated> = Vec::new();
    while parser.peek() != Token::End {
        if let Token::Define(name) = parser.peek() {
            parser.define(name)?;
        } else {
            let name = parser.name();
            if let Some((name, span)) = &name
                && all.iter().any(|other| other.name.as_ref() == Some(name))
            {
                return Err(Complaint::at(*span, format!("there is a formula `{name}` already")));
            }
            let specification = parser.specification()?;
            all.push(Stated { name: name.map(|(name, _)| name), specification });
        }
        if parser.peek() == Token::Semicolon {
            parser.next();
        }
    }
    if all.is_empty() { Err(Complaint::nowhere("there is no formula in it")) } else { Ok(all) }
}

struct Parser<'s> {
    language: Language,
    /// What was defined, and where its formula begins among the tokens.
    definitions: Vec<(&'s str, usize)>,
    /// So many of them may be used: those that stand before the definition that is being read.
    visible: usize,
    /// All that there are, those behind as well.
    all_definitions: HashSet<&'s str>,
    /// The definition that is being read for the first time.
    defining: Option<&'s str>,
    /// Of all definitions that are being read, how often one was used: they grow like powers.
    expanded: usize,
    tokens: Vec<(Token<'s>, Span)>,
    at: usize,
    depth: usize,
    propositions: Vec<Proposition>,
}

impl<'s> Parser<'s> {
    fn new(source: &'s Source, language: Language) -> Result<Self> {
        let tokens = tokens(source, language)?;
        let (definitions, propositions) = (Vec::new(), Vec::new());
        let defines = |token: &(Token<'s>, Span)| if let Token::Define(name) = token.0 { Some(name) } else { None };
        let all_definitions = tokens.iter().filter_map(defines).collect();
        Ok(Parser {
            language,
            definitions,
            visible: 0,
            all_definitions,
            defining: None,
            expanded: 0,
            tokens,
            at: 0,
            depth: 0,
            propositions,
        })
    }

    fn define(&mut self, name: &'s str) -> Result<()> {
        let span = self.span();
        if self.definitions.iter().any(|(known, _)| *known == name) {
            return Err(Complaint::at(span, format!("`{name}` is defined already")));
        }
        self.next();
        let start = self.at;
        self.defining = Some(name);
        self.specification()?;
        self.defining = None;
        self.definitions.push((name, start));
        self.visible = self.definitions.len();
        Ok(())
    }

    /// The formula that a name stands for, read where it stands.
    fn defined(&mut self, number: usize) -> Result<Expr> {
        let (_, span) = self.next();
        let (name, start) = self.definitions[number];
        if number >= self.visible {
            return Err(used_too_early(name, span));
        }
        self.expanded += 1;
        if self.expanded > 4 * DEEPEST {
            return Err(too_large(span));
        }
        let back = std::mem::replace(&mut self.at, start);
        let visible = std::mem::replace(&mut self.visible, number);
        let formula = self.nested(|parser| parser.binary(0));
        (self.at, self.visible) = (back, visible);
        Ok(Expr { span, ..formula? })
    }

    fn peek(&self) -> Token<'s> {
        self.tokens[self.at].0
    }

    fn span(&self) -> Span {
        self.tokens[self.at].1
    }

    fn next(&mut self) -> (Token<'s>, Span) {
        let token = self.tokens[self.at];
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    fn unexpected(&self, wanted: &str) -> Box<Complaint> {
        let complaint = Complaint::at(self.span(), format!("{wanted} expected, not {}", self.show(self.peek())));
        match self.peek() {
            Token::Relation(Relation::Parallel) => complaint.note("`||` says that events are parallel; `or` is `|`"),
            Token::Word(_)
                if self.language == Language::Programs
                    && self.at > 0
                    && matches!(self.tokens[self.at - 1].0, Token::Word(_)) =>
            {
                complaint.note("an expression of C stands in braces, as in `{count <= 1}`")
            }
            _ => complaint,
        }
    }

    /// A word with a colon behind it.
    fn name(&mut self) -> Option<(String, Span)> {
        match (self.peek(), self.tokens.get(self.at + 1)) {
            (Token::Word(word), Some((Token::Colon, _))) => {
                let span = self.span();
                self.at += 2;
                Some((word.into(), span))
            }
            _ => None,
        }
    }

    /// A token as this language has it.
    fn show(&self, token: Token<'_>) -> String {
        match token {
            Token::Infix(Binary::And) if self.language == Language::Sequences => "`&`".into(),
            Token::Infix(Binary::Or) if self.language == Language::Sequences => "`|`".into(),
            token => show(token),
        }
    }

    fn specification(&mut self) -> Result<Specification> {
        self.expanded = 0;
        let formula = self.binary(0)?;
        Ok(Specification { formula, propositions: std::mem::take(&mut self.propositions) })
    }

    /// Operators that bind at least as tight as `level`.
    fn binary(&mut self, level: u8) -> Result<Expr> {
        let mut left = self.related()?;
        while let Token::Infix(op) = self.peek()
            && op.level() >= level
        {
            self.next();
            let right = self.nested(|parser| parser.binary(op.level() + u8::from(!op.is_right_associative())))?;
            let span = left.span.to(right.span);
            left = self.node(span, Kind::Binary(op, Box::new(left), Box::new(right)))?;
        }
        Ok(left)
    }

    /// Two events and how they stand to each other, or one formula.
    fn related(&mut self) -> Result<Expr> {
        let left = self.unary()?;
        let Token::Relation(relation) = self.peek() else { return Ok(left) };
        self.next();
        let right = self.unary()?;
        if let Token::Relation(_) = self.peek() {
            let sign = relation.symbol();
            let row = format!("write `p {sign} q & q {sign} r` for three in a row");
            return Err(self.unexpected("an operator or the end").note(row));
        }
        self.node(left.span.to(right.span), Kind::Relation(relation, Box::new(left), Box::new(right)))
    }

    /// `may(p ~> q)`
    fn may(&mut self) -> Result<Expr> {
        let (_, span) = self.next();
        if self.peek() != Token::Open {
            return Err(self.unexpected("`(`").note("as in `may(p ~> q)`"));
        }
        self.next();
        let inner = self.nested(Self::related)?;
        let Kind::Relation(Relation::Directly, p, q) = inner.kind else {
            return Err(
                Complaint::at(inner.span, "`may` is about one event right before another").note("as in `may(p ~> q)`")
            );
        };
        if self.peek() != Token::Close {
            let complaint = self.unexpected("`)`");
            return Err(match self.peek() {
                Token::Infix(_) => complaint
                    .note("`~>` binds tighter than `&` and `|`: write `may(p ~> (q & r))` for an event that is both"),
                _ => complaint,
            });
        }
        let close = self.next().1;
        self.node(span.to(close), Kind::Relation(Relation::MayDirectly, p, q))
    }

    fn unary(&mut self) -> Result<Expr> {
        let (token, span) = (self.peek(), self.span());
        match token {
            Token::Prefix(op) => {
                self.next();
                let a = self.nested(Self::unary)?;
                self.node(span.to(a.span), Kind::Unary(op, Box::new(a)))
            }
            Token::Path(quantifier) => {
                self.next();
                let a = self.nested(Self::unary)?;
                self.node(span.to(a.span), Kind::Path(quantifier, Box::new(a)))
            }
            Token::May => self.may(),
            Token::Open | Token::OpenSquare => {
                self.next();
                let inner = self.nested(|parser| parser.binary(0))?;
                let (close, words) = match token {
                    Token::Open => (Token::Close, "`)` or an operator"),
                    _ => (Token::CloseSquare, "`]` or an operator"),
                };
                if self.peek() != close {
                    return Err(self.unexpected(words));
                }
                let close = self.next().1;
                Ok(Expr { span: span.to(close), ..inner })
            }
            Token::Constant(value) => {
                self.next();
                Ok(Expr { span, kind: Kind::Constant(value) })
            }
            Token::Braces(text) => self.proposition(text, Form::Braces),
            Token::Word(name) if self.tokens[self.at + 1].0 == Token::Colon => {
                Err(Complaint::at(span, format!("a formula expected, not the name of one, `{name}:`"))
                    .note("named formulas stand in a file"))
            }
            Token::Word(text) if self.defining == Some(text) => {
                Err(Complaint::at(span, format!("the definition of `{text}` is recursive: it uses itself")))
            }
            Token::Word("define") if self.language == Language::Sequences => {
                Err(Complaint::at(span, "a definition is one name, `=` and a formula")
                    .note("as in `define Loop = r(b) & F r(a)`"))
            }
            // No event has such a name, and a formula begins behind it.
            Token::Word(text) if self.language == Language::Sequences && self.is_name_of_two_words(text) => {
                Err(Complaint::at(span, "the name of a formula is one word")
                    .note("as in `answered: G (w(a) -> F r(a))`"))
            }
            Token::Word(text) => match self.definitions.iter().position(|(name, _)| *name == text) {
                Some(number) => self.defined(number),
                None if self.all_definitions.contains(text) => Err(used_too_early(text, span)),
                None => self.proposition(text, Form::Word),
            },
            _ => Err(self.unexpected("a formula")),
        }
    }

    fn is_name_of_two_words(&self, text: &str) -> bool {
        let behind = |number: usize| self.tokens.get(self.at + number).map(|(token, _)| *token);
        text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
            && !self.all_definitions.contains(text)
            && matches!((behind(1), behind(2)), (Some(Token::Word(_)), Some(Token::Colon)))
    }

    fn proposition(&mut self, text: &str, form: Form) -> Result<Expr> {
        let (_, span) = self.next();
        let text = with_single_blanks(text);
        let known = self.propositions.iter().position(|p| p.text == text && p.form == form);
        if known.is_none() && self.propositions.len() == MOST_PROPOSITIONS {
            return Err(Complaint::at(span, format!("a formula has at most {MOST_PROPOSITIONS} propositions")));
        }
        let number = known.unwrap_or_else(|| {
            let inside = match form {
                Form::Braces => Span { from: span.from + 1, to: span.to - 1 },
                Form::Word => span,
            };
            self.propositions.push(Proposition { text, form, span: inside });
            self.propositions.len() - 1
        });
        Ok(Expr { span, kind: Kind::Proposition(number as u8) })
    }

    fn nested<T>(&mut self, rule: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if self.depth == DEEPEST {
            return Err(too_large(self.span()));
        }
        self.depth += 1;
        let result = rule(self);
        self.depth -= 1;
        result
    }

    fn node(&self, span: Span, kind: Kind) -> Result<Expr> {
        let expr = Expr { span, kind };
        // Long chains are deep trees.
        if expr.size() > LARGEST { Err(too_large(span)) } else { Ok(expr) }
    }
}

/// Each run of blanks as one, but for those in quotes.
fn with_single_blanks(text: &str) -> String {
    let mut words = String::new();
    let mut rest = text.trim();
    while let Some(c) = rest.chars().next() {
        let length = match unquoted(rest) {
            Ok((_, length)) if c == '"' => length,
            _ => c.len_utf8(),
        };
        words.push_str(if c.is_whitespace() { " " } else { &rest[..length] });
        rest = if c.is_whitespace() { rest.trim_start() } else { &rest[length..] };
    }
    words
}

fn used_too_early(name: &str, span: Span) -> Box<Complaint> {
    Complaint::at(span, format!("`{name}` is used before its definition"))
        .note("what is defined may be used behind its definition, so none comes back to itself")
}

fn too_large(span: Span) -> Box<Complaint> {
    let limits =
        format!("a formula has at most {LARGEST} operators and propositions, at most {DEEPEST} inside each other");
    Complaint::at(span, "this formula is too large")
        .note(limits)
        .note("several small ones, each checked by itself, say the same")
}

fn show(token: Token<'_>) -> String {
    match token {
        Token::Prefix(op) => format!("`{}`", op.symbol()),
        Token::Infix(op @ (Binary::Until | Binary::Release | Binary::WeakUntil)) => {
            format!("the operator `{}`", op.symbol())
        }
        Token::Infix(op) => format!("`{}`", op.symbol()),
        Token::Constant(value) => format!("`{value}`"),
        Token::Braces(text) => format!("`{{{}}}`", text.trim()),
        Token::Word(word) => format!("`{word}`"),
        Token::Open => "`(`".into(),
        Token::Close => "`)`".into(),
        Token::Colon => "`:`".into(),
        Token::End => "the end".into(),
        Token::Path(quantifier) => format!("`{}`", quantifier.symbol()),
        Token::Relation(relation) => format!("`{}`", relation.symbol()),
        Token::May => "`may`".into(),
        Token::OpenSquare => "`[`".into(),
        Token::CloseSquare => "`]`".into(),
        Token::Semicolon => "`;`".into(),
        Token::Define(name) => format!("the definition of `{name}`"),
    }
}

//! Tokens into a program, by recursive descent. The grammar stands in docs/language.md; each method here is one of its
//! rules, and has its name.

use super::ast::{Binary, Declaration, Expr, Kind, Module, Name, Unary};
use super::lexer::{Token, tokens};
use super::source::{Complaint, Result, Source, Span};

/// Expressions inside expressions: more would use up our own stack.
pub const DEEPEST: u16 = 1000;
const MOST_ARGUMENTS: usize = 255;

pub fn parse(source: &Source) -> Result<Module> {
    let mut parser = Parser { tokens: tokens(source)?, at: 0, depth: 0 };
    let mut module = Module::default();
    while parser.peek() != Token::End {
        module.declarations.push(parser.declaration()?);
    }
    Ok(module)
}

struct Parser<'s> {
    tokens: Vec<(Token<'s>, Span)>,
    at: usize,
    depth: u16,
}

use Token::{Keyword, Symbol};

impl<'s> Parser<'s> {
    fn peek(&self) -> Token<'s> {
        self.tokens[self.at].0
    }

    fn span(&self) -> Span {
        self.tokens[self.at].1
    }

    /// Where what was read last ends.
    fn behind(&self) -> Span {
        self.tokens[self.at.saturating_sub(1)].1
    }

    fn next(&mut self) -> (Token<'s>, Span) {
        let token = self.tokens[self.at];
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    fn eat(&mut self, token: Token<'static>) -> bool {
        let found = self.peek() == token;
        if found {
            self.next();
        }
        found
    }

    fn expect(&mut self, token: Token<'static>, what_for: &str) -> Result<Span> {
        let span = self.span();
        if self.eat(token) {
            return Ok(span);
        }
        let complaint = Complaint::at(span, format!("{what_for}: {} expected, not {}", show(token), show(self.peek())));
        Err(self.advise(complaint))
    }

    /// What people who know other languages write.
    fn advise(&self, complaint: Box<Complaint>) -> Box<Complaint> {
        match self.peek() {
            Symbol("=") => complaint.note("`==` compares, `:=` writes to a reference"),
            Keyword("else") if self.at > 0 && self.tokens[self.at - 1].0 == Symbol(";") => {
                complaint.note("there is no `;` before `else`")
            }
            _ => complaint,
        }
    }

    fn name(&mut self, what_for: &str) -> Result<Name> {
        match self.next() {
            (Token::Name(text), span) => Ok(Name { text: text.into(), span }),
            (Keyword(word), span) => {
                Err(Complaint::at(span, format!("{what_for}: a name expected; `{word}` is a word of the language")))
            }
            (other, span) => Err(Complaint::at(span, format!("{what_for}: a name expected, not {}", show(other)))),
        }
    }

    /// An expression of its parts.
    fn node(&self, span: Span, kind: Kind) -> Result<Expr> {
        let mut expr = Expr { span, kind, depth: 0 };
        expr.depth = 1 + expr.parts().into_iter().map(|part| part.depth).max().unwrap_or(0);
        if expr.depth > DEEPEST { Err(too_deep(span)) } else { Ok(expr) }
    }

    fn nested<T>(&mut self, rule: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if self.depth == DEEPEST {
            return Err(too_deep(self.span()));
        }
        self.depth += 1;
        let result = rule(self);
        self.depth -= 1;
        result
    }

    // Declarations.

    fn declaration(&mut self) -> Result<Declaration> {
        match self.next() {
            (Keyword("param"), _) => {
                let name = self.name("a parameter")?;
                self.expect(Symbol("="), "the default of a parameter")?;
                Ok(Declaration::Param { name, value: self.expression()? })
            }
            (Keyword("let"), _) => {
                let (recursive, name, value) = self.definition()?;
                if self.peek() == Keyword("in") {
                    return Err(Complaint::at(self.span(), "a definition of the whole program has no `in`"));
                }
                Ok(Declaration::Let { name, recursive, value })
            }
            (Keyword("shared"), _) => {
                let name = self.name("a shared variable")?;
                let size = self.size()?;
                self.expect(Symbol("="), "the first value of a shared variable")?;
                Ok(Declaration::Shared { name, size, value: self.expression()? })
            }
            (Keyword("mutex"), _) => Ok(Declaration::Mutex { name: self.name("a mutex")?, size: self.size()? }),
            (Keyword("thread"), _) => {
                let name = self.name("a thread")?;
                let index = match self.eat(Symbol("[")) {
                    true => {
                        let index = self.name("the number of a thread")?;
                        self.expect(Keyword("in"), "several threads, as in `worker[i in 0..N]`")?;
                        let (from, to) = self.range()?;
                        self.expect(Symbol("]"), "several threads")?;
                        Some((index, from, to))
                    }
                    false => None,
                };
                Ok(Declaration::Thread { name, index, body: self.block("the code of a thread")? })
            }
            (Keyword("finally"), keyword) => {
                Ok(Declaration::Finally { keyword, body: self.block("the code of `finally`")? })
            }
            (other, span) => Err(Complaint::at(
                span,
                format!("`param`, `let`, `shared`, `mutex`, `thread` or `finally` expected, not {}", show(other)),
            )),
        }
    }

    fn size(&mut self) -> Result<Option<Expr>> {
        if !self.eat(Symbol("[")) {
            return Ok(None);
        }
        let size = self.expression()?;
        self.expect(Symbol("]"), "the size of an array")?;
        Ok(Some(size))
    }

    fn range(&mut self) -> Result<(Expr, Expr)> {
        let from = self.disjunction()?;
        self.expect(Symbol(".."), "a range, as in `0..N`")?;
        Ok((from, self.disjunction()?))
    }

    /// What follows `let`, up to `in`.
    fn definition(&mut self) -> Result<(bool, Name, Expr)> {
        let recursive = self.eat(Keyword("rec"));
        let name = self.name("a definition")?;
        let parameters = if self.peek() == Symbol("(") { Some(self.parameters()?) } else { None };
        self.expect(Symbol("="), "a definition")?;
        let value = self.expression()?;
        let value = match parameters {
            Some(parameters) => {
                let kind = Kind::Function { parameters, body: Box::new(value) };
                self.node(name.span.to(self.behind()), kind)?
            }
            None => value,
        };
        if recursive && !matches!(value.kind, Kind::Function { .. }) {
            return Err(Complaint::at(name.span, "only a function can be recursive"));
        }
        Ok((recursive, name, value))
    }

    fn parameters(&mut self) -> Result<Vec<Name>> {
        self.expect(Symbol("("), "the parameters of a function")?;
        let mut list: Vec<Name> = Vec::new();
        while !self.eat(Symbol(")")) {
            if !list.is_empty() {
                self.expect(Symbol(","), "the parameters of a function")?;
            }
            let name = self.name("a parameter of a function")?;
            if list.len() == MOST_ARGUMENTS {
                return Err(Complaint::at(name.span, format!("more than {MOST_ARGUMENTS} parameters")));
            }
            if list.iter().any(|other| other.text == name.text) {
                return Err(Complaint::at(name.span, format!("two parameters have the name `{}`", name.text)));
            }
            list.push(name);
        }
        Ok(list)
    }

    // Expressions, the loosest first.

    fn block(&mut self, what_for: &str) -> Result<Expr> {
        let open = self.expect(Symbol("{"), what_for)?;
        self.sequence_up_to("}", open)
    }

    /// Up to the closing bracket; nothing at all is unit.
    fn sequence_up_to(&mut self, close: &'static str, open: Span) -> Result<Expr> {
        if self.peek() == Symbol(close) {
            let (_, end) = self.next();
            return self.node(open.to(end), Kind::Unit);
        }
        let inner = self.sequence()?;
        let end = self.span();
        if !self.eat(Symbol(close)) {
            let found = show(self.peek());
            let complaint = Complaint::at(end, format!("`;`, an operator or `{close}` expected, not {found}"));
            return Err(self.advise(complaint));
        }
        Ok(inner)
    }

    fn sequence(&mut self) -> Result<Expr> {
        let mut list = vec![self.expression()?];
        while self.eat(Symbol(";")) {
            if matches!(self.peek(), Symbol("}" | ")") | Token::End) {
                break;
            }
            list.push(self.expression()?);
        }
        if list.len() == 1 {
            return Ok(list.swap_remove(0));
        }
        let span = list[0].span.to(list[list.len() - 1].span);
        self.node(span, Kind::Sequence(list))
    }

    fn expression(&mut self) -> Result<Expr> {
        self.nested(|parser| {
            let start = parser.span();
            let kind = match parser.peek() {
                Keyword("let") => {
                    parser.next();
                    let (recursive, name, value) = parser.definition()?;
                    parser.expect(Keyword("in"), "a definition inside an expression")?;
                    let body = parser.sequence()?;
                    Kind::Let { name, recursive, value: value.into(), body: body.into() }
                }
                Keyword("fun") => {
                    parser.next();
                    let parameters = parser.parameters()?;
                    parser.expect(Symbol("->"), "a function")?;
                    Kind::Function { parameters, body: parser.expression()?.into() }
                }
                Keyword("if") => {
                    parser.next();
                    let condition = parser.expression()?.into();
                    parser.expect(Keyword("then"), "a condition")?;
                    let then = parser.expression()?.into();
                    let otherwise = match parser.eat(Keyword("else")) {
                        true => Some(parser.expression()?.into()),
                        false => None,
                    };
                    Kind::If { condition, then, otherwise }
                }
                Keyword("while") => {
                    parser.next();
                    let condition = parser.expression()?.into();
                    parser.expect(Keyword("do"), "a loop")?;
                    Kind::While { condition, body: parser.expression()?.into() }
                }
                Keyword("for") => {
                    parser.next();
                    let name = parser.name("a loop")?;
                    parser.expect(Keyword("in"), "a loop, as in `for i in 0..N do`")?;
                    let (from, to) = parser.range()?;
                    parser.expect(Keyword("do"), "a loop")?;
                    Kind::For { name, from: from.into(), to: to.into(), body: parser.expression()?.into() }
                }
                _ => return parser.assignment(),
            };
            parser.node(start.to(parser.behind()), kind)
        })
    }

    fn assignment(&mut self) -> Result<Expr> {
        let place = self.disjunction()?;
        if !self.eat(Symbol(":=")) {
            return Ok(place);
        }
        let value = self.expression()?;
        self.node(place.span.to(value.span), Kind::Write(place.into(), value.into()))
    }

    fn disjunction(&mut self) -> Result<Expr> {
        let mut left = self.conjunction()?;
        while self.eat(Symbol("||")) {
            let right = self.conjunction()?;
            left = self.node(left.span.to(right.span), Kind::Or(left.into(), right.into()))?;
        }
        Ok(left)
    }

    fn conjunction(&mut self) -> Result<Expr> {
        let mut left = self.negation()?;
        while self.eat(Symbol("&&")) {
            let right = self.negation()?;
            left = self.node(left.span.to(right.span), Kind::And(left.into(), right.into()))?;
        }
        Ok(left)
    }

    fn negation(&mut self) -> Result<Expr> {
        let start = self.span();
        if !self.eat(Keyword("not")) {
            return self.comparison();
        }
        let operand = self.nested(Self::negation)?;
        self.node(start.to(operand.span), Kind::Unary(Unary::Not, operand.into()))
    }

    fn comparison(&mut self) -> Result<Expr> {
        let left = self.sum()?;
        let Some(operator) = comparison(self.peek()) else { return Ok(left) };
        self.next();
        let right = self.sum()?;
        if comparison(self.peek()).is_some() {
            return Err(
                Complaint::at(self.span(), "comparisons do not chain").note("`a < b && b < c` compares three values")
            );
        }
        self.node(left.span.to(right.span), Kind::Binary(operator, left.into(), right.into()))
    }

    fn sum(&mut self) -> Result<Expr> {
        let mut left = self.product()?;
        loop {
            let operator = match self.peek() {
                Symbol("+") => Binary::Plus,
                Symbol("-") => Binary::Minus,
                _ => return Ok(left),
            };
            self.next();
            let right = self.product()?;
            left = self.node(left.span.to(right.span), Kind::Binary(operator, left.into(), right.into()))?;
        }
    }

    fn product(&mut self) -> Result<Expr> {
        let mut left = self.prefix()?;
        loop {
            let operator = match self.peek() {
                Symbol("*") => Binary::Times,
                Symbol("/") => Binary::Divide,
                Symbol("%") => Binary::Remainder,
                _ => return Ok(left),
            };
            self.next();
            let right = self.prefix()?;
            left = self.node(left.span.to(right.span), Kind::Binary(operator, left.into(), right.into()))?;
        }
    }

    /// `!x` and `-x` bind tightly; `ref`, `lock`, `assert` and their like take all that an operator can join.
    fn prefix(&mut self) -> Result<Expr> {
        let (token, start) = (self.peek(), self.span());
        let wide: fn(Box<Expr>) -> Kind = match token {
            Symbol("!") | Symbol("-") => {
                self.next();
                let operand = self.nested(Self::prefix)?;
                let span = start.to(operand.span);
                let kind = match (token, &operand.kind) {
                    (Symbol("!"), _) => Kind::Read(operand.into()),
                    _ => Kind::Unary(Unary::Negate, operand.into()),
                };
                return self.node(span, kind);
            }
            Keyword("ref") => Kind::Ref,
            Keyword("lock") => Kind::Lock,
            Keyword("unlock") => Kind::Unlock,
            Keyword("assert") => Kind::Assert,
            Keyword("assume") => Kind::Assume,
            _ => return self.postfix(),
        };
        self.next();
        let operand = self.nested(Self::disjunction)?;
        self.node(start.to(operand.span), wide(operand.into()))
    }

    fn postfix(&mut self) -> Result<Expr> {
        let mut value = self.atom()?;
        loop {
            match self.peek() {
                Symbol("(") => {
                    let arguments = self.arguments(None)?;
                    let span = value.span.to(self.behind());
                    value = self.node(span, Kind::Call { callee: value.into(), arguments })?;
                }
                Symbol("[") => {
                    let Kind::Name(text) = &value.kind else {
                        return Err(Complaint::at(self.span(), "only a declared array can be indexed")
                            .note("an array is known by its name: `table[i]`"));
                    };
                    let array = Name { text: text.clone(), span: value.span };
                    self.next();
                    let index = self.expression()?.into();
                    self.expect(Symbol("]"), "an index")?;
                    value = self.node(array.span.to(self.behind()), Kind::Index { array, index })?;
                }
                _ => return Ok(value),
            }
        }
    }

    fn arguments(&mut self, exactly: Option<(&str, usize)>) -> Result<Vec<Expr>> {
        let what_for = exactly.map_or("the arguments of a call", |(name, _)| name);
        let open = self.expect(Symbol("("), what_for)?;
        let mut list = Vec::new();
        while !self.eat(Symbol(")")) {
            if !list.is_empty() {
                self.expect(Symbol(","), what_for)?;
            }
            if list.len() == MOST_ARGUMENTS {
                return Err(Complaint::at(self.span(), format!("more than {MOST_ARGUMENTS} arguments")));
            }
            list.push(self.expression()?);
        }
        match exactly {
            Some((name, count)) if list.len() != count => {
                let span = open.to(self.behind());
                Err(Complaint::at(span, format!("`{name}` takes {count} arguments, not {}", list.len())))
            }
            _ => Ok(list),
        }
    }

    fn atom(&mut self) -> Result<Expr> {
        let (token, span) = self.next();
        let kind = match token {
            Token::Number(value) => Kind::Int(value),
            Keyword("true") => Kind::Bool(true),
            Keyword("false") => Kind::Bool(false),
            Token::Name(text) => Kind::Name(text.into()),
            Symbol(open @ ("(" | "{")) => {
                let close = if open == "(" { ")" } else { "}" };
                return self.nested(|parser| parser.sequence_up_to(close, span));
            }
            Keyword("cas") => {
                let [place, old, new] = exactly(self.arguments(Some(("cas", 3)))?);
                Kind::CompareAndSwap { place: place.into(), old: old.into(), new: new.into() }
            }
            Keyword("choose") => {
                let [low, high] = exactly(self.arguments(Some(("choose", 2)))?);
                Kind::Choose(low.into(), high.into())
            }
            Keyword("error") => match self.peek() {
                Token::Text(text) => {
                    self.next();
                    Kind::Error(Some(text.into()))
                }
                _ => Kind::Error(None),
            },
            Token::Text(_) => return Err(Complaint::at(span, "texts stand only behind `error`")),
            // Where a `let` or an `if` may begin anywhere but here.
            Keyword(word @ ("let" | "fun" | "if" | "while" | "for")) => {
                return Err(Complaint::at(span, format!("`{word}` needs brackets around it here")));
            }
            other => {
                self.at = self.at.saturating_sub(usize::from(other != Token::End));
                let complaint = Complaint::at(span, format!("an expression expected, not {}", show(other)));
                return Err(self.advise(complaint));
            }
        };
        self.node(span.to(self.behind()), kind)
    }
}

fn too_deep(span: Span) -> Box<Complaint> {
    Complaint::at(span, format!("expressions are nested more than {DEEPEST} deep here"))
}

fn exactly<const N: usize>(list: Vec<Expr>) -> [Expr; N] {
    list.try_into().expect("the number of arguments was checked")
}

fn comparison(token: Token<'_>) -> Option<Binary> {
    Some(match token {
        Symbol("==") => Binary::Equal,
        Symbol("!=") => Binary::Differ,
        Symbol("<") => Binary::Less,
        Symbol("<=") => Binary::AtMost,
        Symbol(">") => Binary::Greater,
        Symbol(">=") => Binary::AtLeast,
        _ => return None,
    })
}

fn show(token: Token<'_>) -> String {
    match token {
        Token::Name(text) => format!("`{text}`"),
        Token::Number(value) => value.to_string(),
        Token::Text(text) => format!("\"{text}\""),
        Keyword(word) | Symbol(word) => format!("`{word}`"),
        Token::End => "the end of the file".into(),
    }
}

//! JSON as a tree in which everything has a place, so that every mistake has one.

use threadbare_core::source::{Complaint, Result, Source, Span};

#[derive(Clone, PartialEq, Debug)]
pub struct Tree {
    pub span: Span,
    pub value: Value,
}

#[derive(Clone, PartialEq, Debug)]
pub enum Value {
    Null,
    Bool(bool),
    /// As it is written.
    Number(String),
    Text(String),
    List(Vec<Tree>),
    /// In the order of the file; no name stands there twice.
    Object(Vec<Field>),
}

#[derive(Clone, PartialEq, Debug)]
pub struct Field {
    pub name: String,
    pub span: Span,
    pub tree: Tree,
}

/// Lists in lists: more would use up our own stack.
const DEEPEST: usize = 100;

pub fn parse(source: &Source, start: usize) -> Result<Tree> {
    let mut parser = Parser { text: &source.text, at: start, depth: 0 };
    let tree = parser.tree()?;
    parser.skip();
    match parser.at == source.text.len() {
        true => Ok(tree),
        false => Err(parser.unexpected("the end")),
    }
}

impl Tree {
    /// What it is, for messages.
    fn kind(&self) -> &'static str {
        match &self.value {
            Value::Null => "nothing",
            Value::Bool(_) => "true or false",
            Value::Number(_) => "a number",
            Value::Text(_) => "a text",
            Value::List(_) => "a list",
            Value::Object(_) => "an object",
        }
    }

    fn is_not(&self, wanted: &str) -> Box<Complaint> {
        Complaint::at(self.span, format!("{wanted} is needed, not {}", self.kind()))
    }

    pub fn list(&self, wanted: &str) -> Result<&[Tree]> {
        if let Value::List(list) = &self.value { Ok(list) } else { Err(self.is_not(wanted)) }
    }

    pub fn text(&self, wanted: &str) -> Result<&str> {
        if let Value::Text(text) = &self.value { Ok(text) } else { Err(self.is_not(wanted)) }
    }

    /// A text with something in it.
    pub fn name(&self, wanted: &str) -> Result<&str> {
        match self.text(wanted)? {
            "" => Err(Complaint::at(self.span, format!("{wanted} is needed, and this is empty"))),
            name => Ok(name),
        }
    }

    pub fn number<N: std::str::FromStr>(&self, wanted: &str) -> Result<N> {
        self.whole(wanted)?.ok_or_else(|| Complaint::at(self.span, "this number is too large"))
    }

    /// None where it is too large for its type.
    pub fn whole<N: std::str::FromStr>(&self, wanted: &str) -> Result<Option<N>> {
        let Value::Number(digits) = &self.value else { return Err(self.is_not(wanted)) };
        match digits.contains(['.', 'e', 'E']) {
            true => Err(Complaint::at(self.span, format!("{wanted} is needed, and `{digits}` is no whole number"))),
            false => Ok(digits.parse().ok()),
        }
    }

    /// The fields of an object that may have these.
    pub fn fields(&self, wanted: &str, known: &[&str]) -> Result<&[Field]> {
        let Value::Object(fields) = &self.value else { return Err(self.is_not(wanted)) };
        match fields.iter().find(|field| !known.contains(&field.name.as_str())) {
            Some(field) => Err(Complaint::at(field.span, format!("there is no field `{}` in {wanted}", field.name))
                .note(format!("there is {}", known.join(", ")))),
            None => Ok(fields),
        }
    }
}

/// A field of an object; one that is `null` is not there.
pub fn field<'t>(fields: &'t [Field], name: &str) -> Option<&'t Tree> {
    fields.iter().find(|field| field.name == name && field.tree.value != Value::Null).map(|field| &field.tree)
}

struct Parser<'s> {
    text: &'s str,
    at: usize,
    depth: usize,
}

impl Parser<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn skip(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start_matches([' ', '\t', '\n', '\r']).len();
    }

    fn take(&mut self, symbol: char) -> bool {
        self.skip();
        let is_there = self.rest().starts_with(symbol);
        self.at += if is_there { symbol.len_utf8() } else { 0 };
        is_there
    }

    fn unexpected(&self, wanted: &str) -> Box<Complaint> {
        let word = self.rest().find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(self.rest().len());
        let length = if word > 0 { word } else { self.rest().chars().next().map_or(0, char::len_utf8) };
        let found = match &self.rest()[..length] {
            "" => "the end".to_string(),
            words if words.chars().any(char::is_control) => "a control character".to_string(),
            words => format!("`{words}`"),
        };
        Complaint::at(Span::new(self.at, self.at + length), format!("{wanted} expected, not {found}"))
    }

    fn tree(&mut self) -> Result<Tree> {
        self.skip();
        let from = self.at;
        let value = match self.rest().chars().next() {
            Some('{') => self.nested(Self::object)?,
            Some('[') => self.nested(Self::list)?,
            Some('"') => Value::Text(self.text()?),
            Some('-' | '0'..='9') => self.number()?,
            _ => self.word()?,
        };
        Ok(Tree { span: Span::new(from, self.at), value })
    }

    fn nested(&mut self, rule: fn(&mut Self) -> Result<Value>) -> Result<Value> {
        if self.depth == DEEPEST {
            return Err(Complaint::at(Span::new(self.at, self.at + 1), "lists and objects in each other, too deep"));
        }
        self.depth += 1;
        self.at += 1;
        let value = rule(self);
        self.depth -= 1;
        value
    }

    fn object(&mut self) -> Result<Value> {
        let mut fields: Vec<Field> = Vec::new();
        let mut names: rustc_hash::FxHashSet<String> = rustc_hash::FxHashSet::default();
        if self.take('}') {
            return Ok(Value::Object(fields));
        }
        loop {
            self.skip();
            if !self.rest().starts_with('"') {
                return Err(self.unexpected("the name of a field in quotes"));
            }
            let from = self.at;
            let name = self.text()?;
            let span = Span::new(from, self.at);
            if !names.insert(name.clone()) {
                return Err(Complaint::at(span, format!("the field `{name}` is there twice")));
            }
            if !self.take(':') {
                return Err(self.unexpected("`:`"));
            }
            fields.push(Field { name, span, tree: self.tree()? });
            if !self.take(',') {
                return if self.take('}') { Ok(Value::Object(fields)) } else { Err(self.unexpected("`,` or `}`")) };
            }
        }
    }

    fn list(&mut self) -> Result<Value> {
        let mut list = Vec::new();
        if self.take(']') {
            return Ok(Value::List(list));
        }
        loop {
            list.push(self.tree()?);
            if !self.take(',') {
                return if self.take(']') { Ok(Value::List(list)) } else { Err(self.unexpected("`,` or `]`")) };
            }
        }
    }

    fn word(&mut self) -> Result<Value> {
        for (word, value) in [("null", Value::Null), ("true", Value::Bool(true)), ("false", Value::Bool(false))] {
            let behind = self.rest().strip_prefix(word);
            if behind.is_some_and(|behind| !behind.starts_with(|c: char| c.is_alphanumeric() || c == '_')) {
                self.at += word.len();
                return Ok(value);
            }
        }
        Err(self.unexpected("a value"))
    }

    fn number(&mut self) -> Result<Value> {
        let own = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.');
        let length = self.rest().find(|c| !own(c)).unwrap_or(self.rest().len());
        let digits = self.rest()[..length].to_string();
        let span = Span::new(self.at, self.at + length);
        let is_number =
            digits.parse::<f64>().is_ok_and(f64::is_finite) && digits.ends_with(|c: char| c.is_ascii_digit());
        let whole = digits.trim_start_matches('-');
        if !is_number || whole.len() > 1 && whole.starts_with('0') && whole.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(Complaint::at(span, format!("`{digits}` is no number")));
        }
        self.at += length;
        Ok(Value::Number(digits))
    }

    fn text(&mut self) -> Result<String> {
        let from = self.at;
        let open = || Complaint::at(Span::new(from, from + 1), "this quote is never closed");
        let mut text = String::new();
        self.at += 1;
        loop {
            let c = self.rest().chars().next().ok_or_else(open)?;
            self.at += c.len_utf8();
            match c {
                '"' => return Ok(text),
                '\n' => return Err(open()),
                '\\' => text.push(self.escaped()?),
                c => text.push(c),
            }
        }
    }

    /// What stands behind a backslash.
    fn escaped(&mut self) -> Result<char> {
        let from = self.at - 1;
        let c = self.rest().chars().next().unwrap_or('\n');
        self.at += if c == '\n' { 0 } else { c.len_utf8() };
        let plain = match c {
            '"' | '\\' | '/' => Some(c),
            'b' => Some('\u{8}'),
            'f' => Some('\u{c}'),
            'n' => Some('\n'),
            'r' => Some('\r'),
            't' => Some('\t'),
            'u' => self.unit().and_then(|first| match first {
                // Beyond the first plane a character has two halves.
                0xd800..0xdc00 => {
                    self.rest().starts_with("\\u").then(|| self.at += 2)?;
                    let second = self.unit().filter(|second| (0xdc00..0xe000).contains(second))?;
                    char::from_u32(0x1_0000 + ((first - 0xd800) << 10) + (second - 0xdc00))
                }
                unit => char::from_u32(unit),
            }),
            _ => None,
        };
        plain.ok_or_else(|| Complaint::at(Span::new(from, self.at.max(from + 1)), "this means nothing in a text"))
    }

    fn unit(&mut self) -> Option<u32> {
        let digits = self.rest().get(..4).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
        let unit = u32::from_str_radix(digits, 16).ok()?;
        self.at += 4;
        Some(unit)
    }
}

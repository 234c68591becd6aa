//! A reader of NuSMV's language, as much of it as we write, and what its models and specifications mean: written from NuSMV's manual, and
//! knowing nothing of how we write. It is strict: a name that is not declared, a value that is out of its range, a `case` without
//! an answer, a state without a successor are all panics.

use std::collections::BTreeMap;

#[derive(Clone, PartialEq, Debug)]
enum Expr {
    Value(Value),
    Name(String),
    Next(Box<Expr>),
    Case(Vec<(Expr, Expr)>),
    Set(Vec<Expr>),
    /// `!`, and `X`, `F`, `G`, `EX` and so on.
    One(String, Box<Expr>),
    Two(String, Box<Expr>, Box<Expr>),
    /// `A [p U q]`
    Until(char, Box<Expr>, Box<Expr>),
}

#[derive(Clone, PartialEq, Debug)]
enum Value {
    Bool(bool),
    Int(i64),
    Symbol(String),
}

#[derive(Default, Debug)]
struct Module {
    parameters: Vec<String>,
    ranges: Vec<(String, i64, i64)>,
    instances: Vec<(String, String, Vec<Expr>)>,
    starts: BTreeMap<String, Expr>,
    steps: BTreeMap<String, Expr>,
    definitions: BTreeMap<String, Expr>,
    transitions: Vec<Expr>,
    constants: Vec<String>,
    specs: Vec<(String, Expr)>,
}

fn tokens(text: &str) -> Vec<String> {
    const SYMBOLS: [&str; 8] = [":=", "<->", "->", "<=", ">=", "!=", "..", "--"];
    let mut list = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let word = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
        let symbol = SYMBOLS.iter().find(|symbol| rest.starts_with(**symbol));
        let length = match symbol {
            Some(&"--") => {
                rest = &rest[rest.find('\n').unwrap_or(rest.len())..];
                continue;
            }
            Some(symbol) => symbol.len(),
            None if first.is_whitespace() => {
                rest = &rest[first.len_utf8()..];
                continue;
            }
            None if word > 0 => {
                // `p0.evnt` is one name, and `0..4` are three tokens.
                let part =
                    rest[word..].strip_prefix('.').filter(|part| part.starts_with(|c: char| c.is_ascii_alphabetic()));
                let part =
                    part.map(|part| part.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(part.len()));
                word + part.map_or(0, |part| part + 1)
            }
            None => first.len_utf8(),
        };
        list.push(rest[..length].to_string());
        rest = &rest[length..];
    }
    list
}

struct Parser {
    tokens: Vec<String>,
    at: usize,
}

impl Parser {
    fn peek(&self) -> &str {
        self.tokens.get(self.at).map_or("", String::as_str)
    }

    fn next(&mut self) -> String {
        self.at += 1;
        self.tokens[self.at - 1].clone()
    }

    fn take(&mut self, word: &str) -> bool {
        let is_there = self.peek() == word;
        self.at += usize::from(is_there);
        is_there
    }

    fn expect(&mut self, word: &str) {
        let found = self.next();
        assert_eq!(found, word, "behind {:?}", &self.tokens[self.at.saturating_sub(9)..self.at]);
    }

    fn name(&mut self) -> String {
        let name = self.next();
        assert!(name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_'), "a name, not `{name}`");
        name
    }

    fn number(&mut self) -> i64 {
        let sign = if self.take("-") { -1 } else { 1 };
        sign * self.next().parse::<i64>().expect("a number")
    }

    fn modules(&mut self) -> BTreeMap<String, Module> {
        let mut all = BTreeMap::new();
        while !self.peek().is_empty() {
            self.expect("MODULE");
            let name = self.name();
            let mut module = Module::default();
            if self.take("(") {
                module.parameters.push(self.name());
                self.expect(")");
            }
            self.module(&mut module);
            assert!(all.insert(name.clone(), module).is_none(), "two modules {name}");
        }
        all
    }

    fn module(&mut self, module: &mut Module) {
        const SECTIONS: [&str; 8] = ["VAR", "ASSIGN", "DEFINE", "TRANS", "CONSTANTS", "LTLSPEC", "CTLSPEC", "MODULE"];
        while self.peek() != "MODULE" && !self.peek().is_empty() {
            let section = self.next();
            assert!(SECTIONS.contains(&section.as_str()), "no section `{section}`");
            match section.as_str() {
                "TRANS" => module.transitions.push(self.expr(0)),
                "CONSTANTS" => {
                    module.constants.push(self.name());
                    while self.take(",") {
                        module.constants.push(self.name());
                    }
                    self.expect(";");
                }
                "LTLSPEC" | "CTLSPEC" => {
                    module.specs.push((section, self.expr(0)));
                    self.expect(";");
                }
                _ => {
                    while !SECTIONS.contains(&self.peek()) && !self.peek().is_empty() {
                        self.line(module, &section);
                        self.expect(";");
                    }
                }
            }
        }
    }

    fn line(&mut self, module: &mut Module, section: &str) {
        let mut name = self.name();
        let kind = if section == "ASSIGN" {
            self.expect("(");
            std::mem::replace(&mut name, self.name())
        } else {
            String::new()
        };
        match section {
            "VAR" => {
                self.expect(":");
                assert!(!module.ranges.iter().any(|(known, ..)| *known == name), "two variables {name}");
                if self.peek().starts_with(|c: char| c.is_ascii_alphabetic()) {
                    let (of, mut arguments) = (self.name(), Vec::new());
                    self.expect("(");
                    arguments.push(self.expr(0));
                    self.expect(")");
                    module.instances.push((name, of, arguments));
                } else {
                    let low = self.number();
                    self.expect("..");
                    let high = self.number();
                    module.ranges.push((name, low, high));
                }
            }
            "ASSIGN" => {
                self.expect(")");
                self.expect(":=");
                let expr = self.expr(0);
                let list = if kind == "init" { &mut module.starts } else { &mut module.steps };
                assert!(["init", "next"].contains(&kind.as_str()) && list.insert(name, expr).is_none());
            }
            _ => {
                self.expect(":=");
                let expr = self.expr(0);
                assert!(module.definitions.insert(name.clone(), expr).is_none(), "{name} is defined twice");
            }
        }
    }

    /// From the loosest to the tightest, as the manual has them.
    fn expr(&mut self, level: usize) -> Expr {
        const LEVELS: [&[&str]; 7] =
            [&["->"], &["<->"], &["|"], &["&"], &["U", "V"], &["=", "!=", "<", "<=", ">", ">="], &["+"]];
        if level == LEVELS.len() {
            return self.unary();
        }
        let mut left = self.expr(level + 1);
        while LEVELS[level].contains(&self.peek()) {
            let op = self.next();
            // Implication associates to the right.
            let right = self.expr(if level == 0 { 0 } else { level + 1 });
            left = Expr::Two(op, Box::new(left), Box::new(right));
        }
        left
    }

    fn unary(&mut self) -> Expr {
        let token = self.next();
        match token.as_str() {
            "!" | "X" | "F" | "G" | "EX" | "EF" | "EG" | "AX" | "AF" | "AG" => Expr::One(token, Box::new(self.unary())),
            "A" | "E" => {
                self.expect("[");
                let Expr::Two(op, a, b) = self.expr(0) else { panic!("`until` in brackets") };
                assert_eq!(op, "U");
                self.expect("]");
                Expr::Until(token.chars().next().expect("A or E"), a, b)
            }
            "(" => {
                let inner = self.expr(0);
                self.expect(")");
                inner
            }
            "{" => {
                let mut list = vec![self.expr(0)];
                while self.take(",") {
                    list.push(self.expr(0));
                }
                self.expect("}");
                Expr::Set(list)
            }
            "case" => {
                let mut list = Vec::new();
                while !self.take("esac") {
                    let when = self.expr(0);
                    self.expect(":");
                    list.push((when, self.expr(0)));
                    self.expect(";");
                }
                Expr::Case(list)
            }
            "next" => {
                self.expect("(");
                let inner = self.expr(0);
                self.expect(")");
                Expr::Next(Box::new(inner))
            }
            "TRUE" | "FALSE" => Expr::Value(Value::Bool(token == "TRUE")),
            "-" => Expr::Value(Value::Int(-self.next().parse::<i64>().expect("a number"))),
            _ if token.starts_with(|c: char| c.is_ascii_digit()) => {
                Expr::Value(Value::Int(token.parse().expect("a number")))
            }
            _ => {
                self.at -= 1;
                Expr::Name(self.name())
            }
        }
    }
}

/// A variable of the model, by its full name.
struct Variable {
    name: String,
    range: (i64, i64),
    start: Option<(String, Expr)>,
    /// With the module instance that its names are read in.
    step: Option<(String, Expr)>,
}

pub struct Model {
    modules: BTreeMap<String, Module>,
    variables: Vec<Variable>,
    /// Of an instance, its module and what its parameter stands for in `main`.
    instances: BTreeMap<String, (String, Option<Expr>)>,
    states: Vec<Vec<i64>>,
    arcs: Vec<Vec<usize>>,
    starts: Vec<usize>,
}

/// Where names are looked up: an instance (empty for `main`), a state, and the one behind it.
#[derive(Clone, Copy)]
struct Scope<'s> {
    instance: &'s str,
    now: &'s [Option<i64>],
    then: Option<&'s [Option<i64>]>,
}

pub fn read(text: &str) -> Model {
    let modules = Parser { tokens: tokens(text), at: 0 }.modules();
    let main = &modules["main"];
    let mut instances = BTreeMap::from([(String::new(), ("main".to_string(), None))]);
    for (name, of, arguments) in &main.instances {
        assert_eq!(modules[of].parameters.len(), arguments.len());
        instances.insert(name.clone(), (of.clone(), arguments.first().cloned()));
    }
    let mut variables = Vec::new();
    for (instance, (of, _)) in &instances {
        let module = &modules[of];
        for (name, low, high) in &module.ranges {
            // One value makes it a constant, and then NuSMV refuses what is assigned to it.
            assert!(low < high, "{name} has one value");
            let full = if instance.is_empty() { name.clone() } else { format!("{instance}.{name}") };
            let of = |list: &BTreeMap<String, Expr>| list.get(name).map(|expr| (instance.clone(), expr.clone()));
            let (start, step) = (of(&module.starts), of(&module.steps));
            variables.push(Variable { name: full, range: (*low, *high), start, step });
        }
        let is_variable = |name: &&String| module.ranges.iter().any(|(known, ..)| known == *name);
        assert!(module.starts.keys().chain(module.steps.keys()).all(|name| is_variable(&name)));
    }
    let mut model = Model { modules, variables, instances, states: Vec::new(), arcs: Vec::new(), starts: Vec::new() };
    model.explore();
    model
}

impl Model {
    fn explore(&mut self) {
        let nothing = vec![None; self.variables.len()];
        let mut open = vec![Vec::new()];
        for (number, variable) in self.variables.iter().enumerate() {
            let values = match &variable.start {
                Some((instance, expr)) => self.values(expr, Scope { instance, now: &nothing, then: None }),
                None => (variable.range.0..=variable.range.1).map(Value::Int).collect(),
            };
            open = self.extended(&open, number, &values);
        }
        let starts: Vec<Vec<i64>> = open;
        let mut numbers: BTreeMap<Vec<i64>, usize> = BTreeMap::new();
        for state in starts {
            let number = self.states.len();
            self.starts.push(*numbers.entry(state.clone()).or_insert(number));
            self.states.push(state);
        }
        let mut at = 0;
        while at < self.states.len() {
            assert!(at < 20_000, "few states");
            let next = self.successors(&self.states[at].clone());
            assert!(!next.is_empty(), "{:?} is a state without a successor", self.states[at]);
            let mut arcs = Vec::new();
            for state in next {
                let number = *numbers.entry(state.clone()).or_insert(self.states.len());
                if number == self.states.len() {
                    self.states.push(state);
                }
                arcs.push(number);
            }
            self.arcs.push(arcs);
            at += 1;
        }
    }

    /// Rows with each of these values of the next variable.
    fn extended(&self, rows: &[Vec<i64>], number: usize, values: &[Value]) -> Vec<Vec<i64>> {
        let Variable { name, range, .. } = &self.variables[number];
        let value = |value: &Value| {
            let Value::Int(value) = *value else { panic!("{name} is a number") };
            assert!((range.0..=range.1).contains(&value), "{name} = {value} is out of its range");
            value
        };
        rows.iter()
            .flat_map(|row| values.iter().map(|v| [row.clone(), vec![value(v)]].concat()).collect::<Vec<_>>())
            .collect()
    }

    fn successors(&self, state: &[i64]) -> Vec<Vec<i64>> {
        let now: Vec<Option<i64>> = state.iter().map(|value| Some(*value)).collect();
        // What no assignment gives is chosen first; the assignments may ask for it.
        let free: Vec<usize> = (0..self.variables.len()).filter(|&v| self.variables[v].step.is_none()).collect();
        let mut chosen: Vec<Vec<Option<i64>>> = vec![vec![None; self.variables.len()]];
        for &variable in &free {
            let (low, high) = self.variables[variable].range;
            let with = |row: &Vec<Option<i64>>, value| {
                let mut row = row.clone();
                row[variable] = Some(value);
                row
            };
            chosen =
                chosen.iter().flat_map(|row| (low..=high).map(|value| with(row, value)).collect::<Vec<_>>()).collect();
        }
        let mut all = Vec::new();
        for then in chosen {
            // What cannot be is no reason to leave a range: such choices are dropped before assignments are looked at.
            let transitions = &self.modules["main"].transitions;
            let can = |then: &[Option<i64>]| {
                transitions.iter().all(|expr| self.truth(expr, Scope { instance: "", now: &now, then: Some(then) }))
            };
            if !can(&then) {
                continue;
            }
            let mut rows = vec![Vec::new()];
            for (number, variable) in self.variables.iter().enumerate() {
                let values = match &variable.step {
                    Some((instance, expr)) => self.values(expr, Scope { instance, now: &now, then: Some(&then) }),
                    None => vec![Value::Int(then[number].expect("chosen"))],
                };
                rows = self.extended(&rows, number, &values);
            }
            all.extend(rows);
        }
        all
    }

    fn truth(&self, expr: &Expr, scope: Scope<'_>) -> bool {
        match self.value(expr, scope) {
            Value::Bool(value) => value,
            other => panic!("{other:?} is neither true nor false"),
        }
    }

    fn number(&self, expr: &Expr, scope: Scope<'_>) -> i64 {
        match self.value(expr, scope) {
            Value::Int(value) => value,
            other => panic!("{other:?} is no number"),
        }
    }

    fn values(&self, expr: &Expr, scope: Scope<'_>) -> Vec<Value> {
        match expr {
            Expr::Set(list) => list.iter().map(|one| self.value(one, scope)).collect(),
            Expr::Case(list) => {
                let fitting = list.iter().find(|(when, _)| self.truth(when, scope));
                self.values(&fitting.expect("a case has an answer").1, scope)
            }
            _ => vec![self.value(expr, scope)],
        }
    }

    fn value(&self, expr: &Expr, scope: Scope<'_>) -> Value {
        match expr {
            Expr::Value(value) => value.clone(),
            Expr::Name(name) => self.look_up(name, scope),
            Expr::Next(inner) => {
                let then = scope.then.expect("there is a next state");
                self.value(inner, Scope { now: then, then: None, ..scope })
            }
            Expr::Case(_) => match self.values(expr, scope).as_slice() {
                [one] => one.clone(),
                more => panic!("one value, not {more:?}"),
            },
            Expr::One(op, a) if op == "!" => Value::Bool(!self.truth(a, scope)),
            Expr::Two(op, a, b) => match op.as_str() {
                "&" => Value::Bool(self.truth(a, scope) && self.truth(b, scope)),
                "|" => Value::Bool(self.truth(a, scope) || self.truth(b, scope)),
                "->" => Value::Bool(!self.truth(a, scope) || self.truth(b, scope)),
                "<->" => Value::Bool(self.truth(a, scope) == self.truth(b, scope)),
                "=" => Value::Bool(self.value(a, scope) == self.value(b, scope)),
                "!=" => Value::Bool(self.value(a, scope) != self.value(b, scope)),
                "<" => Value::Bool(self.number(a, scope) < self.number(b, scope)),
                "<=" => Value::Bool(self.number(a, scope) <= self.number(b, scope)),
                ">" => Value::Bool(self.number(a, scope) > self.number(b, scope)),
                ">=" => Value::Bool(self.number(a, scope) >= self.number(b, scope)),
                "+" => Value::Int(self.number(a, scope) + self.number(b, scope)),
                op => panic!("no operator `{op}` of states"),
            },
            other => panic!("{other:?} is no expression of states"),
        }
    }

    fn look_up(&self, name: &str, scope: Scope<'_>) -> Value {
        let (of, argument) = &self.instances[scope.instance];
        let module = &self.modules[of];
        let full = if scope.instance.is_empty() { name.to_string() } else { format!("{}.{name}", scope.instance) };
        if let Some(number) = self.variables.iter().position(|variable| variable.name == full) {
            return Value::Int(scope.now[number].unwrap_or_else(|| panic!("{full} is asked for before it is known")));
        }
        if module.parameters.iter().any(|parameter| parameter == name) {
            let argument = argument.as_ref().expect("as many arguments as parameters");
            return self.value(argument, Scope { instance: "", ..scope });
        }
        if let Some(definition) = module.definitions.get(name) {
            return self.value(definition, scope);
        }
        assert!(module.constants.iter().any(|constant| constant == name), "nothing is called `{full}`");
        Value::Symbol(name.into())
    }

    /// Whether the specifications hold, in their order.
    pub fn answers(&self) -> Vec<bool> {
        let holds = |(kind, expr): &(String, Expr)| match kind.as_str() {
            "CTLSPEC" => {
                let truth = self.branching(expr);
                self.starts.iter().all(|&start| truth[start])
            }
            _ => self.starts.iter().all(|&start| self.paths(start).iter().all(|path| self.linear(expr, path)[0])),
        };
        self.modules["main"].specs.iter().map(holds).collect()
    }

    fn here(&self, expr: &Expr, state: usize) -> bool {
        let now: Vec<Option<i64>> = self.states[state].iter().map(|value| Some(*value)).collect();
        self.truth(expr, Scope { instance: "", now: &now, then: None })
    }

    /// All paths: none comes back to a state but to stay there for ever.
    fn paths(&self, start: usize) -> Vec<Vec<usize>> {
        let (mut all, mut open) = (Vec::new(), vec![vec![start]]);
        while let Some(path) = open.pop() {
            let last = path[path.len() - 1];
            if self.arcs[last] == [last] {
                all.push(path);
                continue;
            }
            for &next in &self.arcs[last] {
                assert!(!path.contains(&next), "a circle of states");
                open.push([path.clone(), vec![next]].concat());
            }
        }
        all
    }

    /// Whether a formula of LTL holds from each position of a path on, whose last state stays.
    fn linear(&self, expr: &Expr, path: &[usize]) -> Vec<bool> {
        let last = path.len() - 1;
        let backwards = |start: bool, rule: &dyn Fn(usize, bool) -> bool| {
            let mut truth = vec![start; path.len()];
            truth[last] = rule(last, start);
            (0..last).rev().for_each(|i| truth[i] = rule(i, truth[i + 1]));
            truth
        };
        match expr {
            Expr::One(op, a) => {
                let a = self.linear(a, path);
                match op.as_str() {
                    "!" => a.iter().map(|a| !a).collect(),
                    "X" => (0..path.len()).map(|i| a[(i + 1).min(last)]).collect(),
                    "F" => backwards(false, &|i, next| a[i] || next),
                    "G" => backwards(true, &|i, next| a[i] && next),
                    op => panic!("no operator `{op}` of LTL"),
                }
            }
            Expr::Two(op, a, b) if ["&", "|", "->", "<->", "U", "V"].contains(&op.as_str()) => {
                let (a, b) = (self.linear(a, path), self.linear(b, path));
                let each = |rule: &dyn Fn(bool, bool) -> bool| a.iter().zip(&b).map(|(a, b)| rule(*a, *b)).collect();
                match op.as_str() {
                    "&" => each(&|a, b| a && b),
                    "|" => each(&|a, b| a || b),
                    "->" => each(&|a, b| !a || b),
                    "<->" => each(&|a, b| a == b),
                    "U" => backwards(false, &|i, next| b[i] || a[i] && next),
                    _ => backwards(true, &|i, next| b[i] && (a[i] || next)),
                }
            }
            _ => path.iter().map(|&state| self.here(expr, state)).collect(),
        }
    }

    /// Whether a formula of CTL holds in each state.
    fn branching(&self, expr: &Expr) -> Vec<bool> {
        let count = self.states.len();
        let some = |truth: &[bool], state: usize| self.arcs[state].iter().any(|&next| truth[next]);
        let all = |truth: &[bool], state: usize| self.arcs[state].iter().all(|&next| truth[next]);
        let fixpoint = |start: bool, rule: &dyn Fn(&[bool], usize) -> bool| {
            let mut truth = vec![start; count];
            loop {
                let next: Vec<bool> = (0..count).map(|state| rule(&truth, state)).collect();
                if next == truth {
                    return truth;
                }
                truth = next;
            }
        };
        match expr {
            Expr::One(op, a) => {
                let a = self.branching(a);
                match op.as_str() {
                    "!" => a.iter().map(|a| !a).collect(),
                    "EX" => (0..count).map(|state| some(&a, state)).collect(),
                    "AX" => (0..count).map(|state| all(&a, state)).collect(),
                    "EF" => fixpoint(false, &|truth, state| a[state] || some(truth, state)),
                    "AF" => fixpoint(false, &|truth, state| a[state] || all(truth, state)),
                    "EG" => fixpoint(true, &|truth, state| a[state] && some(truth, state)),
                    "AG" => fixpoint(true, &|truth, state| a[state] && all(truth, state)),
                    op => panic!("no operator `{op}` of CTL"),
                }
            }
            Expr::Until(quantifier, a, b) => {
                let (a, b) = (self.branching(a), self.branching(b));
                fixpoint(false, &|truth, state| {
                    let next = if *quantifier == 'E' { some(truth, state) } else { all(truth, state) };
                    b[state] || a[state] && next
                })
            }
            Expr::Two(op, a, b) if ["&", "|", "->", "<->"].contains(&op.as_str()) => {
                let (a, b) = (self.branching(a), self.branching(b));
                let rule = |a: bool, b: bool| match op.as_str() {
                    "&" => a && b,
                    "|" => a || b,
                    "->" => !a || b,
                    _ => a == b,
                };
                a.iter().zip(&b).map(|(a, b)| rule(*a, *b)).collect()
            }
            _ => (0..count).map(|state| self.here(expr, state)).collect(),
        }
    }
}

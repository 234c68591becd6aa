//! Random expressions of the small language against a plain interpreter of trees: what the compiler makes of names,
//! references, functions and control flow gives the same values in the same order. `TB_FUZZ_CASES` and `TB_FUZZ_SEED`
//! choose how many and which.

use std::rc::Rc;
use std::sync::Arc;

use threadbare_core::{Machine, Random, Tid};
use threadbare_pl::lang::{Source, TbMachine, TbSetup, Value, load};

#[derive(Clone, Copy, PartialEq, Debug)]
enum Type {
    Int,
    Bool,
    Unit,
    Ref,
    /// From an integer to an integer.
    Function,
}

enum Tree {
    Int(i64),
    Bool(bool),
    Unit,
    Name(String),
    Binary(&'static str, Box<Tree>, Box<Tree>),
    Not(Box<Tree>),
    Sequence(Vec<Tree>),
    Let(String, Box<Tree>, Box<Tree>),
    If(Box<Tree>, Box<Tree>, Option<Box<Tree>>),
    /// Counts down a reference of its own, whose name it has.
    While(String, i64, Box<Tree>),
    For(String, i64, Box<Tree>),
    Ref(Box<Tree>),
    Read(Box<Tree>),
    Write(Box<Tree>, Box<Tree>),
    Swap(Box<Tree>, Box<Tree>, Box<Tree>),
    Function(String, Rc<Tree>),
    /// One that calls itself with a smaller number: its name, its parameter, its body, what uses it.
    Recursive(String, String, Rc<Tree>, Box<Tree>),
    Call(Box<Tree>, Box<Tree>),
    /// Writes a value to the shared array, and has it.
    Log(Box<Tree>),
}

/// As many values as an execution may write down.
const LOG: usize = 400;

#[derive(Clone)]
enum Known {
    Int(i64),
    Bool(bool),
    Unit,
    Ref(usize),
    Function { parameter: String, body: Rc<Tree>, scope: Scope, itself: Option<String> },
}

type Scope = Vec<(String, Known)>;

/// The plain interpreter. `None`: too long, or a result that does not fit.
#[derive(Default)]
struct Interpreter {
    cells: Vec<i64>,
    log: Vec<i64>,
    fuel: u32,
}

impl Interpreter {
    fn int(&mut self, tree: &Tree, scope: &Scope) -> Option<i64> {
        match self.eval(tree, scope)? {
            Known::Int(value) => Some(value),
            _ => panic!("an integer"),
        }
    }

    fn bool(&mut self, tree: &Tree, scope: &Scope) -> Option<bool> {
        match self.eval(tree, scope)? {
            Known::Bool(value) => Some(value),
            _ => panic!("a boolean"),
        }
    }

    fn place(&mut self, tree: &Tree, scope: &Scope) -> Option<usize> {
        match self.eval(tree, scope)? {
            Known::Ref(cell) => Some(cell),
            _ => panic!("a reference"),
        }
    }

    fn eval(&mut self, tree: &Tree, scope: &Scope) -> Option<Known> {
        self.fuel = self.fuel.checked_sub(1)?;
        let with = |scope: &Scope, name: &str, value: Known| {
            let mut scope = scope.clone();
            scope.push((name.into(), value));
            scope
        };
        Some(match tree {
            Tree::Int(value) => Known::Int(*value),
            Tree::Bool(value) => Known::Bool(*value),
            Tree::Unit => Known::Unit,
            Tree::Name(name) => scope.iter().rev().find(|(known, _)| known == name).expect("in scope").1.clone(),
            Tree::Binary("&&", a, b) => Known::Bool(self.bool(a, scope)? && self.bool(b, scope)?),
            Tree::Binary("||", a, b) => Known::Bool(self.bool(a, scope)? || self.bool(b, scope)?),
            Tree::Binary(operator, a, b) => {
                let (a, b) = (self.int(a, scope)?, self.int(b, scope)?);
                match *operator {
                    "+" => Known::Int(a.checked_add(b)?),
                    "-" => Known::Int(a.checked_sub(b)?),
                    "*" => Known::Int(a.checked_mul(b)?),
                    "<" => Known::Bool(a < b),
                    "==" => Known::Bool(a == b),
                    "!=" => Known::Bool(a != b),
                    other => panic!("{other}"),
                }
            }
            Tree::Not(a) => Known::Bool(!self.bool(a, scope)?),
            Tree::Sequence(list) => {
                let mut last = Known::Unit;
                for part in list {
                    last = self.eval(part, scope)?;
                }
                last
            }
            Tree::Let(name, value, body) => {
                let value = self.eval(value, scope)?;
                self.eval(body, &with(scope, name, value))?
            }
            Tree::If(condition, then, otherwise) => match (self.bool(condition, scope)?, otherwise) {
                (true, Some(_)) => self.eval(then, scope)?,
                (true, None) => {
                    self.eval(then, scope)?;
                    Known::Unit
                }
                (false, Some(otherwise)) => self.eval(otherwise, scope)?,
                (false, None) => Known::Unit,
            },
            Tree::While(name, count, body) => {
                let cell = self.cells.len();
                self.cells.push(*count);
                let inner = with(scope, name, Known::Ref(cell));
                while self.cells[cell] > 0 {
                    self.cells[cell] -= 1;
                    self.eval(body, &inner)?;
                }
                Known::Unit
            }
            Tree::For(name, count, body) => {
                for i in 0..*count {
                    self.eval(body, &with(scope, name, Known::Int(i)))?;
                }
                Known::Unit
            }
            Tree::Ref(value) => {
                let value = self.int(value, scope)?;
                self.cells.push(value);
                Known::Ref(self.cells.len() - 1)
            }
            Tree::Read(place) => Known::Int({
                let cell = self.place(place, scope)?;
                self.cells[cell]
            }),
            Tree::Write(place, value) => {
                let cell = self.place(place, scope)?;
                self.cells[cell] = self.int(value, scope)?;
                Known::Unit
            }
            Tree::Swap(place, old, new) => {
                let cell = self.place(place, scope)?;
                let (old, new) = (self.int(old, scope)?, self.int(new, scope)?);
                let swaps = self.cells[cell] == old;
                if swaps {
                    self.cells[cell] = new;
                }
                Known::Bool(swaps)
            }
            Tree::Function(parameter, body) => {
                Known::Function { parameter: parameter.clone(), body: body.clone(), scope: scope.clone(), itself: None }
            }
            Tree::Recursive(name, parameter, body, rest) => {
                let itself = Known::Function {
                    parameter: parameter.clone(),
                    body: body.clone(),
                    scope: scope.clone(),
                    itself: Some(name.clone()),
                };
                self.eval(rest, &with(scope, name, itself))?
            }
            Tree::Call(function, argument) => {
                let callee = self.eval(function, scope)?;
                let argument = Known::Int(self.int(argument, scope)?);
                let Known::Function { parameter, body, scope, itself } = &callee else { panic!("a function") };
                let mut scope = scope.clone();
                scope.extend(itself.clone().map(|name| (name, callee.clone())));
                self.eval(body, &with(&scope, parameter, argument))?
            }
            Tree::Log(value) => {
                let value = self.int(value, scope)?;
                if self.log.len() == LOG {
                    return None;
                }
                self.log.push(value);
                Known::Int(value)
            }
        })
    }
}

/// As text. Everything has brackets, so that what is tested is not the parser.
fn print(tree: &Tree) -> String {
    match tree {
        Tree::Int(value) if *value < 0 => format!("(0 - {})", -value),
        Tree::Int(value) => value.to_string(),
        Tree::Bool(value) => value.to_string(),
        Tree::Unit => "()".into(),
        Tree::Name(name) => name.clone(),
        Tree::Binary(operator, a, b) => format!("({} {operator} {})", print(a), print(b)),
        Tree::Not(a) => format!("(not {})", print(a)),
        Tree::Sequence(list) => format!("{{ {} }}", list.iter().map(print).collect::<Vec<_>>().join("; ")),
        Tree::Let(name, value, body) => format!("(let {name} = {} in {})", print(value), print(body)),
        Tree::If(condition, then, None) => format!("(if {} then {})", print(condition), print(then)),
        Tree::If(condition, then, Some(otherwise)) => {
            format!("(if {} then {} else {})", print(condition), print(then), print(otherwise))
        }
        Tree::While(name, count, body) => {
            format!("(let {name} = ref {count} in while !{name} > 0 do {{ {name} := !{name} - 1; {} }})", print(body))
        }
        Tree::For(name, count, body) => format!("(for {name} in 0..{count} do {})", print(body)),
        Tree::Ref(value) => format!("(ref {})", print(value)),
        Tree::Read(place) => format!("!{}", print(place)),
        Tree::Write(place, value) => format!("({} := {})", print(place), print(value)),
        Tree::Swap(place, old, new) => format!("cas({}, {}, {})", print(place), print(old), print(new)),
        Tree::Function(parameter, body) => format!("(fun ({parameter}) -> {})", print(body)),
        Tree::Recursive(name, parameter, body, rest) => {
            format!("(let rec {name}({parameter}) = {} in {})", print(body), print(rest))
        }
        Tree::Call(function, argument) => format!("{}({})", print(function), print(argument)),
        Tree::Log(value) => format!("log({})", print(value)),
    }
}

struct Writer {
    dice: Random,
    scope: Vec<(String, Type)>,
    /// Names that hide others are part of the game.
    names: usize,
}

impl Writer {
    fn name(&mut self) -> String {
        self.names += 1;
        match self.dice.once_in(3) {
            true => "x".into(),
            false => format!("v{}", self.names),
        }
    }

    /// A name of the type that nothing hides.
    fn known(&mut self, ty: Type) -> Option<Tree> {
        let visible: Vec<&str> = (0..self.scope.len())
            .filter(|&i| {
                self.scope[i].1 == ty && self.scope[i + 1..].iter().all(|(other, _)| *other != self.scope[i].0)
            })
            .map(|i| self.scope[i].0.as_str())
            .collect();
        let name = visible.get(self.dice.below(visible.len()))?;
        Some(Tree::Name((*name).into()))
    }

    fn inside<T>(&mut self, name: &str, ty: Type, write: impl FnOnce(&mut Self) -> T) -> T {
        self.scope.push((name.into(), ty));
        let result = write(self);
        self.scope.pop();
        result
    }

    fn boxed(&mut self, ty: Type, depth: usize) -> Box<Tree> {
        Box::new(self.tree(ty, depth))
    }

    fn tree(&mut self, ty: Type, depth: usize) -> Tree {
        if depth == 0 {
            return self.known(ty).filter(|_| true).unwrap_or_else(|| self.leaf(ty));
        }
        let depth = depth - 1;
        match self.dice.below(10) {
            0 | 1 => {
                let (name, bound) = (self.name(), [Type::Int, Type::Bool, Type::Ref, Type::Ref, Type::Function]);
                let bound = bound[self.dice.below(bound.len())];
                let value = self.boxed(bound, depth);
                let body = self.inside(&name, bound, |w| w.boxed(ty, depth));
                Tree::Let(name, value, body)
            }
            2 => {
                let mut list: Vec<Tree> = (0..1 + self.dice.below(2)).map(|_| self.tree(Type::Unit, depth)).collect();
                list.push(self.tree(ty, depth));
                Tree::Sequence(list)
            }
            3 if ty != Type::Unit => {
                let condition = self.boxed(Type::Bool, depth);
                let then = self.boxed(ty, depth);
                Tree::If(condition, then, Some(self.boxed(ty, depth)))
            }
            4 if ty == Type::Int || self.dice.once_in(4) => {
                // It goes down to zero, and calls itself once on the way.
                let (name, parameter) = (self.name() + "_", self.name());
                let body = self.inside(&parameter, Type::Int, |w| w.tree(Type::Int, depth));
                let again = Tree::Call(
                    Tree::Name(name.clone()).into(),
                    Tree::Binary("-", Tree::Name(parameter.clone()).into(), Tree::Int(1).into()).into(),
                );
                let grows = Tree::Binary("<", Tree::Int(0).into(), Tree::Name(parameter.clone()).into());
                let small = Tree::Binary("<", Tree::Name(parameter.clone()).into(), Tree::Int(5).into());
                let goes_on = Tree::Binary("&&", grows.into(), small.into());
                let sum = Tree::Binary("+", body.into(), again.into());
                let whole = Tree::If(goes_on.into(), sum.into(), Some(Tree::Int(1).into()));
                let rest = self.inside(&name, Type::Function, |w| w.boxed(ty, depth));
                Tree::Recursive(name, parameter, Rc::new(whole), rest)
            }
            _ => match self.known(ty) {
                Some(known) if self.dice.once_in(4) => known,
                _ => self.proper(ty, depth),
            },
        }
    }

    fn leaf(&mut self, ty: Type) -> Tree {
        match ty {
            Type::Int => Tree::Int(self.dice.below(7) as i64 - 2),
            Type::Bool => Tree::Bool(self.dice.once_in(2)),
            Type::Unit => Tree::Unit,
            Type::Ref => Tree::Ref(Tree::Int(self.dice.below(4) as i64).into()),
            Type::Function => Tree::Function("p".into(), Rc::new(Tree::Name("p".into()))),
        }
    }

    fn proper(&mut self, ty: Type, depth: usize) -> Tree {
        match (ty, self.dice.below(5)) {
            (Type::Int, 0) => Tree::Read(self.boxed(Type::Ref, depth)),
            (Type::Int, 1) => Tree::Call(self.boxed(Type::Function, depth), self.boxed(Type::Int, depth)),
            (Type::Int, 2) => Tree::Log(self.boxed(Type::Int, depth)),
            (Type::Int, _) => {
                let operator = ["+", "-", "*"][self.dice.below(3)];
                Tree::Binary(operator, self.boxed(Type::Int, depth), self.boxed(Type::Int, depth))
            }
            (Type::Bool, 0) => Tree::Not(self.boxed(Type::Bool, depth)),
            (Type::Bool, 1) => {
                let operator = ["&&", "||"][self.dice.below(2)];
                Tree::Binary(operator, self.boxed(Type::Bool, depth), self.boxed(Type::Bool, depth))
            }
            (Type::Bool, 2) => {
                let place = self.boxed(Type::Ref, depth);
                Tree::Swap(place, self.boxed(Type::Int, depth), self.boxed(Type::Int, depth))
            }
            (Type::Bool, _) => {
                let operator = ["<", "==", "!="][self.dice.below(3)];
                Tree::Binary(operator, self.boxed(Type::Int, depth), self.boxed(Type::Int, depth))
            }
            (Type::Unit, 0) => Tree::If(self.boxed(Type::Bool, depth), self.boxed(Type::Unit, depth), None),
            (Type::Unit, 1) => {
                let name = format!("n{}", self.names);
                self.names += 1;
                let body = self.boxed(Type::Unit, depth);
                Tree::While(name, self.dice.below(4) as i64, body)
            }
            (Type::Unit, 2) => {
                let name = self.name();
                let body = self.inside(&name, Type::Int, |w| w.boxed(Type::Unit, depth));
                Tree::For(name, self.dice.below(4) as i64, body)
            }
            (Type::Unit, _) => Tree::Write(self.boxed(Type::Ref, depth), self.boxed(Type::Int, depth)),
            (Type::Ref, _) => Tree::Ref(self.boxed(Type::Int, depth)),
            (Type::Function, _) => {
                let name = self.name();
                let body = self.inside(&name, Type::Int, |w| w.tree(Type::Int, depth));
                Tree::Function(name, Rc::new(body))
            }
        }
    }
}

/// What the machine writes down, and the value in the end; `None` where a result does not fit.
fn on_machine(text: &str) -> Option<(Vec<i64>, i64)> {
    let program = load(&Source::new("random.tb", text), &[]).unwrap_or_else(|error| panic!("{error:?}\n{text}"));
    let mut machine = TbMachine::new(Arc::new(program), TbSetup::default());
    let thread = Tid(1);
    while machine.is_live(thread) {
        // A state that was put away and taken out again is the same.
        if machine.shared()[0].int() % 5 == 2 {
            let (saved, state) = (machine.save(), machine.fingerprint());
            machine.restore(&saved);
            assert_eq!(machine.fingerprint(), state, "{text}");
        }
        machine.step(thread, threadbare_core::Choice(0));
    }
    if machine.ending().is_some() {
        return None;
    }
    let values: Vec<i64> = machine.shared().iter().map(|value: &Value| value.int()).collect();
    let count = values[0] as usize;
    Some((values[2..2 + count].to_vec(), values[1]))
}

#[test]
fn compiled_expressions_have_the_values_of_interpreted_ones() {
    // The interpreter of trees calls itself for every call of the program.
    let thread = std::thread::Builder::new().stack_size(1 << 30).spawn(compare);
    thread.expect("room for a thread").join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
}

fn compare() {
    let setting = |name: &str, default: u64| std::env::var(name).ok().and_then(|t| t.parse().ok()).unwrap_or(default);
    let (cases, first) = (setting("TB_FUZZ_CASES", 3000), setting("TB_FUZZ_SEED", 0));
    let (mut compared, mut logged) = (0, 0);
    for seed in first..first + cases {
        let mut dice = Random::new(seed);
        let depth = 3 + dice.below(5);
        let mut writer = Writer { dice, scope: Vec::new(), names: 0 };
        let tree = writer.tree(Type::Int, depth);
        let mut interpreter = Interpreter { fuel: 20_000, ..Interpreter::default() };
        let Some(Known::Int(expected)) = interpreter.eval(&tree, &Vec::new()) else { continue };
        let text = format!(
            "shared count = 0\nshared result = 0\nshared written[{LOG}] = 0\n\
             let log(value) = {{ let n = !count in written[n] := value; count := n + 1; value }}\n\
             thread t {{ result := {} }}\n",
            print(&tree)
        );
        compared += 1;
        logged += interpreter.log.len();
        let found = on_machine(&text);
        assert_eq!(found, Some((interpreter.log, expected)), "seed {seed}\n{text}");
    }
    println!("{compared} expressions, {logged} values on the way");
    assert!(compared > cases / 2 && logged as u64 > cases, "{compared} of {cases}, {logged} values");
}

//! Types that are not known yet, and how they become known.

use super::super::source::{Complaint, Span};
use super::{Checker, Id, Type};

impl Checker<'_> {
    pub(super) fn new_type(&mut self, ty: Type) -> Id {
        self.types.push(ty);
        self.types.len() - 1
    }

    pub(super) fn unknown(&mut self) -> Id {
        let level = self.level;
        self.new_type(Type::Unknown { level, compared: false })
    }

    pub(super) fn comparable(&mut self) -> Id {
        let level = self.level;
        self.new_type(Type::Unknown { level, compared: true })
    }

    pub(super) fn find(&self, mut id: Id) -> Id {
        while let Type::Same(other) = self.types[id] {
            id = other;
        }
        id
    }

    pub(super) fn get(&self, id: Id) -> &Type {
        &self.types[self.find(id)]
    }

    /// Makes the two the same; `false` if they cannot be.
    pub(super) fn unify(&mut self, a: Id, b: Id) -> bool {
        let (a, b) = (self.find(a), self.find(b));
        if a == b {
            return true;
        }
        match (self.types[a].clone(), self.types[b].clone()) {
            (Type::Unknown { level, compared }, _) => self.bind(a, b, level, compared),
            (_, Type::Unknown { level, compared }) => self.bind(b, a, level, compared),
            (Type::Int, Type::Int) | (Type::Bool, Type::Bool) => true,
            (Type::Unit, Type::Unit) | (Type::Mutex, Type::Mutex) => true,
            (Type::Ref(a), Type::Ref(b)) => self.unify(a, b),
            (Type::Function(these, this), Type::Function(those, that)) => {
                these.len() == those.len()
                    && these.into_iter().zip(those).all(|(a, b)| self.unify(a, b))
                    && self.unify(this, that)
            }
            _ => false,
        }
    }

    /// An unknown type turns out to be another one, in which it must not occur.
    pub(super) fn bind(&mut self, unknown: Id, ty: Id, level: u32, compared: bool) -> bool {
        if !self.admit(unknown, ty, level) {
            return false;
        }
        if compared {
            match &mut self.types[ty] {
                Type::Int | Type::Bool => {}
                Type::Unknown { compared, .. } => *compared = true,
                _ => return false,
            }
        }
        self.types[unknown] = Type::Same(ty);
        true
    }

    /// Whether `ty` may stand for `unknown`; what is unknown in it is then known at that level, too.
    pub(super) fn admit(&mut self, unknown: Id, ty: Id, to: u32) -> bool {
        let ty = self.find(ty);
        match self.types[ty].clone() {
            Type::Unknown { level, compared } => {
                self.types[ty] = Type::Unknown { level: level.min(to), compared };
                ty != unknown
            }
            Type::Ref(inner) => self.admit(unknown, inner, to),
            Type::Function(parameters, result) => {
                parameters.into_iter().chain([result]).all(|part| self.admit(unknown, part, to))
            }
            _ => true,
        }
    }

    /// The type with new unknowns for those of a deeper level.
    pub(super) fn instance(&mut self, id: Id, made: &mut Vec<(Id, Id)>) -> Id {
        let id = self.find(id);
        match self.types[id].clone() {
            Type::Unknown { level, compared } if level > self.level => {
                if let Some((_, new)) = made.iter().find(|(old, _)| *old == id) {
                    return *new;
                }
                let level = self.level;
                let new = self.new_type(Type::Unknown { level, compared });
                made.push((id, new));
                new
            }
            Type::Ref(inner) => {
                let inner = self.instance(inner, made);
                self.new_type(Type::Ref(inner))
            }
            Type::Function(parameters, result) => {
                let parameters = parameters.into_iter().map(|part| self.instance(part, made)).collect();
                let result = self.instance(result, made);
                self.new_type(Type::Function(parameters, result))
            }
            _ => id,
        }
    }

    pub(super) fn show(&self, id: Id) -> String {
        match self.get(id) {
            Type::Int => "int".into(),
            Type::Bool => "bool".into(),
            Type::Unit => "unit".into(),
            Type::Mutex => "mutex".into(),
            Type::Ref(inner) => match self.get(*inner) {
                Type::Function(..) => format!("ref ({})", self.show(*inner)),
                _ => format!("ref {}", self.show(*inner)),
            },
            Type::Function(parameters, result) => {
                let list: Vec<String> = parameters.iter().map(|part| self.show(*part)).collect();
                format!("({}) -> {}", list.join(", "), self.show(*result))
            }
            Type::Unknown { compared: true, .. } => "int or bool".into(),
            Type::Unknown { .. } => "anything".into(),
            Type::Same(_) => unreachable!("found"),
        }
    }

    /// What is needed, in a sentence.
    pub(super) fn needed(&self, id: Id) -> String {
        match self.get(id) {
            Type::Ref(inner) if matches!(self.get(*inner), Type::Unknown { .. }) => "a reference".into(),
            Type::Unknown { .. } => "an integer or a boolean".into(),
            _ => format!("`{}`", self.show(id)),
        }
    }

    /// Why two types do not fit, with what to do about a forgotten `!` or call.
    pub(super) fn mismatch(&self, span: Span, found: Id, needed: Id, what: &str) -> Box<Complaint> {
        let unknown = |id: Id| matches!(self.get(id), Type::Unknown { compared: false, .. });
        if unknown(found) || unknown(needed) {
            return Complaint::at(span, format!("the type of {what} would contain itself"));
        }
        let words = self.source.one_line(span);
        let complaint = Complaint::at(
            span,
            format!("{what} has the type `{}`, but {} is needed", self.show(found), self.needed(needed)),
        );
        let is_plain = matches!(self.get(needed), Type::Int | Type::Bool | Type::Unknown { .. });
        match (self.get(found), self.get(needed)) {
            (Type::Ref(inner), _) if is_plain && self.could_be(*inner, needed) => {
                complaint.note(format!("`!{words}` reads it"))
            }
            (Type::Function(parameters, result), _) if parameters.is_empty() && self.could_be(*result, needed) => {
                complaint.note(format!("`{words}()` calls it"))
            }
            (Type::Int | Type::Bool, Type::Ref(_)) => {
                complaint.note("references are what is declared `shared`, and what `ref` makes")
            }
            (Type::Unit, _) if is_plain && words.contains("if ") => {
                complaint.note("an `if` without `else` has no value")
            }
            _ => complaint,
        }
    }

    pub(super) fn could_be(&self, a: Id, b: Id) -> bool {
        match (self.get(a), self.get(b)) {
            (Type::Unknown { compared: true, .. }, b) => matches!(b, Type::Int | Type::Bool | Type::Unknown { .. }),
            (a, Type::Unknown { compared: true, .. }) => matches!(a, Type::Int | Type::Bool | Type::Unknown { .. }),
            (Type::Unknown { .. }, _) | (_, Type::Unknown { .. }) => true,
            (a, b) => std::mem::discriminant(a) == std::mem::discriminant(b),
        }
    }
}

//! What an expression does with names, as far as the text tells.

use super::super::ast::{Expr, Kind};

/// Whether something in it may write to a variable of the function.
pub fn writes(expr: &Expr) -> bool {
    matches!(expr.kind, Kind::Write(..)) || expr.parts().into_iter().any(writes)
}

/// Whether a reference of this name is only read and written in the expression, by the function that it is in: then it
/// can be a register.
pub fn is_only_dereferenced(name: &str, expr: &Expr) -> bool {
    let is_it = |place: &Expr| matches!(&place.kind, Kind::Name(text) if text == name);
    match &expr.kind {
        Kind::Name(text) => text != name,
        Kind::Read(place) if is_it(place) => true,
        Kind::Write(place, value) if is_it(place) => is_only_dereferenced(name, value),
        Kind::Function { parameters, body } => {
            let mut bound: Vec<&str> = parameters.iter().map(|name| name.text.as_str()).collect();
            let mut free = Vec::new();
            free_names(body, &mut bound, &mut free);
            !free.contains(&name)
        }
        // A name that hides it.
        Kind::Let { name: other, recursive, value, .. } if other.text == name => {
            *recursive || is_only_dereferenced(name, value)
        }
        Kind::For { name: other, from, to, .. } if other.text == name => {
            is_only_dereferenced(name, from) && is_only_dereferenced(name, to)
        }
        _ => expr.parts().into_iter().all(|part| is_only_dereferenced(name, part)),
    }
}

/// The names in an expression that are bound neither in it nor by `bound`, each once.
pub fn free_names<'e>(expr: &'e Expr, bound: &mut Vec<&'e str>, free: &mut Vec<&'e str>) {
    match &expr.kind {
        Kind::Name(text) => {
            if !bound.contains(&text.as_str()) && !free.contains(&text.as_str()) {
                free.push(text);
            }
        }
        Kind::Let { name, recursive, value, body } => {
            bound.push(&name.text);
            if *recursive {
                free_names(value, bound, free);
            }
            free_names(body, bound, free);
            bound.pop();
            if !recursive {
                free_names(value, bound, free);
            }
        }
        Kind::Function { parameters, body } => {
            bound.extend(parameters.iter().map(|name| name.text.as_str()));
            free_names(body, bound, free);
            bound.truncate(bound.len() - parameters.len());
        }
        Kind::For { name, from, to, body } => {
            free_names(from, bound, free);
            free_names(to, bound, free);
            bound.push(&name.text);
            free_names(body, bound, free);
            bound.pop();
        }
        _ => expr.parts().into_iter().for_each(|part| free_names(part, bound, free)),
    }
}

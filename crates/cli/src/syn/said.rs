//! What is known of all executions together: what variables are at the start, and what formulas say of events.
//!
//! An execution that does not touch a variable does not say what it is. All executions start alike, though, so one that does tells
//! it for the others.

use std::collections::{BTreeMap, BTreeSet};

use threadbare_syn::Sequence;
use threadbare_syn::proposition::{fits, variables_named};
use threadbare_syn::remark::of_start;
use threadbare_syn::sequence::Value;
use threadbare_syn::verify::meanings;

use crate::syn::check::Asked;

/// What variables are at the start, of those that formulas ask for.
#[derive(Default)]
pub struct Start {
    asked: Vec<String>,
    /// None where it is not known, or where executions do not agree: then it is no variable of the program as such.
    known: BTreeMap<String, Option<Value>>,
    /// Those that executions were told of that do not touch them.
    told: BTreeSet<String>,
    /// One of them that turned out to be something else elsewhere.
    pub contradicted: Option<String>,
}

impl Start {
    pub fn new(specs: &[Asked]) -> Start {
        let all = specs.iter().flat_map(|asked| &asked.stated.specification.propositions).flat_map(variables_named);
        Start { asked: all.collect(), ..Start::default() }
    }

    /// What this execution says of it, and what others have said.
    pub fn complete(&mut self, sequence: &mut Sequence) {
        for name in &self.asked {
            let Some(variable) = sequence.find_variable(name) else {
                // A mailbox of that name is no variable.
                if let Some(value) = self.known.get(name).filter(|_| sequence.find_name(name).is_none()) {
                    sequence.add_untouched(name, *value);
                    self.told.extend(value.map(|_| name.clone()));
                }
                continue;
            };
            let value = sequence.value(variable, 0);
            let known = self.known.entry(name.clone()).or_insert(value);
            if *known != value {
                *known = None;
                self.contradicted = self.contradicted.take().or_else(|| self.told.get(name).cloned());
            }
        }
    }
}

/// What a formula says of events and fits none, and what it asks of the start.
#[derive(Clone, Default)]
pub struct Said {
    /// Whether some execution has an event that fits each proposition.
    fits: Vec<Option<bool>>,
    of_start: Vec<String>,
}

impl Said {
    pub fn learn(&mut self, sequence: &Sequence, asked: &Asked) {
        let specification = &asked.stated.specification;
        self.fits.resize(specification.propositions.len(), None);
        for (known, proposition) in self.fits.iter_mut().zip(&specification.propositions) {
            if *known != Some(true) {
                *known = fits(sequence, proposition).or(*known);
            }
        }
        if let Ok(meanings) = meanings(sequence, specification) {
            self.of_start = of_start(specification, &meanings);
        }
    }

    /// In words.
    pub fn remarks(&self, asked: &Asked) -> Vec<String> {
        let propositions = self.fits.iter().zip(&asked.stated.specification.propositions);
        let none = propositions.filter(|(fits, _)| **fits == Some(false));
        let none = none.map(|(_, proposition)| format!("no event of any execution is `{proposition}`"));
        none.chain(self.of_start.iter().cloned()).collect()
    }
}

//! What a function of the program is looked at for.

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// It is to hold in every state.
    Invariant,
    /// Somebody asks in states whether it holds.
    Proposition,
    /// It tells what matters of a state.
    Abstraction,
}

impl Role {
    pub fn name(self) -> &'static str {
        match self {
            Role::Invariant => "invariant",
            Role::Proposition => "proposition",
            Role::Abstraction => "abstraction",
        }
    }

    pub fn with_article(self) -> &'static str {
        match self {
            Role::Invariant => "an invariant",
            Role::Proposition => "a proposition",
            Role::Abstraction => "an abstraction",
        }
    }
}

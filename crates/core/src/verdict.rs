//! What a search can say in the end. It never claims more than was explored.

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// Every execution was explored, and none is wrong.
    Proved,
    /// Something is wrong.
    Violated,
    /// Nothing wrong within a bound.
    Bounded(String),
    /// Nothing wrong so far, but the search did not end.
    Unknown(String),
}

impl Verdict {
    pub fn name(&self) -> &'static str {
        match self {
            Verdict::Proved => "proved",
            Verdict::Violated => "violated",
            Verdict::Bounded(_) => "bounded",
            Verdict::Unknown(_) => "unknown",
        }
    }

    pub fn exit_code(&self) -> u8 {
        match self {
            Verdict::Proved => 0,
            Verdict::Violated => 1,
            Verdict::Bounded(_) | Verdict::Unknown(_) => 4,
        }
    }
}

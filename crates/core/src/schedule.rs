//! A schedule: the sequence of (thread, choice) that makes an execution. The single serialisable truth: replay,
//! minimising and handing over work all use it.

use std::fmt;

use crate::{Choice, ThreadName};

/// What a step chose, in a form that means the same in every search: a signal names the thread that it wakes.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Chosen {
    Number(u32),
    Thread(ThreadName),
}

impl From<Choice> for Chosen {
    fn from(Choice(number): Choice) -> Self {
        Chosen::Number(number)
    }
}

#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ScheduleStep {
    pub thread: ThreadName,
    pub chosen: Chosen,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Schedule(pub Vec<ScheduleStep>);

impl Schedule {
    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How often a thread is followed by another.
    pub fn switches(&self) -> usize {
        self.0.windows(2).filter(|pair| pair[0].thread != pair[1].thread).count()
    }
}

impl fmt::Display for Chosen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Chosen::Number(number) => number.fmt(f),
            Chosen::Thread(name) => name.fmt(f),
        }
    }
}

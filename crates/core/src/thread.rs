//! Threads by their identity (parent, k-th child), which is the same in every schedule.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use smallvec::SmallVec;

/// A thread's identity interned to a small number. Numbers are for tables and display; equality of executions and
/// schedules goes by the name.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Tid(pub u16);

impl Tid {
    pub const MAIN: Tid = Tid(0);

    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// `0` is the main thread, `0.1` its second child, `0.1.0` the first child of that one.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ThreadName(SmallVec<[u16; 6]>);

impl ThreadName {
    pub fn main() -> Self {
        ThreadName(SmallVec::from_slice(&[0]))
    }

    /// A process of a recorded execution, by its number: nobody knows who created it.
    pub fn process(number: u16) -> Self {
        ThreadName(SmallVec::from_slice(&[number]))
    }

    pub fn child(&self, k: u16) -> Self {
        let mut path = self.0.clone();
        path.push(k);
        ThreadName(path)
    }

    /// Reads the written form `0.1.0`, or `0.1^200` where threads create one another.
    pub fn parse(text: &str) -> Option<Self> {
        let mut path = SmallVec::new();
        for part in text.split('.') {
            let (k, times) = part.split_once('^').unwrap_or((part, "1"));
            path.extend(std::iter::repeat_n(k.parse().ok()?, times.parse::<u16>().ok()?.into()));
        }
        Some(ThreadName(path)).filter(|name| name.0.first() == Some(&0))
    }
}

/// From so many equal parts on they are counted, or names would fill pages.
const LONG_RUN: usize = 6;

impl fmt::Display for ThreadName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, run) in self.0.chunk_by(|a, b| a == b).enumerate() {
            let dot = if i == 0 { "" } else { "." };
            if run.len() >= LONG_RUN {
                write!(f, "{dot}{}^{}", run[0], run.len())?;
            } else {
                let parts: Vec<String> = run.iter().map(u16::to_string).collect();
                write!(f, "{dot}{}", parts.join("."))?;
            }
        }
        Ok(())
    }
}

/// The interner. It only grows: a number keeps its meaning while a search goes back and forth, so that the same thread
/// has the same number in every execution of one search.
#[derive(Clone, Debug)]
pub struct ThreadNames {
    names: Vec<ThreadName>,
    /// children[t][k] is the number of the k-th child of t.
    children: Vec<Vec<Tid>>,
    parents: Vec<Tid>,
    /// Where several machines must agree on numbers: all that any of them has given out.
    common: Option<Arc<Mutex<ThreadNames>>>,
}

impl Default for ThreadNames {
    fn default() -> Self {
        ThreadNames {
            names: vec![ThreadName::main()],
            children: vec![Vec::new()],
            parents: vec![Tid::MAIN],
            common: None,
        }
    }
}

impl ThreadNames {
    pub fn name(&self, tid: Tid) -> &ThreadName {
        &self.names[tid.index()]
    }

    pub fn len(&self) -> usize {
        self.names.len()
    }

    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    pub fn find(&self, name: &ThreadName) -> Option<Tid> {
        self.names.iter().position(|n| n == name).map(|i| Tid(i as u16))
    }

    /// The number of the k-th child of `parent`. `None` when there are no numbers left.
    pub fn child(&mut self, parent: Tid, k: u16) -> Option<Tid> {
        // Children are numbered without gaps: the (k-1)-th was created before the k-th in every schedule.
        if let Some(&tid) = self.children[parent.index()].get(k as usize) {
            return Some(tid);
        }
        let Some(common) = self.common.clone() else { return self.add(parent) };
        let mut common = common.lock().unwrap_or_else(PoisonError::into_inner);
        let tid = common.child(parent, k)?;
        while self.names.len() < common.names.len() {
            self.add(common.parents[self.names.len()]);
        }
        Some(tid)
    }

    /// A number for the next child.
    fn add(&mut self, parent: Tid) -> Option<Tid> {
        let tid = Tid(u16::try_from(self.names.len()).ok()?);
        let k = self.children[parent.index()].len() as u16;
        self.names.push(self.names[parent.index()].child(k));
        self.parents.push(parent);
        self.children.push(Vec::new());
        self.children[parent.index()].push(tid);
        Some(tid)
    }

    /// Others that give the same numbers to the same threads from now on.
    pub fn alike(&mut self) -> ThreadNames {
        if self.common.is_none() {
            self.common = Some(Arc::new(Mutex::new(self.clone())));
        }
        self.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_paths() {
        let mut names = ThreadNames::default();
        let a = names.child(Tid::MAIN, 0).unwrap();
        let b = names.child(Tid::MAIN, 1).unwrap();
        let ba = names.child(b, 0).unwrap();
        assert_eq!(names.name(ba).to_string(), "0.1.0");
        assert_eq!(names.child(Tid::MAIN, 0), Some(a));
        assert_eq!(names.find(&ThreadName::parse("0.1.0").unwrap()), Some(ba));
        assert_eq!(ThreadName::parse("1.2"), None);
        assert_eq!(ThreadName::parse("0.x"), None);
    }

    #[test]
    fn names_of_threads_that_create_one_another_stay_short() {
        let mut name = ThreadName::main();
        for depth in 1..300 {
            name = name.child(0);
            assert_eq!(ThreadName::parse(&name.to_string()), Some(name.clone()), "depth {depth}");
        }
        assert_eq!(name.child(2).child(2).to_string(), "0^300.2.2");
        assert_eq!(ThreadName::parse("0^2.1"), ThreadName::parse("0.0.1"));
        assert_eq!(ThreadName::parse("0^"), None);
        assert_eq!(ThreadName::parse("0^99999"), None);
    }

    #[test]
    fn several_machines_agree_on_numbers() {
        let mut first = ThreadNames::default();
        let a = first.child(Tid::MAIN, 0).unwrap();
        let mut second = first.alike();
        let ab = second.child(a, 0).unwrap();
        let b = first.child(Tid::MAIN, 1).unwrap();
        assert_eq!(first.child(a, 0), Some(ab));
        assert_eq!(second.child(Tid::MAIN, 1), Some(b));
        let mut third = second.alike();
        let bb = third.child(b, 0).unwrap();
        assert_eq!(first.child(b, 0), Some(bb));
        assert_eq!([a, ab, b, bb].map(|tid| first.name(tid).to_string()), ["0.0", "0.0.0", "0.1", "0.1.0"]);
    }
}

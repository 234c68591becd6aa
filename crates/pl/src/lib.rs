//! Programs that are not C: the small language for models, and random programs as data, which strategies are tested on.

pub mod lang;
mod random;

pub use random::*;

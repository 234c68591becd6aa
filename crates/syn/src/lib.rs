//! SYN-sequences: recorded executions as partial orders, and what temporal logic says of all their linearisations
//! (Y.-Y. Lee: "The formal verification of SYN-sequences generated in dynamic testing", 2009).
//!
//! `sequence` is what is recorded; `text`, `json` (with `tree`) and `log` are its formats, and `read` tells them apart. `consistent` and
//! `order` make the partial order of it, or say why there is none, and `recording` has both; `relations` answers questions from that
//! graph alone. `lattice` has all linearisations as states, stateless and stateful, `chains` the graph itself as a model, and `verify`
//! takes a formula to the model that it needs, `between` relations, `joined` those that are made of several kinds: `answer` is what comes of that. `proposition` says what is true of events and states,
//! and `naming` what its words mean in a sequence; `unknown` sees to values that nobody has recorded, and `remark` to what is worth a word.
//! `picture` draws, `story` tells for lanes, and `smv` writes for NuSMV.

mod answer;
mod between;
pub mod chains;
pub mod consistent;
mod joined;
mod json;
pub mod lattice;
pub mod log;
mod naming;
pub mod order;
pub mod picture;
pub mod proposition;
mod read;
pub mod recording;
pub mod relations;
pub mod remark;
pub mod sequence;
pub mod smv;
pub mod story;
mod table;
pub mod text;
mod tree;
mod unknown;
pub mod verify;

pub use answer::{Answer, Evidence, Model, Outcome, Stand, TooMany};
pub use read::read;
pub use recording::Recording;
pub use sequence::{EventId, Sequence};
pub use verify::{admits, verify};

//! SYN-sequences: recorded executions as partial orders, and what temporal logic says of all their linearisations
//! (Y.-Y. Lee: "The formal verification of SYN-sequences generated in dynamic testing", 2009).
//!
//! `sequence` is what is recorded; `text`, `json` (with `tree`) and `log` are its formats, and `read` tells them apart. `consistent` and
//! `order` make the partial order of it, or say why there is none, and `recording` has both; `relations` answers questions from that
//! graph alone. `lattice` has all linearisations as states, stateless and stateful, `chains` the graph itself as a model, and `verify`
//! takes a formula to the model that it needs, `joined` those that are made of several kinds: `answer` is what comes of that. `proposition` says what is true of events and states,
//! and `naming` what its words mean in a sequence.
//! `picture` draws, `story` tells for lanes, and `smv` writes for NuSMV.

mod answer;
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
pub mod sequence;
pub mod smv;
pub mod story;
mod table;
pub mod text;
mod tree;
pub mod verify;

pub use answer::{Answer, Evidence, Model, Outcome, TooMany};
pub use read::read;
pub use recording::Recording;
pub use sequence::{EventId, Sequence};
pub use verify::{admits, verify};

//! What people and programs read of a search: it only reads `Findings` and `Story`, and renders to text. Nothing here
//! prints, looks at the terminal or knows a machine.

mod canvas;
mod deadlock;
mod dot;
mod human;
mod json;
mod lanes;
mod progress;
mod relevance;
mod source;
mod style;
mod text;
mod why;
mod words;

pub use dot::dot;
pub use human::{bug, findings, location};
pub use json::{VERSION as JSON_VERSION, error as json_error, findings as json, story as json_bug};
pub use lanes::lanes;
pub use progress::{Progress, ProgressSnapshot};
pub use source::{Sources, excerpt};
pub use style::{Ink, Style};
pub use text::wrap;
pub use threadbare_core::words::{count, grouped};

//! Strategies: which schedules of a program to explore. They know nothing of machines but the trait.

mod crew;
mod dpor;
mod label;
mod minimise;
pub mod oracle;
mod path;
mod search;
mod single;
mod strategies;
mod ticks;
mod waiting;
mod wakeup;

pub use crew::{Help, Shared};
pub use label::{Label, Labels};
pub use minimise::{Cost, Recorder, Steps, could_go_on, minimise, stuck};
pub use path::{Event, Path};
pub use search::{Coverage, End, Flow, LeftBehind, Search, Stored, Stuck, Totals};
pub use single::{Course, Finish, single};
pub use strategies::{Capture, Filters, Kind, Needs, NoStrategy, Order, Settings, Strategy, waits_for_good};

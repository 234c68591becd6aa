//! Textual LLVM IR, read strictly into our own types.
//!
//! Why our own reader: the crates that wrap LLVM either pin one LLVM major at build time, or lose what a checker
//! needs (constant `getelementptr` types, wide integers, debug records). Text is LLVM's documented, stable surface,
//! and clang is needed at run time anyway. Unknown words are errors with a line, never skipped.

pub mod debug;
mod display;
mod error;
mod lexer;
mod module;
mod parser;
mod visit;

pub use error::ParseError;
pub use module::*;
pub use parser::{parse, parse_bytes};
pub use visit::{blocks, operands};

//! Textual LLVM IR, read strictly into our own types.
//!
//! Why our own reader: the crates that wrap LLVM either pin one LLVM major at build time, or lose what a checker
//! needs (constant `getelementptr` types, wide integers, debug records). Text is LLVM's documented, stable surface,
//! and clang is needed at run time anyway. Unknown words are errors with a line, never skipped.

mod module;

pub use module::*;

//! The words of Threadbare as types.

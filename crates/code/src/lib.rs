//! Programs as a tool: code that a model writes runs in a sandbox. [`python`] is the engine with the whole of `CPython`.

pub mod python;

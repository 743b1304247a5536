//! Whole paths through the crate: a description, arguments and a session to a request or a fault. The rows are data;
//! the reader of descriptions is the real one.

mod isolation;
mod sources;
mod styles;
mod support;
mod vectors;
mod wire;
mod wrong;

//! Whole paths through the crate: a description, arguments and a session to a request or a fault. The rows are data;
//! the reader of descriptions is the real one.

#![cfg(test)]
#![expect(clippy::needless_pass_by_value, reason = "rows are written as values")]

mod accept;
mod bodies;
mod body_arguments;
mod bound;
mod decisive;
mod defaults;
mod differences;
mod discriminators;
mod disguised;
mod files;
mod handles;
mod hostile;
mod isolation;
mod judged;
mod keys;
mod media;
mod members;
mod names;
mod omitted;
mod open;
mod own_type;
mod positions;
mod prelude;
mod real;
mod roundtrip;
mod sources;
mod styles;
mod support;
mod texts;
mod union_corpus;
mod union_values;
mod unions;
mod vectors;
mod wide;
mod wire;
mod words;
mod wrong;
mod xml;
mod xml_corpus;
mod xml_space;

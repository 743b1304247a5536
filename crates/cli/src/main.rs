//! The callgate command.
fn main() {}

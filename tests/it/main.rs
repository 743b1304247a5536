//! The tests across crates. Each module is one subject; what a single crate promises is tested inside that crate.

#[cfg(test)]
mod architecture;

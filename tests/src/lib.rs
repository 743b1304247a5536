//! Holds the tests across crates; there is no library here.

//! Rows to come.

//! Keys of a toolset that mean nothing beside its kind: each kind of tools has a file that reports them.

pub(crate) mod connection;
pub(crate) mod database;

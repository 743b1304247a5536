//! Tests a whole sidecar over real sockets, with a real service behind it.

mod access;
mod claims;
mod drain;
mod exchanged;
mod foreign;
mod jwt;
mod leaving;
mod limits;
mod listening;
mod messages;
mod own;
mod resource;
mod rights;
mod same_call;
mod secured;
mod shares;
mod sidecar;
mod strangers;
mod unstored;
mod waiting;

use self::sidecar::Sidecar;

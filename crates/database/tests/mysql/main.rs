//! Calls of tools on a server of MariaDB, from the settings to the results. `tests/interop/mariadb` starts it; without one these
//! tests say so and end.

#![cfg(test)]

mod entities;
mod injections;
mod kinds;
mod reviews;
mod shop;
mod statements;

//! The rules of the repository itself. Every rule is a function over data, so that it is tested twice: on a tiny bad
//! example it must refuse, and on the repository it must accept. `workspace` is the only module that reads files.

#![cfg(test)]

mod charges;
mod ci_tools;
mod effects;
mod examples;
mod fault_codes;
mod features;
mod first_sentences;
mod flags;
mod front;
mod futures;
mod imports;
mod keys;
mod levels;
mod modules;
mod parameters;
mod plain_words;
mod prelude;
mod publishing;
mod recipes;
mod reports;
mod rights;
mod scripts;
mod shares;
mod sides;
mod single_flights;
mod sources;
mod statements;
mod test_code;
mod test_names;
mod waiting;
mod workspace;
mod wrappers;

use self::workspace::rust_files;

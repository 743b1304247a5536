//! Texts that would be SQL if they were ever a part of a statement: two hundred of them.

/// Ends of what a text could stand in.
const BREAKS: [&str; 20] = [
    "'", "''", "\\'", "\"", "`", "]", ")", "')", "'))", "$$", "$1", "1", "%", "\\", "*/",
    "\u{2019}", "\u{ff07}", "%27", "E'\\''", "\n",
];

/// Texts that would do something after it.
const PAYLOADS: [&str; 10] = [
    "; drop table orders; --",
    " or 1=1 --",
    " or true /*",
    " union select word from secrets --",
    "; copy (select 1) to program 'id'; --",
    " || (select word from secrets) || '",
    ", (select set_config('app.user', 'bob', false))",
    "; commit; delete from orders; begin; --",
    " and pg_sleep(9) is null --",
    "::int; select 1 where '1' = '1",
];

/// All of them.
pub(crate) fn texts() -> Vec<String> {
    let with = |end: &&str| PAYLOADS.map(|payload| format!("x{end}{payload}"));
    BREAKS.iter().flat_map(with).collect()
}

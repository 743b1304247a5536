//! Names of PostgreSQL's own catalog in a model's text. Every login reads most of it, and some of it shows what other sessions
//! run. This hides the catalog and nothing else: what a text can do is decided by grammar and rights.

/// The first such name. It may stand in a literal or a comment, too.
pub(super) fn first(text: &str) -> Option<String> {
    let lower = text.to_lowercase();
    // PostgreSQL, §4.1.1: such an identifier writes its letters as numbers.
    if lower.contains("u&\"") {
        return Some("U&\"".to_owned());
    }
    let is_of_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
    let mut words = lower.split(|c| !is_of_word(c));
    let word = words.find(|word| {
        let is_catalog = word.starts_with("pg_") && !HARMLESS.contains(word);
        is_catalog || ADDRESSES.contains(word)
    });
    word.map(str::to_owned)
}

/// Functions that compute from their arguments, and waiting.
const HARMLESS: [&str; 7] = [
    "pg_catalog",
    "pg_collation_for",
    "pg_column_size",
    "pg_size_bytes",
    "pg_size_pretty",
    "pg_sleep",
    "pg_typeof",
];

/// Functions that show the addresses of the server and of callgate.
const ADDRESSES: [&str; 4] =
    ["inet_client_addr", "inet_client_port", "inet_server_addr", "inet_server_port"];

#[cfg(test)]
mod tests {
    use super::first;

    #[track_caller]
    fn check(text: &str, expected: Option<&str>) {
        assert_eq!(first(text).as_deref(), expected, "{text}");
    }

    #[test]
    fn names_of_the_catalog_are_found_in_every_spelling() {
        check("select query from pg_stat_activity", Some("pg_stat_activity"));
        check("table \"pg_stat_activity\"", Some("pg_stat_activity"));
        check("select * from PG_CATALOG.Pg_Roles", Some("pg_roles"));
        check("select/**/pg_read_file('x')", Some("pg_read_file"));
        check("select * from U&\"\\0070g_roles\"", Some("U&\""));
        check("select inet_server_addr()", Some("inet_server_addr"));
    }

    #[test]
    fn other_words_are_not_names_of_the_catalog() {
        check("select pg_typeof(1), pg_size_pretty(7::bigint), pg_catalog.abs(1)", None);
        check("select upg_x, a_pg_b from orders", None);
        check("select 'a' as \"U\"", None);
    }
}

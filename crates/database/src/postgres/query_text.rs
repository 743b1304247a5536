//! The parts of a model's text that PostgreSQL must not get. Grammar and rights decide what a text does; every login reads most of the catalog,
//! some of which shows what other sessions run, so that its names are refused. Two strings side by side are one to the server if a line ends
//! between them, with the escapes of the first, so that what holds the second could be read as its end.

use crate::{
    engine::Engine,
    functions::{self, has_word},
    token::{self, Lexicon, PlacedToken, SqlToken},
};

/// The tokens of a text without a name of the catalog, or the first part that is refused, in words.
pub(super) fn tokens_without_catalog_names(text: &str) -> Result<Vec<PlacedToken>, String> {
    let tokens = token::tokens(Lexicon::Postgres, text).map_err(str::to_owned)?;
    let is_text = |placed: &PlacedToken| placed.token == SqlToken::Text;
    if tokens.windows(2).any(|pair| pair.iter().all(is_text)) {
        return Err("a text with two strings side by side: join them by `||`".to_owned());
    }
    let mut names = tokens.iter().filter_map(|placed| identifier(&placed.token));
    match names.find(|name| is_of_catalog(name)) {
        Some(name) => Err(format!("a text with a name of the server's own catalog: `{name}`")),
        None => Ok(tokens),
    }
}

/// The identifier or keyword that a token is.
pub(super) fn identifier(token: &SqlToken) -> Option<&str> {
    match token {
        SqlToken::Name(name) => Some(name),
        SqlToken::Word(word) if !word.starts_with(|c: char| c.is_ascii_digit()) => Some(word),
        SqlToken::Sign(_) | SqlToken::Text | SqlToken::Word(_) => None,
    }
}

fn is_of_catalog(name: &str) -> bool {
    let is_own = name.starts_with("pg_") && !functions::is_listed(Engine::Postgres, name);
    is_own || has_word(ADDRESSES, name)
}

/// Functions that show the addresses of the server and of callgate.
const ADDRESSES: &str = "inet_client_addr inet_client_port inet_server_addr inet_server_port";

#[cfg(test)]
mod tests {
    use super::tokens_without_catalog_names;

    #[track_caller]
    fn check(text: &str, expected: Option<&str>) {
        let refused = tokens_without_catalog_names(text).err();
        let name = refused.as_deref().and_then(|refused| refused.split('`').nth(1));
        assert_eq!(name, expected, "{text}: {refused:?}");
    }

    #[test]
    fn names_of_the_catalog_are_found_in_every_spelling() {
        check("select query from pg_stat_activity", Some("pg_stat_activity"));
        check("table \"pg_stat_activity\"", Some("pg_stat_activity"));
        check("select * from PG_CATALOG.Pg_Roles", Some("pg_roles"));
        check("select/**/pg_read_file('x')", Some("pg_read_file"));
        check("select * from U&\"\\0070g_roles\"", Some("U&"));
        check("select inet_server_addr()", Some("inet_server_addr"));
        check("select array_cat(array[pg_typeof(1)], '{1}')", Some("pg_typeof"));
    }

    #[test]
    fn two_strings_side_by_side_are_refused() {
        for text in [
            "select e'a'\n'b\\'",
            "select 'a' -- c\n 'b'",
            "select b'1' 'b'",
            "select 'a'\r/**/$$b$$",
        ] {
            check(text, Some("||"));
        }
        check("select 'a', e'b' || 'c', 'd''e'", None);
    }

    #[test]
    fn other_words_are_not_names_of_the_catalog() {
        check("select pg_column_size(1), pg_size_pretty(7::bigint), pg_catalog.abs(1)", None);
        check("select upg_x, a_pg_b, 'pg_roles' from orders -- pg_roles", None);
        check("select 'a' as \"U\"", None);
    }
}

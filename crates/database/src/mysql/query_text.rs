//! The parts of a model's text that MariaDB and MySQL must not get. Their grammar and the rights of the login decide what a text reads; this
//! decides what no right decides: built-in functions that lock, wait or read files, functions of loaded libraries, variables
//! of the server, locks of rows, and the schemas that show what others run. A call of a function is one of a list.

use crate::{
    engine::Engine,
    functions::{self, has_word},
    token::{self, Lexicon, SqlToken},
};

/// The first part of a text that is refused, in words.
pub(crate) fn refused_part(text: &str) -> Option<String> {
    let tokens: Vec<SqlToken> = match token::tokens(Lexicon::Mysql, text) {
        Ok(tokens) => tokens.into_iter().map(|placed| placed.token).collect(),
        Err(refused) => return Some(refused.to_owned()),
    };
    let before = |at: usize| at.checked_sub(1).and_then(|before| tokens.get(before));
    (0..tokens.len()).find_map(|at| refusal(tokens.get(at..)?, before(at)))
}

/// The reason to refuse the first of these tokens, which comes after another one.
fn refusal(tokens: &[SqlToken], before: Option<&SqlToken>) -> Option<String> {
    let (first, rest) = tokens.split_first()?;
    match (first, rest.first()) {
        (SqlToken::Sign('@'), _) => Some("a text with a variable: `@`".to_owned()),
        (SqlToken::Word(word) | SqlToken::Name(word), _) if is_of_catalog(word) => {
            Some(format!("a text with a schema of the server's own: `{word}`"))
        }
        (SqlToken::Word(one), Some(SqlToken::Word(other))) if is_locking_clause(one, other) => {
            Some(format!("one that locks rows: `{one} {other}`"))
        }
        (SqlToken::Word(word), Some(SqlToken::Sign('('))) => {
            let is_qualified = before == Some(&SqlToken::Sign('.'));
            let is_in_list =
                functions::is_listed(Engine::Mysql, word) || has_word(BEFORE_PARENTHESES, word);
            ((is_qualified || !is_in_list) && !has_named_query_columns(rest))
                .then(|| unlisted_function_refusal(word))
        }
        // It names a function of somebody, whatever its name is.
        (SqlToken::Name(name), Some(SqlToken::Sign('('))) => {
            (!has_named_query_columns(rest)).then(|| unlisted_function_refusal(name))
        }
        _ => None,
    }
}

fn unlisted_function_refusal(name: &str) -> String {
    format!("a text that calls a function which is not one of those that only compute: `{name}`")
}

fn is_of_catalog(word: &str) -> bool {
    matches!(word, "information_schema" | "performance_schema")
}

fn is_locking_clause(one: &str, other: &str) -> bool {
    matches!((one, other), ("for", "share" | "update") | ("lock", "in"))
}

/// True for the columns of a named query: `(a, b) as (`. No expression goes on like this.
fn has_named_query_columns(tokens: &[SqlToken]) -> bool {
    let Some(end) = tokens.iter().position(|token| *token == SqlToken::Sign(')')) else {
        return false;
    };
    let (columns, after) = tokens.split_at(end);
    let is_column = |token: &SqlToken| {
        matches!(token, SqlToken::Name(_) | SqlToken::Word(_) | SqlToken::Sign(','))
    };
    let is_list = columns.iter().skip(1).all(is_column);
    let after = after.get(1..3);
    is_list && after == Some(&[SqlToken::Word("as".to_owned()), SqlToken::Sign('(')])
}

/// The words of the grammar that parentheses may follow without a call of a function, with types that have a length.
const BEFORE_PARENTHESES: &str = "against all and any as between bigint binary bit by case cast character columns convert dec decimal distinct \
    distinctrow div double else escape except exists float from having in index inner int integer intersect interval is \
    join key lateral like limit match nchar not numeric offset on or over partition primary regexp rlike row select signed \
    some straight_join then union unsigned using values varbinary varchar when where window with xor";

#[cfg(test)]
mod tests {
    use super::refused_part;

    #[track_caller]
    fn check(text: &str, expected: Option<&str>) {
        let refused = refused_part(text);
        let is_expected = match expected {
            Some(part) => refused.as_deref().is_some_and(|refused| refused.contains(part)),
            None => refused.is_none(),
        };
        assert!(is_expected, "{text}: {refused:?}");
    }

    #[test]
    fn texts_that_only_read_and_compute_pass() {
        for text in [
            "select count(*), max (total) from orders where note in ('get_lock(1)', \"@@x\", `lock`)",
            "with recursive n (i, `j`) as (select 1, 2 union all select i + 1, j from n), m(k) as (select 1) select * from n, m",
            "select case when (a.no > 1) then -(1) else cast(no as decimal(10, 2)) end from orders a -- load_file('x')",
            "select row_number() over (partition by owner order by no) from orders # sleep(1)",
            "select * from orders use index (primary) join t using (no) where exists (select 1) /* benchmark(1, 2) */",
            "select 'it''s \\' get_lock(', 1--2, sum(no) from t for system_time all",
            "select * from json_table('[1]', '$[*]' columns (a int path '$')) t",
        ] {
            check(text, None);
        }
    }

    #[test]
    fn functions_that_do_more_than_compute_are_found_in_every_spelling() {
        let texts = "select get_lock('a', 0) | select GET_LOCK ('a', 0)
            | select get_lock/* */('a', 0) | select get_lock -- x\n ('a', 0)
            | select `sys_exec`('id') | select `count`(1) | select shop.count(1)
            | select load_file(0x2f) | select sleep(1), benchmark(1, 1)
            | select '\\'', sleep(1), '\\'' | select 'a' 'b''', sleep(1)
            | select x from (select sys_exec (no, 1) as a from t) y
            | select user(), last_insert_id(7) | select 1 from dual where 1=(select nextval(s))";
        for text in texts.split('|').map(str::trim) {
            check(text, Some("a function which is not"));
        }
    }

    #[test]
    fn variables_locks_own_schemas_and_comments_that_run_are_refused() {
        check("select @@hostname", Some("variable"));
        check("select @a := 1", Some("variable"));
        check("select '@', '\\\\', @a", Some("variable"));
        check("select * from t for update", Some("locks rows"));
        check("select * from t lock in share mode", Some("locks rows"));
        check("(select * from t FOR\nSHARE)", Some("locks rows"));
        check("select * from information_schema.processlist", Some("server's own"));
        check("select * from `INFORMATION_SCHEMA` . processlist", Some("server's own"));
        check("select * from `\u{131}nformation_\u{17f}chema`.x", Some("server's own"));
        check("select * from performance_schema.threads", Some("server's own"));
        check("select 1 /*! , sleep(1) */", Some("comment that the server reads"));
        check("select 1 /*M!100000 , sleep(1) */", Some("comment that the server reads"));
        check("select /*+ max_execution_time(0) */ 1", Some("comment that the server reads"));
        for text in ["select 'a", "select \"a\\\"", "select `a", "select 1 /* a"] {
            check(text, Some("without its end"));
        }
    }
}

//! SQL of a model for a login that may do more than read the offered columns, as those of managed servers. Every table is a named query
//! over its offered columns, in front of the text, and other names are looked up in the server's own schema alone. So a text reaches what
//! it can name, and its names are checked before the server gets it: no schema, no function, type or cast beyond the list.

use std::collections::BTreeSet;

use super::{query_text, reader::CatalogReader};
use crate::{
    engine::Engine,
    error::{Error, ErrorKind},
    functions::{self, has_word},
    query_text::QueryText,
    settings::TableName,
    token::{PlacedToken, SqlToken},
};

/// The offered tables.
#[derive(Debug)]
pub(super) struct Listing {
    /// The tables with their schemas.
    tables: BTreeSet<(String, String)>,
    /// The names of tables and columns.
    names: BTreeSet<String>,
    /// The named queries.
    with: String,
}

/// The names of a text that the server's catalog must not have.
#[derive(Debug, Default, Eq, PartialEq)]
struct NamesInText<'a> {
    /// Names that are neither listed nor offered: no function or type of the server may have them.
    unlisted: BTreeSet<&'a str>,
    /// Names of offered columns behind a dot, which would call a function with one value where there is no column.
    members: BTreeSet<&'a str>,
    /// Names before a dot.
    qualifiers: BTreeSet<&'a str>,
}

impl Listing {
    pub(super) fn new(offered: &[(TableName, Vec<String>)]) -> Self {
        let quote = |name: &str| Engine::Postgres.quote(name);
        let queries = offered.iter().map(|(table, columns)| {
            let columns: Vec<_> = columns.iter().map(|column| quote(column)).collect();
            let schema = quote(schema_or_public(table));
            let (name, columns) = (quote(&table.name), columns.join(", "));
            format!("{name} AS NOT MATERIALIZED (SELECT {columns} FROM {schema}.{name})")
        });
        let with = format!("WITH {} ", queries.collect::<Vec<_>>().join(", "));
        let tables = offered
            .iter()
            .map(|(table, _)| (schema_or_public(table).to_owned(), table.name.clone()));
        let columns = offered.iter().flat_map(|(_, columns)| columns.iter().cloned());
        let names = offered.iter().map(|(table, _)| table.name.clone()).chain(columns).collect();
        Self { tables: tables.collect(), names, with }
    }

    /// A text with the named queries in front of it, if it has no name that it may not have.
    pub(super) async fn permitted_query_text(
        &self,
        reader: &mut CatalogReader,
        sql: &str,
    ) -> Result<QueryText, Error> {
        let refuse = |refused: String| Error::new(ErrorKind::Statement, refused);
        let tokens = query_text::tokens_without_catalog_names(sql).map_err(refuse)?;
        let (sql, tokens) = self.blank_offered_schemas(sql, &tokens);
        let names = self.names_in(&tokens).map_err(|refused| refuse(refused.to_owned()))?;
        match names.catalog_name_refusal(reader).await? {
            Some(refused) => Err(refuse(refused)),
            None => Ok(QueryText { with: self.with.clone(), sql }),
        }
    }

    /// The text with blanks in place of the schemas of offered tables.
    fn blank_offered_schemas(
        &self,
        sql: &str,
        tokens: &[PlacedToken],
    ) -> (String, Vec<PlacedToken>) {
        let mut sql = sql.to_owned();
        let mut kept = Vec::new();
        let mut rest = tokens;
        while let [first, behind @ ..] = rest {
            let name =
                |placed: &PlacedToken| query_text::identifier(&placed.token).map(str::to_owned);
            let is_qualified = match behind {
                [dot, table, ..] if dot.token == SqlToken::Sign('.') => {
                    let pair = name(first).zip(name(table));
                    pair.is_some_and(|pair| self.tables.contains(&pair))
                }
                _ => false,
            };
            let n_skipped = if is_qualified { 2 } else { 0 };
            if is_qualified && let Some(dot) = behind.first() {
                let bytes = first.bytes.start..dot.bytes.end;
                sql.replace_range(bytes.clone(), &" ".repeat(bytes.len()));
            } else {
                kept.push(first.clone());
            }
            rest = rest.get(n_skipped.max(1)..).unwrap_or_default();
        }
        (sql, kept)
    }

    /// The names of a text, or the reason to refuse it whatever the catalog has.
    fn names_in<'a>(&self, tokens: &'a [PlacedToken]) -> Result<NamesInText<'a>, &'static str> {
        let token = |at: Option<usize>| at.and_then(|at| tokens.get(at)).map(|it| &it.token);
        let mut names = NamesInText::default();
        // True for each open parenthesis of a conversion.
        let mut conversions: Vec<bool> = Vec::new();
        for (at, placed) in tokens.iter().enumerate() {
            let before = token(at.checked_sub(1));
            let next = token(at.checked_add(1));
            match &placed.token {
                SqlToken::Sign(';') => return Err("a text of more than one statement"),
                SqlToken::Sign('(') => conversions.push(is_listed_keyword(before, CONVERSIONS)),
                SqlToken::Sign(')') => {
                    conversions.pop().ok_or(UNBALANCED)?;
                }
                SqlToken::Word(word)
                    if word == "operator" && next == Some(&SqlToken::Sign('(')) =>
                {
                    return Err("a text with `operator(…)`: write the operator alone");
                }
                SqlToken::Word(word) if has_word(SIGNED_IN, word) && !is_label_position(before) => {
                    return Err(
                        "a text that asks who is signed in; write a column of such a name in double quotes",
                    );
                }
                other => {
                    let is_in_conversion = conversions.last() == Some(&true);
                    let place = Place {
                        before: [token(at.checked_sub(2)), before],
                        next,
                        is_in_conversion,
                    };
                    self.add_name(&mut names, other, place);
                }
            }
        }
        if conversions.is_empty() { Ok(names) } else { Err(UNBALANCED) }
    }

    fn add_name<'a>(&self, names: &mut NamesInText<'a>, token: &'a SqlToken, place: Place<'_>) {
        let Some(name) = query_text::identifier(token) else { return };
        let is_before_dot = place.next == Some(&SqlToken::Sign('.'));
        if is_before_dot && name != "pg_catalog" {
            names.qualifiers.insert(name);
        }
        if functions::is_listed(Engine::Postgres, name) || has_word(TYPES, name) {
            return;
        }
        match place.role() {
            Role::Column if self.names.contains(name) => {}
            Role::Member if self.names.contains(name) => {
                names.members.insert(name);
            }
            _ => {
                names.unlisted.insert(name);
            }
        }
    }
}

/// The tokens around a name.
#[derive(Clone, Copy)]
struct Place<'a> {
    before: [Option<&'a SqlToken>; 2],
    next: Option<&'a SqlToken>,
    is_in_conversion: bool,
}

/// The object that a name can be in the grammar.
enum Role {
    Column,
    /// A column of what is before the dot, or a function of it.
    Member,
    /// A function or a type, too.
    Other,
}

impl Place<'_> {
    fn role(self) -> Role {
        let [earlier, before] = self.before;
        let is_value = matches!(self.next, Some(SqlToken::Sign('(') | SqlToken::Text));
        match before {
            // A function is called, or a value of a type written.
            _ if is_value => Role::Other,
            Some(SqlToken::Sign('.'))
                if earlier.and_then(query_text::identifier) != Some("pg_catalog") =>
            {
                Role::Member
            }
            Some(SqlToken::Sign('.' | ':' | ')')) => Role::Other,
            Some(SqlToken::Sign(_)) => Role::Column,
            Some(SqlToken::Word(word)) if word == "as" && !self.is_in_conversion => Role::Column,
            Some(SqlToken::Word(word)) if word == "by" && is_listed_keyword(earlier, BEFORE_BY) => {
                Role::Column
            }
            _ if is_listed_keyword(before, BEFORE_COLUMNS) => Role::Column,
            // A type is behind `returning` and behind the name of a column that has it.
            _ => Role::Other,
        }
    }
}

impl NamesInText<'_> {
    /// The first of the names that the server's catalog has, in words.
    async fn catalog_name_refusal(
        &self,
        reader: &mut CatalogReader,
    ) -> Result<Option<String>, Error> {
        let json = |names: &BTreeSet<&str>| serde_json::to_string(names).unwrap_or_default();
        let asked = [json(&self.unlisted), json(&self.members), json(&self.qualifiers)];
        let rows = reader.read_rows(NAMES, &asked.each_ref().map(String::as_str)).await?;
        let first = rows.into_iter().next().map(|row| row.into_iter().flatten());
        let refused = first.and_then(|mut row| row.next().zip(row.next()));
        Ok(refused.map(|(kind, name)| match kind.as_str() {
            "schema" => format!("a text that names a schema: `{name}`; write the name of the table alone"),
            _ => format!("a text with the name of a {kind} that is not among those that only compute: `{name}`; as a name of your own, choose another"),
        }))
    }
}

/// The schema of a table.
pub(super) fn schema_or_public(table: &TableName) -> &str {
    table.schema.as_deref().unwrap_or("public")
}

/// True behind what makes a word of the grammar the name of a column.
fn is_label_position(before: Option<&SqlToken>) -> bool {
    match before {
        Some(SqlToken::Sign(sign)) => *sign == '.',
        Some(SqlToken::Word(word)) => word == "as",
        Some(SqlToken::Name(_) | SqlToken::Text) | None => false,
    }
}

/// True for a keyword of the list.
fn is_listed_keyword(token: Option<&SqlToken>, list: &str) -> bool {
    matches!(token, Some(SqlToken::Word(word)) if has_word(list, word))
}

/// The words in front of parentheses that hold the name of a type behind `as`, which `treat` calls as a function.
const CONVERSIONS: &str = "cast treat xmlserialize";

/// Reserved words, so that none is the name of a column, which expressions and tables follow.
const BEFORE_COLUMNS: &str = "all and any case distinct else for from having in join like limit not offset on only or select some table then to \
    using when where";

const BEFORE_BY: &str = "group order partition";

/// Words of the grammar that show the login, its roles or the place, without a function of their name in the catalog for some.
const SIGNED_IN: &str =
    "current_catalog current_role current_schema current_user session_user system_user user";

const UNBALANCED: &str = "a text with a parenthesis that has no other";

/// The names that are those of functions, types or schemas. Types and functions with one value are looked up in the server's own schema alone.
const NAMES: &str = "with unlisted as (select array(select json_array_elements_text($1::json)::name) as names)
    select kind, name from (
        select 'function' as kind, p.proname as name from pg_proc p, unlisted u where p.proname = any (u.names)
        union all select 'type', t.typname from pg_type t, unlisted u
            where t.typname = any (u.names) and t.typnamespace = 'pg_catalog'::regnamespace
        union all select 'function', p.proname from pg_proc p
            where p.proname = any (array(select json_array_elements_text($2::json)::name))
            and p.pronamespace = 'pg_catalog'::regnamespace and p.pronargs > 0 and p.pronargs - p.pronargdefaults <= 1
        union all select 'schema', n.nspname from pg_namespace n
            where n.nspname = any (array(select json_array_elements_text($3::json)::name))) refused
    order by kind, name limit 1";

/// The types that compute and show nothing of the server, and words of the grammar that are names of types or functions, too.
const TYPES: &str = "any bool boolean bpchar bigint bit box bytea char character cidr circle date daterange datemultirange dec decimal \
    double float float4 float8 inet int int2 int4 int4multirange int4range int8 int8multirange int8range integer interval \
    json jsonb jsonpath line lseg macaddr macaddr8 money name nummultirange numeric numrange path point polygon precision \
    real smallint text time timestamp timestamptz timetz tsmultirange tsquery tsrange tstzmultirange tstzrange tsvector unknown \
    uuid varbit varchar xml";

#[cfg(test)]
mod tests {
    use super::*;

    fn listing() -> Listing {
        let table = |schema: Option<&str>, name: &str| TableName {
            schema: schema.map(str::to_owned),
            name: name.to_owned(),
        };
        let columns = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        Listing::new(&[
            (table(None, "orders"), columns(&["no", "version", "currval"])),
            (table(Some("odd"), "Own \"Rows\""), columns(&["no"])),
        ])
    }

    /// The unlisted names, the members and the qualifiers of a text, or the reason to refuse it.
    #[track_caller]
    fn check(text: &str, expected: Result<[&str; 3], &str>) {
        let listing = listing();
        let (_, tokens) = listing
            .blank_offered_schemas(text, &query_text::tokens_without_catalog_names(text).unwrap());
        let shown = listing.names_in(&tokens).map(|names| {
            [names.unlisted, names.members, names.qualifiers].map(|names| {
                let names: Vec<_> = names.into_iter().collect();
                names.join(" ")
            })
        });
        assert_eq!(shown, expected.map(|names| names.map(str::to_owned)), "{text}");
    }

    #[test]
    fn the_names_that_the_catalog_must_not_have_are_all_but_listed_and_offered_ones() {
        check("select o.no, max(version) from orders o", Ok(["from o select", "no", "o"]));
        check("select t.bump, sneaky(no) from orders t", {
            Ok(["bump from select sneaky t", "", "t"])
        });
        // The column itself is no call; behind a dot it could be one.
        check("select version, currval, o.currval", Ok(["o select", "currval", "o"]));
        check("select currval('counter'), version()", Ok(["currval select version", "", ""]));
        check("select no::version, version 'x', \"sneaky\"", Ok(["select sneaky version", "", ""]));
        check(
            "select x.no from orders x order by no, version",
            Ok(["by from order select x", "no", "x"]),
        );
        check("select pg_catalog.abs(1)", Ok(["select", "", ""]));
        check("select other.abs(1)", Ok(["other select", "", "other"]));
    }

    #[test]
    fn a_column_with_the_name_of_a_type_or_a_function_is_looked_up_where_it_may_be_one() {
        for text in [
            "select treat('x' as version)",
            "select treat((select 'x' as no) as version)",
            "select cast('x' as \"version\")",
            "select 'x'::version",
            "select 'x'::pg_catalog.version",
            "select 'x'::\"pg_catalog\".version",
            "select json_query('{}', '$' returning version)",
            "select json_to_record('{}') as t(a version)",
            "select json_to_record('{}') as t(by version, no int)",
            "select json_to_record('{}') as t(\"select\" version)",
            "select xmltable('/a' passing '' columns a version)",
            "select xmlserialize(content '' as version)",
            "select no version",
        ] {
            let listing = listing();
            let tokens = query_text::tokens_without_catalog_names(text).unwrap();
            let names = listing.names_in(&tokens).unwrap();
            assert!(names.unlisted.contains("version"), "{text}: {names:?}");
        }
        for text in [
            "select no as version, (select no as version), cast(version as int), treat(o.version as int)",
            "select distinct version from version where version > 1 and not version = 2 order by version",
            "select case when version then version else version end, version[1], (version), -version",
        ] {
            let listing = listing();
            let tokens = query_text::tokens_without_catalog_names(text).unwrap();
            let names = listing.names_in(&tokens).unwrap();
            assert!(!names.unlisted.contains("version"), "{text}: {names:?}");
        }
    }

    #[test]
    fn texts_that_no_catalog_makes_right_are_refused() {
        check("select 1; select 2", Err("a text of more than one statement"));
        check("select 1) a, (select 2", Err(UNBALANCED));
        check("select (1", Err(UNBALANCED));
        let who =
            "a text that asks who is signed in; write a column of such a name in double quotes";
        for word in SIGNED_IN.split(' ') {
            check(&format!("select {word} from orders"), Err(who));
            check(&format!("select upper({word}::text) as a"), Err(who));
        }
        check("select o.user, \"user\", no as user", Ok(["as o select user", "", "o"]));
        check("select 1 operator(own.+) 2", {
            Err("a text with `operator(…)`: write the operator alone")
        });
    }

    #[test]
    fn an_offered_table_may_have_its_schema() {
        let listing = listing();
        let sql =
            "select public . orders.no from Public.orders, odd.\"Own \"\"Rows\"\"\", odd.rows";
        let (sql, tokens) = listing
            .blank_offered_schemas(sql, &query_text::tokens_without_catalog_names(sql).unwrap());
        assert_eq!(
            sql,
            "select          orders.no from        orders,     \"Own \"\"Rows\"\"\", odd.rows"
        );
        let names = listing.names_in(&tokens).unwrap();
        assert!(names.qualifiers.contains("odd") && !names.qualifiers.contains("public"));
        let with = listing.with;
        assert!(with.starts_with(
            "WITH \"orders\" AS NOT MATERIALIZED (SELECT \"no\", \"version\", \"currval\" FROM \"public\".\"orders\"), "
        ));
    }
}

//! The parts of a model's text that `SQLite` must not get. The authorizer decides what a text reads, but hears nothing of the columns that `USING`
//! and `NATURAL JOIN` compare, nor of a table of which nothing else is read: of such joins the names are checked here.

use std::collections::{BTreeMap, BTreeSet};

use super::rights::Rights;
use crate::token::{self, Lexicon, SqlToken};

/// The first part of a text that is refused, in words.
pub(super) fn refused_part(text: &str, rights: &Rights) -> Option<String> {
    if !may_have_unreported_join(text) {
        return None;
    }
    let tokens = match token::tokens(Lexicon::Sqlite, text) {
        Ok(tokens) => tokens,
        Err(refused) => return Some(refused.to_owned()),
    };
    let has = |keyword: &str| {
        tokens.iter().any(|it| matches!(&it.token, SqlToken::Word(word) if word == keyword))
    };
    if has("natural") {
        return Some("a text with `natural`; name the columns by `on`".to_owned());
    }
    let mut names = tokens.iter().filter_map(|placed| name(&placed.token));
    let withheld = names.find(|name| rights.is_withheld(name)).filter(|_| has("using"))?;
    Some(format!(
        "a text with `using` and the name of a table or column that is not listed: `{withheld}`; join by `on`"
    ))
}

/// Adds each table or view that the text of a view with such a join names, for the views that readable ones lead to.
pub(super) fn add_unreported_reads(rights: &mut Rights, views: &BTreeMap<String, String>) {
    let mut reached: Vec<String> = rights.reads().keys().cloned().collect();
    let mut passed = BTreeSet::new();
    while let Some(view) = reached.pop() {
        let Some(text) = views.get(&view).filter(|_| passed.insert(view.clone())) else { continue };
        let tables = tables_named_or_all(text, rights.table_names());
        for table in tables.iter().filter(|_| may_have_unreported_join(text)) {
            rights.add_unreported_read(table, &view);
        }
        reached.extend(tables);
    }
}

/// The tables and views, of these, that a text names; all of them where its names cannot be told.
fn tables_named_or_all(text: &str, tables: &BTreeSet<String>) -> BTreeSet<String> {
    let Ok(tokens) = token::tokens(Lexicon::Sqlite, text) else { return tables.clone() };
    let names = tokens.iter().filter_map(|placed| name(&placed.token));
    names.filter(|name| tables.contains(*name)).map(str::to_owned).collect()
}

/// True if one of the keywords may stand in a text, be it in a literal or a comment.
fn may_have_unreported_join(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    ["natural", "using"].iter().any(|keyword| text.contains(keyword))
}

fn name(token: &SqlToken) -> Option<&str> {
    match token {
        SqlToken::Name(name) | SqlToken::Word(name) => Some(name),
        SqlToken::Sign(_) | SqlToken::Text => None,
    }
}

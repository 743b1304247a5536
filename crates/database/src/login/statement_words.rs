//! The words of an operator's statement: a right on what they name is one that its tool uses. The words are a wider circle than what the
//! statement touches, and the operator wrote them.

use std::collections::BTreeSet;

#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct StatementWords {
    text: String,
    words: BTreeSet<String>,
}

impl StatementWords {
    pub(crate) fn new(sql: &str) -> Self {
        let text = sql.to_lowercase();
        let words = text.split(|letter: char| !is_of_word(letter)).filter(|word| !word.is_empty());
        let words = words.map(str::to_owned).collect();
        Self { text, words }
    }

    /// True if the statement has the name of a table, a column or a function.
    pub(crate) fn has_name(&self, name: &str) -> bool {
        let name = name.to_lowercase();
        self.words.contains(&name) || (!name.chars().all(is_of_word) && self.text.contains(&name))
    }

    /// True if the statement may do to rows what a right allows: `UPDATE`.
    pub(crate) fn needs_right(&self, right: &str) -> bool {
        let verbs: &[&str] = match right {
            "DELETE" => &["delete", "merge", "replace"],
            "INSERT" => &["insert", "merge", "replace"],
            "TRUNCATE" => &["truncate"],
            "UPDATE" => &["update", "merge"],
            _ => &[],
        };
        verbs.iter().any(|verb| self.words.contains(*verb))
    }
}

fn is_of_word(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_' || letter == '$'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_needs_the_rights_of_its_verbs_on_what_it_names() {
        let words = StatementWords::new("Update odd.\"Own Rows\" set x=:x where no = :no");
        assert!(words.needs_right("UPDATE") && !words.needs_right("DELETE"));
        assert!(words.has_name("Own Rows") && words.has_name("x") && !words.has_name("own_rows"));
    }
}

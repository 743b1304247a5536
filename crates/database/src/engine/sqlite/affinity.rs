//! The affinity of a column of SQLite, which decides the type that a stored value gets.

/// The affinity of a declared type.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Affinity {
    Blob,
    Number,
    Text,
}

impl Affinity {
    /// The rules of <https://sqlite.org/datatype3.html#determination_of_column_affinity>, in their order.
    pub(super) fn from_declared_type(declared: &str) -> Self {
        let declared = declared.to_ascii_uppercase();
        let has = |words: &[&str]| words.iter().any(|word| declared.contains(word));
        if has(&["INT"]) {
            Self::Number
        } else if has(&["CHAR", "CLOB", "TEXT"]) {
            Self::Text
        } else if declared.is_empty() || has(&["BLOB"]) {
            Self::Blob
        } else {
            Self::Number
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Affinity::{self, Blob, Number, Text};

    #[test]
    fn an_affinity_follows_from_the_declared_type() {
        for (declared, affinity) in [
            ("", Blob),
            ("BLOB", Blob),
            ("integer", Number),
            ("CHARINT", Number),
            ("varchar(20)", Text),
            ("CLOB", Text),
            ("STRING", Number),
            ("double", Number),
            ("DATE", Number),
        ] {
            assert_eq!(Affinity::from_declared_type(declared), affinity, "{declared}");
        }
    }
}

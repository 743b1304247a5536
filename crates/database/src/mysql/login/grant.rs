//! A line of `SHOW GRANTS`. The password's digest that some lines hold is skipped.

mod token;

use self::token::{GrantToken, Tokens};
use crate::{engine::Engine, settings::TableName};

/// One right on one object, as it was granted.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Grant {
    /// The right in capitals: `SELECT`, `CREATE USER`. Empty for a role.
    pub(super) right: String,
    /// The columns; empty for all.
    pub(super) columns: Vec<String>,
    pub(super) on: Object,
    /// The account or role that has it.
    pub(super) grantee: Account,
    /// True if the grantee may give it to others.
    pub(super) is_grantable: bool,
}

#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) enum Object {
    Everything,
    Proxy,
    Role(Account),
    /// A function, procedure or package, as a statement names it.
    Routine(String),
    /// The schemas whose names match a pattern.
    Schema(String),
    Table(TableName),
}

/// The name of an account or a role.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(super) struct Account {
    name: String,
    /// `None` for a role of MariaDB, and for everybody.
    host: Option<String>,
    is_public: bool,
}

impl Account {
    /// True unless it is a role of MariaDB.
    pub(super) fn is_account(&self) -> bool {
        self.is_public || self.host.is_some()
    }

    /// The account, as a statement names it.
    pub(super) fn to_sql(&self) -> String {
        let quote = |name: &str| Engine::Mysql.quote(name);
        match &self.host {
            _ if self.is_public => "PUBLIC".to_owned(),
            Some(host) => format!("{}@{}", quote(&self.name), quote(host)),
            None => quote(&self.name),
        }
    }
}

impl Object {
    /// The object, as a statement names it.
    pub(super) fn to_sql(&self) -> String {
        let quote = |name: &str| Engine::Mysql.quote(name);
        match self {
            Self::Everything => "*.*".to_owned(),
            Self::Proxy => "''@''".to_owned(),
            Self::Role(role) => role.to_sql(),
            Self::Routine(text) => text.clone(),
            Self::Schema(pattern) => format!("{}.*", quote(pattern)),
            Self::Table(table) => {
                let schema = table.schema.iter().map(|schema| format!("{}.", quote(schema)));
                schema.chain([quote(&table.name)]).collect()
            }
        }
    }

    /// The object in the name of a finding: `shop.orders`, `shop.*`.
    pub(super) fn name_in_finding(&self) -> String {
        match self {
            Self::Everything | Self::Proxy | Self::Role(_) => self.to_sql().replace('`', ""),
            Self::Routine(text) => text.replace('`', "").to_lowercase().replace(' ', ":"),
            Self::Schema(pattern) => format!("{}.*", pattern.replace('\\', "")),
            Self::Table(table) => table.to_string(),
        }
    }

    /// True if a right on the object is one on the table.
    pub(super) fn covers(&self, table: &TableName) -> bool {
        let schema = table.schema.as_deref().unwrap_or_default();
        match self {
            Self::Everything => true,
            Self::Proxy | Self::Role(_) | Self::Routine(_) => false,
            Self::Schema(pattern) => matches_like_pattern(pattern, schema),
            Self::Table(granted_table) => granted_table == table,
        }
    }

    /// True if a right on the object is one on tables of this schema.
    pub(super) fn covers_table_in_schema(&self, schema: &str) -> bool {
        match self {
            Self::Table(table) => table.schema.as_deref() == Some(schema),
            other => {
                other.covers(&TableName { schema: Some(schema.to_owned()), name: String::new() })
            }
        }
    }
}

/// True if a name matches a pattern, in which `%` and `_` stand for others unless a backslash is before them.
fn matches_like_pattern(pattern: &str, name: &str) -> bool {
    let mut rest = pattern.chars();
    match rest.next() {
        None => name.is_empty(),
        Some('%') => {
            let starts = name.char_indices().map(|(at, _)| at).chain([name.len()]);
            let mut tails = starts.filter_map(|at| name.get(at..));
            tails.any(|tail| matches_like_pattern(rest.as_str(), tail))
        }
        Some('_') => {
            let mut others = name.chars();
            others.next().is_some() && matches_like_pattern(rest.as_str(), others.as_str())
        }
        Some(sign) => {
            let sign = if sign == '\\' { rest.next().unwrap_or(sign) } else { sign };
            name.strip_prefix(sign).is_some_and(|tail| matches_like_pattern(rest.as_str(), tail))
        }
    }
}

impl Grant {
    /// True for all rights on everything, with that to grant them: who takes them away may take those of the last superuser.
    pub(super) fn is_of_superuser(&self) -> bool {
        self.on == Object::Everything && self.right.starts_with("ALL") && self.is_grantable
    }

    /// The rights of a line; `None` if it is not understood.
    pub(super) fn read(line: &str) -> Option<Vec<Self>> {
        let mut tokens = Tokens::from_line(line)?;
        if tokens.takes_word("SET") || tokens.takes_word("REVOKE") {
            // The role that is taken by default, whose rights are listed too; and what a wider right leaves out.
            return Some(Vec::new());
        }
        if !tokens.takes_word("GRANT") {
            return None;
        }
        if matches!(tokens.peek(), Some(GrantToken::Name(_))) {
            return tokens.take_role_grants();
        }
        let mut rights = Vec::new();
        loop {
            let right = tokens.take_words("ON");
            let columns = if tokens.takes_sign('(') { tokens.take_columns()? } else { Vec::new() };
            rights.push((right, columns));
            if !tokens.takes_sign(',') {
                break;
            }
        }
        if rights.iter().any(|(right, _)| right.is_empty()) || !tokens.takes_word("ON") {
            return None;
        }
        let is_proxy = rights.iter().any(|(right, _)| right == "PROXY");
        let on = if is_proxy { tokens.take_proxy_object()? } else { tokens.take_object()? };
        if !tokens.takes_word("TO") {
            return None;
        }
        let grantee = tokens.take_account()?;
        let is_grantable = tokens.has_option("GRANT");
        let rights = rights.into_iter().map(|(right, columns)| Self {
            right,
            columns,
            on: on.clone(),
            grantee: grantee.clone(),
            is_grantable,
        });
        Some(rights.collect())
    }
}

impl Tokens {
    fn take_account(&mut self) -> Option<Account> {
        if self.takes_word("PUBLIC") {
            return Some(Account { name: String::new(), host: None, is_public: true });
        }
        let name = self.take_name()?;
        let host = if self.takes_sign('@') { Some(self.take_name()?) } else { None };
        Some(Account { name, host, is_public: false })
    }

    fn take_object(&mut self) -> Option<Object> {
        let of = self.take_words("");
        if self.takes_sign('*') {
            return (self.takes_sign('.') && self.takes_sign('*')).then_some(Object::Everything);
        }
        let schema = self.take_name()?;
        if !self.takes_sign('.') {
            return None;
        }
        if self.takes_sign('*') {
            return Some(Object::Schema(schema));
        }
        let table = TableName { schema: Some(schema), name: self.take_name()? };
        Some(match of.as_str() {
            "" | "TABLE" => Object::Table(table),
            _ => Object::Routine(format!("{of} {}", Object::Table(table).to_sql())),
        })
    }

    fn take_proxy_object(&mut self) -> Option<Object> {
        self.take_account().map(|_| Object::Proxy)
    }

    fn take_role_grants(mut self) -> Option<Vec<Grant>> {
        let mut roles = vec![self.take_account()?];
        while self.takes_sign(',') {
            roles.push(self.take_account()?);
        }
        if !self.takes_word("TO") {
            return None;
        }
        let grantee = self.take_account()?;
        let is_grantable = self.has_option("ADMIN");
        let grants = roles.into_iter().map(|role| Grant {
            right: String::new(),
            columns: Vec::new(),
            on: Object::Role(role),
            grantee: grantee.clone(),
            is_grantable,
        });
        Some(grants.collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rights of a line: right, columns, object, grantee.
    #[track_caller]
    fn check(line: &str, expected: &[(&str, &[&str], &str, &str)]) {
        let grants = Grant::read(line).unwrap();
        let read: Vec<_> = grants
            .iter()
            .map(|it| {
                (
                    it.right.as_str(),
                    it.columns.clone(),
                    it.on.name_in_finding(),
                    it.grantee.to_sql(),
                )
            })
            .collect();
        let expected: Vec<_> = expected
            .iter()
            .map(|(right, columns, on, grantee)| {
                let columns = columns.iter().map(|column| (*column).to_owned()).collect();
                (*right, columns, (*on).to_owned(), (*grantee).to_owned())
            })
            .collect();
        assert_eq!(read, expected, "{line}");
    }

    #[test]
    fn lines_of_the_servers_are_read() {
        check(
            "GRANT USAGE ON *.* TO `u`@`%` IDENTIFIED BY PASSWORD '*14E6'",
            &[("USAGE", &[], "*.*", "`u`@`%`")],
        );
        check(
            "GRANT SELECT (`no`, `a``b`), CREATE USER, DELETE ON `shop`.`orders` TO `u`@`%`",
            &[
                ("SELECT", &["no", "a`b"], "shop.orders", "`u`@`%`"),
                ("CREATE USER", &[], "shop.orders", "`u`@`%`"),
                ("DELETE", &[], "shop.orders", "`u`@`%`"),
            ],
        );
        check(
            r"GRANT ALL PRIVILEGES ON `sh\_p%`.* TO 'u'@'localhost' WITH GRANT OPTION",
            &[("ALL PRIVILEGES", &[], "sh_p%.*", "`u`@`localhost`")],
        );
        check(
            "GRANT EXECUTE ON FUNCTION `shop`.`f` TO `u`@`%`",
            &[("EXECUTE", &[], "function:shop.f", "`u`@`%`")],
        );
        check("GRANT `r` TO `u`@`%`", &[("", &[], "r", "`u`@`%`")]);
        check(
            "GRANT `r`@`%`,`s`@`%` TO `u`@`%`",
            &[("", &[], "r@%", "`u`@`%`"), ("", &[], "s@%", "`u`@`%`")],
        );
        check("GRANT SELECT ON `shop`.`v` TO PUBLIC", &[("SELECT", &[], "shop.v", "PUBLIC")]);
        check("SET DEFAULT ROLE `r` FOR `u`@`%`", &[]);
        let proxy = Grant::read("GRANT PROXY ON ''@'%' TO 'u'@'localhost' WITH GRANT OPTION");
        assert!(proxy.unwrap()[0].is_grantable);
        for odd in ["", "GRANT", "GRANT SELECT TO `u`", "GRANT SELECT ON `a` TO `u`", "GRANT `r"] {
            assert_eq!(Grant::read(odd), None, "{odd}");
        }
    }

    #[test]
    fn a_pattern_of_schemas_is_matched() {
        for (pattern, schema, is_match) in [
            ("shop", "shop", true),
            ("shop", "shops", false),
            ("sh%", "shop", true),
            ("%", "mysql", true),
            ("sho_", "shop", true),
            (r"sho\_", "shop", false),
            (r"sh\_p%", "sh_p1", true),
        ] {
            assert_eq!(matches_like_pattern(pattern, schema), is_match, "{pattern} {schema}");
        }
    }
}

//! The name of a connection: `projects/P/locations/L/connections/C`.

use std::str::FromStr;

/// The name of a connection.
///
/// ```
/// use callgate_connector::ConnectionName;
///
/// let name: ConnectionName = "projects/p/locations/europe-west1/connections/crm".parse()?;
/// assert_eq!(name.as_str(), "projects/p/locations/europe-west1/connections/crm");
/// assert!("projects/p/connections/crm".parse::<ConnectionName>().is_err());
/// # Ok::<(), callgate_connector::NotAConnection>(())
/// ```
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub struct ConnectionName(String);

/// The text is not the name of a connection.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct NotAConnection;

impl ConnectionName {
    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for ConnectionName {
    type Err = NotAConnection;

    fn from_str(text: &str) -> Result<Self, NotAConnection> {
        let parts: Vec<&str> = text.split('/').collect();
        let is_name = matches!(*parts, ["projects", _, "locations", _, "connections", _]);
        if is_name && parts.iter().all(|part| is_path_segment(part)) {
            return Ok(Self(text.to_owned()));
        }
        Err(NotAConnection)
    }
}

callgate_secret::text!(ConnectionName: Self(text) => "{text}");

callgate_secret::text!(error NotAConnection: _ => "a connection is named by `projects/…/locations/…/connections/…`");

/// True if a text can be a segment of a path as it is; project ids of old domains have `.` and `:`.
fn is_path_segment(text: &str) -> bool {
    let is_legal = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.:".contains(&byte);
    !text.is_empty()
        && text.len() <= 100
        && ![".", ".."].contains(&text)
        && text.bytes().all(is_legal)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: bool) {
        assert_eq!(text.parse::<ConnectionName>().is_ok(), expected, "{text}");
    }

    #[test]
    fn only_the_whole_name_of_a_connection_is_one() {
        check("projects/example.com:p/locations/l/connections/c-1", true);
        check("projects/p/locations/l/connections/", false);
        check("projects/p/locations/../connections/c", false);
        check("projects/p/locations/l/connections/c/tools", false);
        check("projects/p/locations/l/connections/c?x=1", false);
        check("projects/p/locations/l/connections/c%2f", false);
        check("/projects/p/locations/l/connections/c", false);
        check("", false);
    }
}

//! The stable codes of findings about configurations, in one table: each row makes a code and its name. Each finding
//! contains its own remedy, since that depends on the key. Findings about the content of an export have the codes of
//! `import`.

/// Makes [`ConfigCode`] from the table.
macro_rules! codes {
    ($($(#[$meta:meta])* $code:ident = $name:literal;)+) => {
        /// The kinds of findings about a configuration.
        #[derive(Clone, Copy, Debug, Eq, PartialEq)]
        #[non_exhaustive]
        pub enum ConfigCode {
            $($(#[$meta])* $code,)+
        }

        impl ConfigCode {
            /// Every code, in alphabetical order.
            pub const ALL: [Self; [$($name),+].len()] = [$(Self::$code),+];

            /// The code as it is displayed: lower-case words with dashes.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$code => $name,)+
                }
            }
        }
    };
}

codes! {
    /// The audit file cannot be opened, or was started with another key.
    Audit = "audit";
    /// A certificate or a key cannot be used.
    Certificate = "certificate";
    /// The settings of a credential are not valid.
    Credential = "credential";
    /// An option for bare descriptions was given with a configuration.
    DescriptionOption = "description-option";
    /// Two tools have one name.
    DuplicateTool = "duplicate-tool";
    /// A whole export cannot be read.
    Export = "export";
    /// An exported tool cannot be read.
    ExportedTool = "exported-tool";
    /// A secret is written into the configuration.
    LiteralSecret = "literal-secret";
    /// A key belongs to a feature that is not in this build.
    MissingFeature = "missing-feature";
    /// A key is missing.
    MissingKey = "missing-key";
    /// A secret that is needed at once cannot be read.
    MissingSecret = "missing-secret";
    /// A variable of the environment is not set.
    MissingVariable = "missing-variable";
    /// A store of secrets is read without TLS.
    PlainHttp = "plain-http";
    /// The caller runs in a runtime, which blocking would stop.
    Runtime = "runtime";
    /// A secret that is needed at once cannot be read, or cannot be used.
    Secret = "secret";
    /// A text is not a reference to a secret.
    SecretReference = "secret-reference";
    /// A store of secrets is not configured.
    SecretStore = "secret-store";
    /// An entry selects nothing.
    SelectsNothing = "selects-nothing";
    /// A session parameter that a credential reads is an input of tools, too.
    SessionCredential = "session-credential";
    /// The address of a description does not respond; the last version stays in use.
    StaleDescription = "stale-description";
    /// Models cannot write the name of a function.
    ToolName = "tool-name";
    /// The name of a toolset is not valid.
    ToolsetName = "toolset-name";
    /// A key is unknown.
    UnknownKey = "unknown-key";
    /// The description has no security scheme with this name.
    UnknownScheme = "unknown-scheme";
    /// The configuration has no toolset with this name.
    UnknownToolset = "unknown-toolset";
    /// A file cannot be read.
    UnreadableFile = "unreadable-file";
    /// A key is valid elsewhere but has no meaning here.
    UnsupportedKey = "unsupported-key";
    /// A key has no effect.
    UnusedKey = "unused-key";
    /// A credential is of another kind than its security scheme.
    WrongCredential = "wrong-credential";
    /// A key does not accept its value.
    WrongValue = "wrong-value";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_distinct_and_sorted() {
        let names = ConfigCode::ALL.map(ConfigCode::as_str);
        assert!(names.windows(2).all(|pair| pair[0] < pair[1]), "{names:?}");
    }
}

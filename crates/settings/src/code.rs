//! The codes of findings that reading settings makes. Crates that declare keys have tables of their own: a finding takes any of
//! them.

use callgate_tool::codes;

codes! {
    /// The kinds of findings about settings, whatever they configure.
    pub enum SettingCode {
        /// A secret is written into the configuration.
        LiteralSecret = "literal-secret":
            "Whoever reads the file has the secret. Put it into a variable or a file, and write where it is: `env:NAME`, `file:PATH`.";
        /// A key belongs to a feature that is not in this build.
        MissingFeature = "missing-feature":
            "Build callgate with the feature that the finding names, or remove the key.";
        /// A key is missing.
        MissingKey = "missing-key":
            "Write the key; the finding says where it belongs and what it takes.";
        /// A variable of the environment is not set.
        MissingVariable = "missing-variable":
            "Set the variable before callgate starts, or write the value itself.";
        /// A text is not a reference to a secret.
        SecretReference = "secret-reference":
            "Write where the secret is, not the secret itself: `env:NAME`, `file:PATH`, or a reference to a store.";
        /// A key is unknown.
        UnknownKey = "unknown-key":
            "It is an error, because a misspelt key would be ignored. Write the key that the finding suggests, or remove it; the schema of configurations lists all keys.";
        /// A file cannot be read.
        UnreadableFile = "unreadable-file":
            "Name a file that exists, is of the expected kind, and may be read by the user that callgate runs as.";
        /// A key has no effect.
        UnusedKey = "unused-key":
            "Remove the key, or the setting that makes it useless.";
        /// A key does not accept its value.
        WrongValue = "wrong-value":
            "Write a value of the kind that the finding names, such as `30s` for a time.";
    }
}

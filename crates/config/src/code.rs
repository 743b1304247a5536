//! The stable codes of findings about configurations, in one table: each row makes a code, its name and its explanation. The
//! remedy of a single finding is in the finding, since it depends on the key.

use callgate_kind::KindCode;
use callgate_settings::SettingCode;
use callgate_tool::codes;

use crate::kinds::Kinds;

codes! {
    /// The kinds of findings about a configuration.
    pub enum ConfigCode {
        /// The audit file cannot be opened, or was started with another key.
        Audit = "audit":
            "Make the file of `audit` writable, or give back the key that it was started with; to use a new key, begin a new file.";
        /// A certificate or a key cannot be used.
        Certificate = "certificate":
            "Name a file with certificates in PEM or DER, and the private key that belongs to the first one.";
        /// The settings of a credential are not valid.
        Credential = "credential":
            "Correct what `auth` or `credentials` of the toolset says; the finding names the key and what is wrong with it.";
        /// An option for bare descriptions was given with a configuration.
        DescriptionOption = "description-option":
            "Leave the option out, and write the key of the same meaning into the toolset.";
        /// A person has to log in for a credential.
        MissingLogin = "missing-login":
            "Run the command that the finding names; until then, calls that need the credential fail.";
        /// A secret cannot be read on this machine.
        MissingSecret = "missing-secret":
            "Set the variable or write the file that the reference names; the key of an audit file has 16 bytes or more.";
        /// The configuration offers no tool.
        NoTools = "no-tools":
            "Select operations by `tools` of a toolset, or name a description that has some.";
        /// Other machines can reach a listener, and no setting says who may call.
        OpenListener = "open-listener":
            "Listen on 127.0.0.1, or say under `access` who may call.";
        /// Any caller may set a value that decides whose rows a call is about.
        OpenSessionValue = "open-session-value":
            "A principal could name another one's value. Bind it to a claim of verified tokens or to a header that a front sets (`sessions: {claims: …, headers: …}`); it stays as it is where every principal is a runtime that you trust with the rows of all.";
        /// A tool that the program adds contradicts its declaration.
        OwnTool = "own-tool":
            "Correct the tool in the program: one name, one effect, and schemas that are schemas.";
        /// A store of secrets is read without TLS.
        PlainHttp = "plain-http":
            "The secrets can be read on their way. Use `https://` for the address of the store.";
        /// The caller runs in a runtime, which blocking would stop.
        Runtime = "runtime":
            "Build the configuration on a thread outside of the runtime, or use the asynchronous function.";
        /// A store of secrets is not configured.
        SecretStore = "secret-store":
            "Configure the store under `secrets`, or name a store that is configured: `env:NAME`, `file:PATH`.";
        /// A session parameter that a credential reads is an input of tools, too.
        SessionCredential = "session-credential":
            "A service would get the credential of another one, so its inputs do not get the value. Hand the credential over as `$session.credentials.NAME`, or list the value under `session_parameters` of the toolset whose service may see it.";
        /// The address of a description does not respond; the last version stays in use.
        StaleDescription = "stale-description":
            "The tools stay as they were. Look why the address does not answer; the description is fetched again with the next reload.";
        /// The file or the server of the state cannot be used.
        State = "state":
            "Name a file that no other process has open, and the key that sealed it: under `key`, or under `old_keys` beside a new one. Of Redis, name a server that evicts nothing.";
        /// The name of a toolset is not valid.
        ToolsetName = "toolset-name":
            "Use letters, digits and `_`; `-` separates the name of a toolset from those of its tools.";
        /// The description has no security scheme with this name.
        UnknownScheme = "unknown-scheme":
            "Write the name of a scheme as the description has it under `securitySchemes`.";
        /// A credential is of another kind than its security scheme.
        WrongCredential = "wrong-credential":
            "Write the credential of the kind that the scheme of the description asks for, or correct the scheme by an overlay.";
    }
}

/// The codes of findings about configurations with these kinds of toolsets, each with its explanation, in alphabetical order.
pub fn codes(kinds: &Kinds) -> Vec<(&'static str, &'static str)> {
    let own = ConfigCode::ALL.iter().map(|code| (code.as_str(), code.explanation()));
    let of_settings = SettingCode::ALL.iter().map(|code| (code.as_str(), code.explanation()));
    let of_tools = KindCode::ALL.iter().map(|code| (code.as_str(), code.explanation()));
    let mut codes: Vec<_> = own.chain(of_settings).chain(of_tools).chain(kinds.codes()).collect();
    codes.sort_unstable();
    codes
}

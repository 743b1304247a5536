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
        /// A connection cannot run on a database as its tools are.
        ConnectionLocal = "connection-local":
            "Give the database an entity of the same name with the operation, and leave out what only the connection has: actions, its own tools, its users.";
        /// A statement of a connection cannot be read, or has other values than its settings.
        ConnectionStatement = "connection-statement":
            "Write one statement whose quotes end, with a value under `inputs` for each name with a colon.";
        /// A tool of a connection has no valid name, or that of another one.
        ConnectionToolName = "connection-tool-name":
            "Give the tool another `name`; names of tools have at most 64 characters with the prefix.";
        /// The connection has no such entity, operation, field, action or tool.
        ConnectionUnknown = "connection-unknown":
            "Write the name as the connection has it; `gcloud` and the console of Integration Connectors show them.";
        /// The connection would not act as the end user alone.
        ConnectionUser = "connection-user":
            "Enable the authentication override of the connection and disable its fallback on the administrator's credentials, or leave `user` out.";
        /// The settings of a credential are not valid.
        Credential = "credential":
            "Correct what `auth` or `credentials` of the toolset says; the finding names the key and what is wrong with it.";
        /// The address of a database cannot be read, or names an engine that is not in this build.
        DatabaseAddress = "database-address":
            "Write the address into the secret that `url` names: `postgres://USER:PASSWORD@HOST/DATABASE`, or `sqlite:FILE`; build callgate with the feature of its engine.";
        /// A column does not exist, cannot be used like this, or is left out because nothing names it.
        DatabaseColumn = "database-column":
            "Write the name of a column as the database has it; the finding lists those that there are, or says what the column cannot do. List the columns that are read under `fields` to decide about those that are left out.";
        /// The settings of an entity contradict each other.
        DatabaseEntity = "database-entity":
            "Correct the entity: for example, `get`, `update` and `delete` need a key, which a view has only by `key`.";
        /// The login may do more than its tools, or less than they need.
        DatabaseLogin = "database-login":
            "A call can never do more than the login may. Run the statement that the finding names as an owner of the database, or accept a harmless right under `login: {allow: […]}`.";
        /// A statement cannot be prepared, or does something else than its settings say.
        DatabaseStatement = "database-statement":
            "Write one statement that the database can prepare, with a value under `inputs` for each name with a colon.";
        /// A table or view does not exist, or the login does not see it.
        DatabaseTable = "database-table":
            "Write the name of a table or view as the database has it, with its schema if it is another than the usual one.";
        /// A tool of a database has no valid name, or that of another one.
        DatabaseToolName = "database-tool-name":
            "Choose another name for the entity or the statement; names of tools have at most 64 characters with the prefix.";
        /// An option for bare descriptions was given with a configuration.
        DescriptionOption = "description-option":
            "Leave the option out, and write the key of the same meaning into the toolset.";
        /// A whole export cannot be read.
        Export = "export":
            "Name the folder of an exported agent or app, or a zip of it, and export it again if it is damaged.";
        /// An exported tool cannot be read.
        ExportedTool = "exported-tool":
            "Name the folder of one exported OpenAPI tool, or its JSON file; tools of other kinds cannot be called.";
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
        /// A secret that is needed at once cannot be read, or cannot be used.
        Secret = "secret":
            "Set the variable or write the file that the reference names, with a secret of the kind that the finding asks for.";
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
        /// A connection cannot be read, or the credential is refused.
        UnreachableConnection = "unreachable-connection":
            "See that the connection exists and that the account may use it (`roles/connectors.invoker` and `roles/connectors.viewer`); a sidecar serves its other tools, and tries it again.";
        /// A database cannot be reached, or refuses the login.
        UnreachableDatabase = "unreachable-database":
            "See that the database runs, that this machine reaches it, and that it takes the login; a sidecar serves its other tools, and tries it again.";
        /// A credential is of another kind than its security scheme.
        WrongCredential = "wrong-credential":
            "Write the credential of the kind that the scheme of the description asks for, or correct the scheme by an overlay.";
    }
}

/// The codes of findings about configurations, each with its explanation, in alphabetical order.
pub fn codes() -> Vec<(&'static str, &'static str)> {
    let own = ConfigCode::ALL.iter().map(|code| (code.as_str(), code.explanation()));
    let of_settings = SettingCode::ALL.iter().map(|code| (code.as_str(), code.explanation()));
    let of_tools = KindCode::ALL.iter().map(|code| (code.as_str(), code.explanation()));
    let mut codes: Vec<_> =
        own.chain(of_settings).chain(of_tools).chain(Kinds::default().codes()).collect();
    codes.sort_unstable();
    codes
}

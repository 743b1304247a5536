//! The codes of findings about connections.

use callgate_tool::codes;

codes! {
    /// The kinds of findings about connections of Integration Connectors.
    pub enum ConnectorCode {
        /// A connection cannot run on a database as its tools are.
        Local = "connection-local":
            "Give the database an entity of the same name with the operation, and leave out what only the connection has: actions, its own tools, its users.";
        /// A statement of a connection cannot be read, or has other values than its settings.
        Statement = "connection-statement":
            "Write one statement whose quotes end, with a value under `inputs` for each name with a colon.";
        /// A tool of a connection has no valid name, or that of another one.
        ToolName = "connection-tool-name":
            "Give the tool another `name`; names of tools have at most 64 characters with the prefix.";
        /// The connection has no such entity, operation, field, action or tool.
        Unknown = "connection-unknown":
            "Write the name as the connection has it; `gcloud` and the console of Integration Connectors show them.";
        /// The connection would not act as the end user alone.
        User = "connection-user":
            "Enable the authentication override of the connection and disable its fallback on the administrator's credentials, or leave `user` out.";
        /// A connection cannot be read, or the credential is refused.
        Unreachable = "unreachable-connection":
            "See that the connection exists and that the account may use it (`roles/connectors.invoker` and `roles/connectors.viewer`); a sidecar serves its other tools, and tries it again.";
    }
}

//! The codes of findings about the tools of any kind of toolset.

use callgate_tool::codes;

codes! {
    /// The kinds of findings about tools, whatever kind of toolset they are of.
    pub enum KindCode {
        /// Two tools have one name.
        DuplicateTool = "duplicate-tool":
            "Give each toolset its own `prefix`, and each function its own name.";
        /// An exported tool cannot be read.
        ExportedTool = "exported-tool":
            "Name the folder of one exported OpenAPI tool, or its JSON file; tools of other kinds cannot be called.";
        /// A secret that is needed at once cannot be read, or cannot be used.
        Secret = "secret":
            "Set the variable or write the file that the reference names, with a secret of the kind that the finding asks for.";
        /// An entry selects nothing.
        SelectsNothing = "selects-nothing":
            "It has no effect and may be misspelt: correct the entry, or remove it.";
        /// Models cannot write the name of a function.
        ToolName = "tool-name":
            "Use letters, digits, `_`, `-` and `.`, at most 64 characters with the prefix.";
        /// The configuration has no toolset with this name.
        UnknownToolset = "unknown-toolset":
            "Write the name of a toolset as it stands under `toolsets`.";
    }
}

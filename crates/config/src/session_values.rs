//! The key `session_parameters: {allow: […]}` of a toolset: the session values that its inputs may use although
//! credentials of other toolsets read them.

use callgate_tool::SessionName;

use crate::{
    code::ConfigCode,
    keys::SESSION_PARAMETERS,
    reader::{Mapping, Reader, at},
    toolset::AllowedValue,
};

/// Reads `session_parameters:`.
pub(crate) fn read(reader: &mut Reader, toolset: Mapping<'_>) -> Vec<AllowedValue> {
    let Some(node) = toolset.object.get("session_parameters") else { return Vec::new() };
    let pointer = at(toolset, "session_parameters");
    let Some(mapping) = reader.mapping(node, &pointer, &SESSION_PARAMETERS) else {
        return Vec::new();
    };
    let mut allowed = Vec::new();
    for (index, text) in reader.strings(mapping, "allow").into_iter().enumerate() {
        let pointer = format!("{}/{index}", at(mapping, "allow"));
        if text.is_empty() || text.starts_with('$') {
            let message = format!("expected the name of a session value, got: `{text}`");
            let help =
                "for example `token` for `$session.params.token` and `$context.variables.token`";
            reader.complain(ConfigCode::WrongValue, pointer, message, help);
            continue;
        }
        allowed.push(AllowedValue { pointer, name: SessionName::new(text) });
    }
    allowed
}

//! Values of the session that are written where nothing fills them in. Keys that take such a value note its text in the reader.

use callgate_settings::{Reader, SettingCode, Severity, pointer_segment};
use callgate_tool::SessionSource;
use callgate_tree::{Node, Object};

/// Refuses values of the session, and the caller's token, in texts whose key takes none: they would be sent as these letters. In a text
/// that is only shown they are a warning.
pub(crate) fn refuse_session_placeholders(reader: &mut Reader, root: &Node) {
    let faults = reader.complaints.iter().filter(|it| it.severity == Severity::Error);
    let refused = faults.map(|it| it.pointer.clone()).collect();
    SessionTexts { reader, refused }.refuse_texts_below(root, "");
}

/// The texts of a configuration that was read.
struct SessionTexts<'r> {
    reader: &'r mut Reader,
    /// The pointers of values that were refused before; what is in them was not read.
    refused: Vec<String>,
}

impl SessionTexts<'_> {
    fn refuse_texts_below(&mut self, node: &Node, pointer: &str) {
        if self.is_exempt_from_check(pointer) {
            return;
        }
        // The name of a member is sent with its value.
        let name = pointer.rsplit('/').next();
        for text in name.into_iter().chain(node.as_str()) {
            self.report_session_value(text, pointer);
        }
        for (at, item) in node.as_array().into_iter().flatten().enumerate() {
            self.refuse_texts_below(item, &format!("{pointer}/{at}"));
        }
        for (name, node) in node.as_object().into_iter().flat_map(Object::iter) {
            self.refuse_texts_below(node, &format!("{pointer}/{}", pointer_segment(name)));
        }
    }

    /// True for what is passed over: nobody gets these letters.
    fn is_exempt_from_check(&self, pointer: &str) -> bool {
        // The key takes a value of the session.
        self.reader.session_texts.contains(pointer)
            // It is filled in for each turn, and checked once its file is read.
            || is_agent_instructions(pointer)
            // It was refused before, with all that is in it.
            || self.refused.iter().any(|refused| refused == pointer)
    }

    fn report_session_value(&mut self, text: &str, pointer: &str) {
        let Some(word) = SessionSource::reference_words_in(text).first().copied() else { return };
        let message =
            format!("expected no value of the session, got: `{word}`, which is not filled in here");
        if is_only_shown(pointer) {
            return self.reader.warn(SettingCode::WrongValue, pointer.to_owned(), &message, HELP);
        }
        self.reader.report_fault(SettingCode::WrongValue, pointer, message, HELP);
    }
}

/// True for the instructions of an agent, which are filled in, and checked once their file is read.
fn is_agent_instructions(pointer: &str) -> bool {
    let key = pointer.strip_prefix("/agents/").and_then(|rest| rest.split_once('/'));
    key.is_some_and(|(_, key)| key == "instructions")
}

/// True for texts that are only shown, to a person or a model.
fn is_only_shown(pointer: &str) -> bool {
    let mut keys = pointer.rsplit('/');
    let is_text = keys.next().is_some_and(|key| SHOWN.contains(&key));
    let is_described = keys.next() == Some("describe");
    (is_text || is_described) && !pointer.split('/').any(|key| SENT.contains(&key))
}

/// Keys of texts that are shown.
const SHOWN: [&str; 3] = ["description", "summary", "title"];

/// Keys whose values are sent, whatever the members in them are called.
const SENT: [&str; 8] = [
    "const",
    "default",
    "defaults",
    "fix",
    "headers",
    "parameters",
    "server_variables",
    "settings",
];

const HELP: &str = "bind an argument with `x-agent-input-parameter` in the description or an overlay; a header in `headers` of a toolset takes such a value as its whole text";

#[cfg(test)]
mod tests {
    use super::is_agent_instructions;
    use crate::Config;

    /// The keys of a toolset that are warned of, or those that are refused.
    fn reported_keys(keys: &str) -> Result<Vec<String>, Vec<String>> {
        let text = format!("toolsets: {{a: {{openapi: a.yaml, {keys}}}}}");
        let key = |pointer: &str| pointer.trim_start_matches("/toolsets/a/").to_owned();
        match Config::from_text(&text, "") {
            Ok(config) => Ok(config.reader.complaints.iter().map(|it| key(&it.pointer)).collect()),
            Err(error) => Err(error.findings().iter().map(|it| key(&it.pointer)).collect()),
        }
    }

    /// Checks which keys of a toolset are refused.
    #[track_caller]
    fn check(keys: &str, expected: &[&str]) {
        let refused: Vec<_> = expected.iter().map(ToString::to_string).collect();
        let expected = if refused.is_empty() { Ok(refused) } else { Err(refused) };
        assert_eq!(reported_keys(keys), expected, "{keys}");
    }

    #[test]
    fn a_value_of_the_session_is_refused_where_nothing_fills_it() {
        check("auth: {bearer: {token: $session.credentials.a}}", &[]);
        check("auth: {bearer: {token: $session.params.a}}", &[]);
        check("headers: {X-A: $session.params.größe, X-B: $context.tier}", &[]);
        let exchange = "token_url: 'https://a.example/t', client_id: c, client_secret: 'env:S'";
        check(
            &format!("auth: {{token_exchange: {{{exchange}, subject_token: $caller.token}}}}"),
            &[],
        );
    }

    #[test]
    fn a_value_of_the_session_that_nothing_fills_in_is_refused_at_its_key() {
        for text in
            ["id-$session.params.a", "${session.params.a}", "Hi $caller.token", "a $context.b"]
        {
            check(&format!("headers: {{X-A: '{text}'}}"), &["headers/X-A"]);
        }
        check("headers: {X-A: $session.params.a $session.params.b}", &["headers/X-A"]);
        check("headers: {x-a: 'id-$session.params.a', x-b: $session.params.b}", &["headers/x-a"]);
        check("server: 'https://a.example/$session.params.name'", &["server"]);
        check("server: $session.params.server", &["server"]);
        check(
            "auth: {basic: {username: $session.params.a, password: 'env:PW'}}",
            &["auth/basic/username"],
        );
        let client = "token_url: 'https://a.example/t', client_id: c, client_secret: 'env:S'";
        check(
            &format!(
                "auth: {{oauth2_client_credentials: {{{client}, audience: $session.params.a, scopes: [$session.params.b]}}}}"
            ),
            &["auth/oauth2_client_credentials/audience", "auth/oauth2_client_credentials/scopes/0"],
        );
    }

    #[test]
    fn no_name_keeps_a_value_of_the_session_from_being_refused() {
        for (key, at) in [
            ("fix: {id: $context.variables.id}", "fix/id"),
            ("fix: {body: {x-id: [$session.params.a]}}", "fix/body/x-id/0"),
            ("defaults: {x-id: $session.params.a}", "defaults/x-id"),
            ("examples: [{x-id: $session.params.a}]", "examples/0/x-id"),
            ("fix: {title: $session.params.a}", "fix/title"),
            ("fix: {body: {description: 'of $session.params.a'}}", "fix/body/description"),
            ("fix: {body: {$session.params.a: 1}}", "fix/body/$session.params.a"),
            ("fix: {instructions: $session.params.a}", "fix/instructions"),
        ] {
            for tool in ["getPet", "x-getPet"] {
                let keys = format!("tools: {{edit: {{{tool}: {{{key}}}}}}}");
                check(&keys, &[&format!("tools/edit/{tool}/{at}")]);
            }
        }
        check("headers: {description: 'of $session.params.a'}", &["headers/description"]);
        for keyword in ["const", "default"] {
            let value = format!("{keyword}: {{title: $session.params.a}}");
            let input = format!("{{type: object, properties: {{a: {{{value}}}}}}}");
            check(
                &format!("functions: [{{name: f, input: {input}}}]"),
                &[&format!("functions/0/input/properties/a/{keyword}/title")],
            );
        }
        let schema =
            "input: {type: object, properties: {a: {x-agent-input-parameter: $session.params.a}}}";
        check(
            &format!("functions: [{{name: f, {schema}}}]"),
            &["functions/0/input/properties/a/x-agent-input-parameter"],
        );
    }

    #[test]
    fn only_the_instructions_of_an_agent_itself_are_filled_in() {
        assert!(is_agent_instructions("/agents/a/instructions"));
        for pointer in ["/agents/a/tools/instructions", "/agents/instructions", "/a/instructions"] {
            assert!(!is_agent_instructions(pointer), "{pointer}");
        }
    }

    #[test]
    fn a_value_of_the_session_in_a_text_for_a_model_is_a_warning() {
        for (key, pointer) in [
            ("description: of $session.params.a", "description"),
            ("describe: {id: of $session.params.a}", "describe/id"),
        ] {
            let edited = format!("tools: {{edit: {{getPet: {{{key}}}}}}}");
            let warned = vec![format!("tools/edit/getPet/{pointer}")];
            assert_eq!(reported_keys(&edited), Ok(warned), "{edited}");
        }
    }

    #[test]
    fn the_settings_of_one_toolset_are_held_to_it_too() {
        let text =
            "openapi: a.yaml\nheaders: {X-A: id-$session.params.a, X-B: $session.params.b}\n";
        let error = Config::from_toolset_text(text, "").unwrap_err();
        let pointers = error.findings().iter().map(|it| it.pointer.as_str());
        assert_eq!(pointers.collect::<Vec<_>>(), ["/headers/X-A"]);
    }
}

//! Values of the session that are written where nothing fills them in. Keys that take such a value note its text in the reader.

use callgate_settings::{Reader, SettingCode, Severity, pointer_segment};
use callgate_tool::SessionSource;
use callgate_tree::{Node, Object};

/// Refuses values of the session, and the caller's token, in texts whose key takes none: they would be sent as these letters. In a text
/// that is only shown they are a warning.
pub(crate) fn refuse_unfilled(reader: &mut Reader, root: &Node) {
    let faults = reader.complaints.iter().filter(|it| it.severity == Severity::Error);
    let refused = faults.map(|it| it.pointer.clone()).collect();
    SessionTexts { reader, refused }.visit(root, "");
}

/// The texts of a configuration that was read.
struct SessionTexts<'r> {
    reader: &'r mut Reader,
    /// The pointers of values that were refused before; what is in them was not read.
    refused: Vec<String>,
}

impl SessionTexts<'_> {
    fn visit(&mut self, node: &Node, pointer: &str) {
        let is_filled = self.reader.session_texts.contains(pointer) || is_instructions(pointer);
        if is_filled || self.refused.iter().any(|refused| refused == pointer) {
            return;
        }
        if let Some(text) = node.as_str() {
            self.refuse_text(text, pointer);
        }
        for (at, item) in node.as_array().into_iter().flatten().enumerate() {
            self.visit(item, &format!("{pointer}/{at}"));
        }
        let members = node.as_object().into_iter().flat_map(Object::iter);
        // Extensions of schemas bind inputs to the session; names of headers may begin like them.
        let is_extension = |name: &str| name.starts_with("x-") && !pointer.ends_with("/headers");
        for (name, node) in members.filter(|(name, _)| !is_extension(name)) {
            self.visit(node, &format!("{pointer}/{}", pointer_segment(name)));
        }
    }

    fn refuse_text(&mut self, text: &str, pointer: &str) {
        let Some(word) = SessionSource::words_in(text).first().copied() else { return };
        let message =
            format!("expected no value of the session, got: `{word}`, which is not filled in here");
        if pointer.rsplit('/').take(2).any(|key| SHOWN.contains(&key)) {
            return self.reader.warn(SettingCode::WrongValue, pointer.to_owned(), &message, HELP);
        }
        self.reader.complain(SettingCode::WrongValue, pointer, message, HELP);
    }
}

/// True for the instructions of an agent, which are filled in, and checked once their file is read.
fn is_instructions(pointer: &str) -> bool {
    pointer.starts_with("/agents/") && pointer.ends_with("/instructions")
}

/// Keys of texts, and of mappings to texts, that are shown to a person or a model.
const SHOWN: [&str; 4] = ["describe", "description", "summary", "title"];

const HELP: &str = "bind an argument with `x-agent-input-parameter` in the description or an overlay; a header in `headers` of a toolset takes such a value as its whole text";

#[cfg(test)]
mod tests {
    use crate::Config;

    /// Checks which keys of a toolset are refused, or warned of.
    #[track_caller]
    fn check(keys: &str, expected: &[&str]) {
        let text = format!("toolsets: {{a: {{openapi: a.yaml, {keys}}}}}");
        let pointers: Vec<_> = match Config::from_text(&text, "") {
            Ok(config) => config.reader.complaints.iter().map(|it| it.pointer.clone()).collect(),
            Err(error) => error.findings().iter().map(|it| it.pointer.clone()).collect(),
        };
        let expected: Vec<_> = expected.iter().map(|key| format!("/toolsets/a/{key}")).collect();
        assert_eq!(pointers, expected, "{keys}");
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
        let fixed = "tools: {edit: {getPet: {fix: {id: $context.variables.id}}}}";
        check(fixed, &["tools/edit/getPet/fix/id"]);
    }

    #[test]
    fn a_value_of_the_session_in_a_text_for_a_model_is_a_warning() {
        for (key, pointer) in [
            ("description: of $session.params.a", "description"),
            ("describe: {id: of $session.params.a}", "describe/id"),
        ] {
            let edited = format!("tools: {{edit: {{getPet: {{{key}}}}}}}");
            check(&edited, &[&format!("tools/edit/getPet/{pointer}")]);
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

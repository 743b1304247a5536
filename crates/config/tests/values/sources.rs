//! Toolsets that name a further kind of source of tools: each fault is a finding at the key that names the source.

use callgate_config::{Description, Kinds, Loader, SourceTools, SourceToolset, ToolSource};
use callgate_tool::{Object, Value, json};

/// Tools of a description, with a setting that is a list nested as deep as the key says.
#[derive(Debug)]
struct Nested;

impl ToolSource for Nested {
    fn keys(&self) -> &'static [&'static str] {
        &["ces_toolset", "dialogflow_tool"]
    }

    fn read(&self, toolset: &mut SourceToolset<'_>) -> Option<SourceTools> {
        let depth: usize = toolset.text("a depth", "for example `'3'`")?.parse().unwrap();
        let list = (0..depth).fold(Value::Null, |inner, _| json!([inner]));
        let settings = Object::from_iter([("tags".to_owned(), list)]);
        let settings = if depth == 0 { Object::new() } else { settings };
        Some(SourceTools::new(Description::text("")).with_settings(settings))
    }
}

#[test]
fn a_source_that_cannot_be_used_is_a_finding_at_its_key() {
    let both = "expected `ces_toolset` or `dialogflow_tool`, got both";
    for (toolset, expected) in [
        ("ces_toolset: '0'", &[][..]),
        ("dialogflow_tool: '0'", &[]),
        ("dialogflow_tool: '0', ces_toolset: '0'", &[("/toolsets/a/ces_toolset", both)]),
        (
            "ces_toolset: '0', openapi: a.yaml",
            &[("/toolsets/a/ces_toolset", "expected `ces_toolset` or `openapi`, got both")],
        ),
        (
            "ces_toolset: '200', server: 'https://a.example.com'",
            &[(
                "/toolsets/a/ces_toolset",
                "expected settings that can be read beside the toolset's, got: ",
            )],
        ),
    ] {
        let loader = Loader::new().with_kinds(Kinds::new().with_source(Nested));
        let read = loader.text(format!("toolsets: {{a: {{{toolset}}}}}"), "");
        let findings = read.err().map(|error| error.findings().to_vec()).unwrap_or_default();
        assert_eq!(findings.len(), expected.len(), "{toolset}: {findings:?}");
        for (finding, (pointer, message)) in findings.iter().zip(expected) {
            assert_eq!(finding.pointer, *pointer, "{toolset}");
            assert!(finding.message.starts_with(message), "{toolset}: {}", finding.message);
        }
    }
}

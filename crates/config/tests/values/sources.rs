//! Toolsets that name a further kind of source of tools: each fault is a finding at the key that names the source.

use callgate_config::{Description, Key, Kinds, Loader, SourceTools, SourceToolset, ToolSource};
use callgate_settings::{Section as _, keys};
use callgate_tool::{Object, Value, json};

/// Tools of a description, with a setting that is a list nested as deep as the key says.
#[derive(Debug)]
struct Nested;

keys! {
    NestedKeys over (), in "a toolset" {
        /// A depth.
        deep => _: String;
        /// A depth.
        nested => _: String;
    }
}

impl ToolSource for Nested {
    fn keys(&self) -> &'static [Key] {
        NestedKeys::KEYS
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
    let both = "expected `deep` or `nested`, got both";
    for (toolset, expected) in [
        ("deep: '0'", &[][..]),
        ("nested: '0'", &[]),
        ("nested: '0', deep: '0'", &[("/toolsets/a/deep", both)]),
        (
            "deep: '0', openapi: a.yaml",
            &[("/toolsets/a/deep", "expected `deep` or `openapi`, got both")],
        ),
        (
            "deep: '200', server: 'https://a.example.com'",
            &[(
                "/toolsets/a/deep",
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

#[test]
fn the_key_of_a_source_replaces_the_absent_one() {
    let absent = const { &[Key::absent("deep", &["depth"])] };
    let features = |kinds: &Kinds| {
        let tables = callgate_config::tables(kinds);
        let toolset = tables.iter().find(|table| table.name == "a toolset").unwrap();
        toolset.absent_feature("deep")
    };
    let kinds = Kinds::new().without(absent, &[]);
    assert_eq!(features(&kinds).as_deref(), Some("depth"));
    assert_eq!(features(&kinds.with_source(Nested)), None);
}

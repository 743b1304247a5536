//! The demo: a pet service whose description and recorded answers are a part of this program, and of the tests.

use std::sync::Arc;

use callgate_config::{Config, Description, Error};
use callgate_transport::{Recording, Refuse, Replay, Transport};

/// The configuration of the demo.
pub(super) fn config() -> Result<Config, Error> {
    let mut config = Config::from_text(SETTINGS, "")?;
    for toolset in &mut config.toolsets {
        toolset.description = Description::text(DESCRIPTION);
    }
    Ok(config)
}

/// What answers its calls.
pub(super) fn transport() -> Arc<dyn Transport> {
    let recordings = CASES.iter().map(|(name, request, response)| Recording {
        name: (*name).to_owned(),
        request: request.to_vec(),
        response: response.to_vec(),
    });
    match Replay::new(recordings) {
        Ok(replay) => Arc::new(replay),
        // They are those of the tests, which read all of them.
        Err(_) => Arc::new(Refuse::new()),
    }
}

/// As `config/demo.yaml`.
const SETTINGS: &str = "toolsets: {pets: {openapi: pets.yaml, auth: {api_key: {in: header, name: X-Api-Key, value: 'literal:demo-key'}}}}";
const DESCRIPTION: &str = include_str!("../../../../fixtures/pets/spec.yaml");

/// A recorded case: its name, its request and its response.
type Case = (&'static str, &'static [u8], &'static [u8]);

macro_rules! case {
    ($name:literal) => {
        (
            $name,
            include_bytes!(concat!("../../../../fixtures/pets/cases/", $name, "/request.http")),
            include_bytes!(concat!("../../../../fixtures/pets/cases/", $name, "/response.http")),
        )
    };
}

const CASES: &[Case] = &[
    case!("a-body-whose-member-collides-is-one-argument"),
    case!("a-bracketed-name-keeps-its-brackets"),
    case!("a-context-value-is-filled-in"),
    case!("a-cookie-is-sent-as-a-header"),
    case!("a-created-pet-answers-201"),
    case!("a-default-counts-without-session-and-model"),
    case!("a-default-is-sent"),
    case!("a-default-satisfies-a-required-input"),
    case!("a-falsy-session-value-counts"),
    case!("a-list-as-a-body-is-one-argument"),
    case!("a-list-in-path-and-header-is-joined"),
    case!("a-list-repeats-or-joins-as-described"),
    case!("a-models-value-for-a-context-input-is-ignored"),
    case!("a-name-in-another-spelling-is-meant"),
    case!("a-nested-object-is-sent-as-it-is"),
    case!("a-number-given-as-text-is-converted-without-loss"),
    case!("a-number-of-thirty-digits-survives"),
    case!("a-payload-value-beats-the-models"),
    case!("a-pet-is-read-by-its-number"),
    case!("a-pet-that-is-not-there-keeps-the-services-json"),
    case!("a-picture-is-handed-back"),
    case!("a-plus-sign-in-the-query-is-encoded"),
    case!("a-redirect-is-told-and-not-followed"),
    case!("a-removed-pet-answers-nothing"),
    case!("a-server-error-in-html-is-a-fault"),
    case!("a-session-parameters-name-ignores-case"),
    case!("a-session-value-beats-the-models"),
    case!("a-session-value-is-converted-without-loss"),
    case!("a-session-value-of-null-is-absent"),
    case!("a-slash-stays-in-its-segment"),
    case!("a-text-answer-is-handed-back-as-text"),
    case!("a-truth-value-is-written-as-a-word"),
    case!("an-absent-context-value-leaves-its-default"),
    case!("an-answer-of-two-hundred-and-html-is-text"),
    case!("an-empty-answer-is-empty"),
    case!("an-object-spreads-over-the-query"),
    case!("digits-beyond-a-double-survive-both-ways"),
    case!("json-that-breaks-off-is-unreadable"),
    case!("letters-beyond-ascii-are-encoded-as-utf-8"),
    case!("null-is-no-value-where-it-is-not-allowed"),
    case!("null-stays-null-where-it-is-allowed"),
    case!("separators-in-a-value-stay-in-the-value"),
    case!("separators-stay-in-the-path"),
    case!("session-values-reach-the-depth-of-a-body"),
    case!("text-that-looks-like-a-reference-is-text"),
    case!("the-models-value-beats-the-default"),
    case!("the-models-value-counts-without-a-session-value"),
    case!("the-models-values-count-at-depth-without-a-session"),
];

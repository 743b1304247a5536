//! Chooses one of two forms for results from the header `Accept` (RFC 9110 §12.5.1).

use http::{HeaderMap, header};

use crate::problem::{Problem, ProblemKind};

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum AcceptedFormat {
    /// An event for each result and each value of a stream.
    Events,
    Json,
}

impl AcceptedFormat {
    /// The preferred form: the one with the higher weight; with equal weights, the one that is named rather than matched by
    /// `*`, and then JSON.
    pub(crate) fn from_headers(headers: &HeaderMap) -> Result<Self, Problem> {
        let Some(ranges) = media_ranges(headers) else { return Ok(Self::Json) };
        let (json, events) = (format_weight(&ranges, "json"), format_weight(&ranges, "events"));
        match (json, events) {
            (None, None) => {
                let detail = "expected `Accept: application/json` or `text/event-stream`";
                Err(Problem::new(ProblemKind::NOT_ACCEPTABLE, detail))
            }
            (json, events) if events > json => Ok(Self::Events),
            _ => Ok(Self::Json),
        }
    }

    /// Refuses a request that does not accept JSON.
    pub(crate) fn check_accepts_json(headers: &HeaderMap) -> Result<(), Problem> {
        if media_ranges(headers).is_none_or(|ranges| format_weight(&ranges, "json").is_some()) {
            return Ok(());
        }
        Err(Problem::new(ProblemKind::NOT_ACCEPTABLE, "expected `Accept: application/json`"))
    }
}

/// The accepted media ranges; `None` without the header.
fn media_ranges(headers: &HeaderMap) -> Option<Vec<Range>> {
    if !headers.contains_key(header::ACCEPT) {
        return None;
    }
    let texts = headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok());
    Some(texts.flat_map(|text| text.split(',')).filter_map(parse_range).collect())
}

/// A media range with its weight in thousandths.
#[derive(Debug)]
struct Range {
    matches: &'static [&'static str],
    /// Higher for more precise ranges: `*/*`, `type/*`, `type/subtype`.
    precision: u8,
    weight: u16,
}

fn parse_range(text: &str) -> Option<Range> {
    let mut parts = text.split(';').map(str::trim);
    let (matches, precision): (&[&str], u8) = match &*parts.next()?.to_ascii_lowercase() {
        "*/*" => (&["json", "events"], 0),
        "application/*" => (&["json"], 1),
        "application/json" => (&["json"], 2),
        "text/*" => (&["events"], 1),
        "text/event-stream" => (&["events"], 2),
        _ => return None,
    };
    let weight = parts.find_map(|part| part.strip_prefix("q=").or_else(|| part.strip_prefix("Q=")));
    let weight = weight.map_or(Some(1.0), |weight| weight.parse::<f32>().ok());
    let weight = weight.filter(|weight| (0.0..=1.0).contains(weight))?;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a weight is from 0 to 1"
    )]
    let weight = (weight * 1000.0) as u16;
    Some(Range { matches, precision, weight })
}

/// The weight of a form in the most precise range that matches it, and that range's precision; `None` if the form is
/// not accepted.
fn format_weight(ranges: &[Range], form: &str) -> Option<(u16, u8)> {
    let matching = ranges.iter().filter(|range| range.matches.contains(&form));
    let best = matching.max_by_key(|range| range.precision)?;
    (best.weight > 0).then_some((best.weight, best.precision))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(accept: &str, expected: Option<AcceptedFormat>) {
        let mut headers = HeaderMap::new();
        headers.insert(header::ACCEPT, accept.parse().unwrap());
        assert_eq!(AcceptedFormat::from_headers(&headers).ok(), expected, "{accept}");
    }

    #[test]
    fn the_accepted_media_type_with_the_highest_weight_is_answered() {
        check("application/json", Some(AcceptedFormat::Json));
        check("text/event-stream", Some(AcceptedFormat::Events));
        check("*/*", Some(AcceptedFormat::Json));
        check("text/event-stream, */*;q=0.1", Some(AcceptedFormat::Events));
        check("text/event-stream, */*", Some(AcceptedFormat::Events));
        check("application/json, text/event-stream", Some(AcceptedFormat::Json));
        check("application/json;q=0.5, text/event-stream;q=0.9", Some(AcceptedFormat::Events));
        check("text/event-stream;q=0, */*", Some(AcceptedFormat::Json));
        check("application/json;q=0, application/*", None);
        check("text/html", None);
    }

    #[test]
    fn a_request_without_an_accept_header_is_answered_with_json() {
        assert_eq!(
            AcceptedFormat::from_headers(&HeaderMap::new()).ok(),
            Some(AcceptedFormat::Json)
        );
        assert!(AcceptedFormat::check_accepts_json(&HeaderMap::new()).is_ok());
    }

    #[test]
    fn a_request_that_does_not_accept_json_is_refused_where_only_json_is_answered() {
        for (accept, is_fine) in
            [("application/*", true), ("text/event-stream", false), ("*/*", true)]
        {
            let mut headers = HeaderMap::new();
            headers.insert(header::ACCEPT, accept.parse().unwrap());
            assert_eq!(AcceptedFormat::check_accepts_json(&headers).is_ok(), is_fine, "{accept}");
        }
    }
}

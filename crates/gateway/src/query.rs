//! The query of a request: each parameter once, and only parameters that the path takes.

use std::{convert::Infallible, str::FromStr};

use axum::extract::FromRequestParts;
use http::{Uri, request::Parts};

use crate::problem::{Problem, ProblemKind};

#[derive(Debug, Default)]
pub(crate) struct Query(Vec<(String, String)>);

impl Query {
    pub(crate) fn from_uri(uri: &Uri) -> Self {
        let pairs = url::form_urlencoded::parse(uri.query().unwrap_or_default().as_bytes());
        Self(pairs.map(|(name, value)| (name.into_owned(), value.into_owned())).collect())
    }

    pub(crate) fn take_parameter(&mut self, name: &str) -> Result<Option<String>, Problem> {
        let mut matching_parameters = self.0.extract_if(.., |(entry, _)| entry == name);
        let first = matching_parameters.next().map(|(_, value)| value);
        match matching_parameters.next() {
            None => Ok(first),
            Some(_) => Err(malformed_query(format!("`{name}`: expected one value, got several"))),
        }
    }

    pub(crate) fn take_parsed<T: FromStr>(
        &mut self,
        name: &str,
        expected: &str,
    ) -> Result<Option<T>, Problem> {
        let Some(text) = self.take_parameter(name)? else { return Ok(None) };
        let parsed =
            text.parse().map_err(|_| malformed_query(format!("`{name}`: expected {expected}")));
        parsed.map(Some)
    }

    /// The first of these parameters that the request has.
    pub(crate) fn first_present<const N: usize>(
        &self,
        names: [&'static str; N],
    ) -> Option<&'static str> {
        names.into_iter().find(|name| self.0.iter().any(|(entry, _)| entry == name))
    }

    /// Refuses the parameters that were not taken.
    pub(crate) fn refuse_remaining(self, expected_parameters: &str) -> Result<(), Problem> {
        match self.0.first() {
            None => Ok(()),
            Some((name, _)) => {
                Err(malformed_query(format!("expected {expected_parameters}, got: `{name}`")))
            }
        }
    }
}

impl<S: Sync> FromRequestParts<S> for Query {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(Self::from_uri(&parts.uri))
    }
}

pub(crate) fn malformed_query(detail: impl Into<String>) -> Problem {
    Problem::new(ProblemKind::MALFORMED_QUERY, detail.into())
}

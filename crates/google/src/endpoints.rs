//! The addresses of Google's services: the public ones, unless the operator sets others (Private Service Connect,
//! another universe, a test).

use url::Url;

/// The addresses of Google's services. `None` is the public address.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Endpoints {
    /// IAM Credentials, which makes tokens of impersonated accounts.
    pub iam_credentials: Option<Url>,
    /// The metadata server of the machine; if it is not set, `GCE_METADATA_HOST` applies.
    pub metadata: Option<Url>,
    /// Secret Manager; the public addresses differ by location.
    pub secret_manager: Option<Url>,
    /// Service Directory.
    pub service_directory: Option<Url>,
    /// The only endpoint at which a key may be exchanged. If it is not set, the key's own `token_uri` applies if it is
    /// Google's.
    pub token: Option<Url>,
}

impl Endpoints {
    pub(crate) fn iam_credentials_url(&self, path: &str) -> String {
        endpoint_url(self.iam_credentials.as_ref(), "https://iamcredentials.googleapis.com", path)
    }

    /// The address of a secret's version; each location of regional secrets has its own server.
    pub(crate) fn secret_manager_url(&self, location: Option<&str>, path: &str) -> String {
        let public = location.map_or_else(
            || "https://secretmanager.googleapis.com".to_owned(),
            |location| format!("https://secretmanager.{location}.rep.googleapis.com"),
        );
        endpoint_url(self.secret_manager.as_ref(), &public, path)
    }

    pub(crate) fn service_directory_url(&self, path: &str) -> String {
        endpoint_url(
            self.service_directory.as_ref(),
            "https://servicedirectory.googleapis.com",
            path,
        )
    }
}

fn endpoint_url(configured: Option<&Url>, public: &str, path: &str) -> String {
    let base = configured.map_or(public, |url| url.as_str().trim_end_matches('/'));
    format!("{base}{path}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(location: Option<&str>, configured: Option<&str>, expected: &str) {
        let secret_manager = configured.map(|url| url.parse().unwrap());
        let endpoints = Endpoints { secret_manager, ..Endpoints::default() };
        assert_eq!(endpoints.secret_manager_url(location, "/v1/x"), expected);
    }

    #[test]
    fn a_secret_is_requested_from_the_server_of_its_location() {
        check(None, None, "https://secretmanager.googleapis.com/v1/x");
        check(
            Some("europe-west1"),
            None,
            "https://secretmanager.europe-west1.rep.googleapis.com/v1/x",
        );
        check(Some("europe-west1"), Some("http://127.0.0.1:1/"), "http://127.0.0.1:1/v1/x");
    }
}

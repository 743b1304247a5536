//! What is Amazon's: keys and where they come from, the signature of a request, the Secrets Manager. Regions are given
//! and not guessed.

mod access_key;
mod finder;
mod keys;
mod metadata;
mod secrets;
mod sign;
mod web_identity;

pub use access_key::AwsKeys;
pub use keys::{AwsKeySource, KeySource, NamedKeys};
pub use secrets::{SecretsManagerConfig, SecretsManagerStore};
pub use sign::{Scope, Signed, sign};

/// The domain of a region's services: China has its own.
fn domain(region: &str) -> &'static str {
    if region.starts_with("cn-") { "amazonaws.com.cn" } else { "amazonaws.com" }
}

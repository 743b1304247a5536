//! Amazon's credentials and services: keys and their sources, the signature of a request, Secrets Manager. The operator
//! names regions; they are never guessed.

#[cfg(not(feature = "aws"))]
mod absent;
mod access_key;
mod finder;
mod keys;
mod metadata;
mod scope;
mod secrets;
#[cfg(feature = "aws")]
mod sign;
mod web_identity;

#[cfg(not(feature = "aws"))]
pub use absent::sign;
pub use access_key::AwsKeys;
pub use keys::{AwsKeySource, KeySource, NamedKeys};
pub use scope::{Scope, Signed};
pub use secrets::{SecretsManagerConfig, SecretsManagerStore};
#[cfg(feature = "aws")]
pub use sign::sign;

/// The domain of a region's services: China has its own domain.
fn region_domain(region: &str) -> &'static str {
    if region.starts_with("cn-") { "amazonaws.com.cn" } else { "amazonaws.com" }
}

//! Sign-ins of browsers: a token is exchanged for a cookie that no script can read and that no other site sends. The token stays
//! in the memory of this process, and is verified for every request.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::{Mutex, OnceLock, PoisonError},
};

use callgate_tool::hexadecimal;
use http::{HeaderMap, header};
use sha2::{Digest as _, Sha256};
use tokio::time::{Duration, Instant};

/// The sign-ins of browsers, and the secret of forms.
#[derive(Default)]
pub(crate) struct SignIns {
    /// The oldest first.
    entries: Mutex<VecDeque<SignIn>>,
    form_secret: OnceLock<[u8; 32]>,
}

struct SignIn {
    /// The digest of the cookie, so that a look-up takes no time that says something about it.
    digest: [u8; 32],
    /// The principal that signed in.
    holder: String,
    token: String,
    ends: Instant,
}

callgate_secret::opaque!(SignIns = "SignIns(****)");

impl SignIns {
    /// The token that a browser exchanged for the cookie that it shows.
    pub(crate) fn token_for_cookie(&self, headers: &HeaderMap) -> Option<String> {
        let digest = Self::cookie_digest(headers)?;
        let entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        let entry = entries.iter().find(|entry| entry.digest == digest)?;
        (entry.ends > Instant::now()).then(|| entry.token.clone())
    }

    /// The digest of the cookie that a browser shows.
    pub(crate) fn cookie_digest(headers: &HeaderMap) -> Option<[u8; 32]> {
        Some(sha256_digest(&[sole_cookie(headers)?.as_bytes()]))
    }

    /// True until the sign-in with a cookie of this digest ends.
    pub(crate) fn is_signed_in(&self, digest: &[u8; 32]) -> bool {
        let entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        entries.iter().any(|entry| entry.digest == *digest && entry.ends > Instant::now())
    }

    /// The token of the forms of a browser: it follows from its cookie, and from a secret of this process.
    pub(crate) fn form_token(&self, headers: &HeaderMap) -> String {
        let secret = self.form_secret.get_or_init(random_bytes);
        let cookie = sole_cookie(headers).unwrap_or_default();
        hexadecimal(&sha256_digest(&[secret, cookie.as_bytes()]))
    }

    /// Keeps a token of a principal under a new cookie. Where there are too many, whoever has most loses the oldest.
    pub(crate) fn keep_under_new_cookie(&self, holder: &str, token: String) -> String {
        let cookie = hexadecimal(&random_bytes());
        let now = Instant::now();
        let digest = sha256_digest(&[cookie.as_bytes()]);
        let holder = holder.to_owned();
        let entry = SignIn { digest, holder, token, ends: now + SIGN_IN_TIME };
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        entries.retain(|entry| entry.ends > now);
        if entries.len() >= MOST_SIGN_INS {
            let mut counts = BTreeMap::<&str, usize>::new();
            for entry in &*entries {
                let count = counts.entry(&entry.holder).or_default();
                *count = count.saturating_add(1);
            }
            let most = counts.values().max().copied();
            let has_most = |entry: &SignIn| counts.get(&*entry.holder).copied() == most;
            let oldest = entries.iter().position(has_most).unwrap_or_default();
            entries.remove(oldest);
        }
        entries.push_back(entry);
        cookie
    }

    pub(crate) fn remove(&self, headers: &HeaderMap) {
        let Some(digest) = Self::cookie_digest(headers) else { return };
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        entries.retain(|entry| entry.digest != digest);
    }
}

/// The cookie of a request; `None` if there are several, of which another site may have set one.
fn sole_cookie(headers: &HeaderMap) -> Option<&str> {
    let texts = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let pairs =
        texts.flat_map(|text| text.split(';')).filter_map(|pair| pair.trim().split_once('='));
    let mut cookies = pairs.filter(|(name, _)| *name == COOKIE).map(|(_, value)| value);
    cookies.next().filter(|_| cookies.next().is_none())
}

fn sha256_digest(parts: &[&[u8]]) -> [u8; 32] {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update(part);
    }
    hasher.finalize().into()
}

#[expect(clippy::expect_used, reason = "a sign-in that can be guessed is worse than none")]
pub(crate) fn random_bytes() -> [u8; 32] {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).expect("every system that runs this has random numbers");
    bytes
}

/// The prefix makes browsers refuse it from other hosts and from pages that are not secure. They take it over plain HTTP from this
/// machine, which counts as secure.
pub(crate) const COOKIE: &str = "__Host-callgate";
const SIGN_IN_TIME: Duration = Duration::from_hours(12);
/// More people than operate one sidecar.
const MOST_SIGN_INS: usize = 1024;

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    fn headers(cookies: &[String]) -> HeaderMap {
        let cookies =
            cookies.iter().map(|text| (header::COOKIE, HeaderValue::from_str(text).unwrap()));
        cookies.collect()
    }

    #[tokio::test(start_paused = true)]
    async fn a_token_is_kept_under_its_cookie_until_it_ends_or_is_removed() {
        let sign_ins = SignIns::default();
        let kim = sign_ins.keep_under_new_cookie("kim", "token-k".to_owned());
        let lee = sign_ins.keep_under_new_cookie("lee", "token-l".to_owned());
        let shown = |cookie: &str| headers(&[format!("a=b; {COOKIE}={cookie}")]);
        assert_eq!(sign_ins.token_for_cookie(&shown(&kim)).as_deref(), Some("token-k"));
        assert_ne!(sign_ins.form_token(&shown(&kim)), sign_ins.form_token(&shown(&lee)));
        let both = headers(&[format!("{COOKIE}={kim}"), format!("{COOKIE}={lee}")]);
        assert_eq!(sign_ins.token_for_cookie(&both), None, "another site may have set one");
        assert_eq!(sign_ins.token_for_cookie(&shown("")), None);
        let digest = SignIns::cookie_digest(&shown(&kim)).unwrap();
        assert!(sign_ins.is_signed_in(&digest));
        sign_ins.remove(&shown(&kim));
        assert!(!sign_ins.is_signed_in(&digest));
        assert_eq!(sign_ins.token_for_cookie(&shown(&kim)), None);
        tokio::time::advance(SIGN_IN_TIME).await;
        assert_eq!(sign_ins.token_for_cookie(&shown(&lee)), None);
        assert!(!format!("{sign_ins:?}").contains("token-"));
    }

    #[tokio::test]
    async fn as_many_sign_ins_are_kept_as_people_need_and_nobody_ends_those_of_others() {
        let sign_ins = SignIns::default();
        let kim = sign_ins.keep_under_new_cookie("kim", "t".to_owned());
        let first = sign_ins.keep_under_new_cookie("lee", "t".to_owned());
        for _ in 0..MOST_SIGN_INS {
            sign_ins.keep_under_new_cookie("lee", "t".to_owned());
        }
        let token =
            |cookie: &str| sign_ins.token_for_cookie(&headers(&[format!("{COOKIE}={cookie}")]));
        assert_eq!((token(&first), token(&kim).as_deref()), (None, Some("t")));
        assert_eq!(sign_ins.entries.lock().unwrap().len(), MOST_SIGN_INS);
    }
}

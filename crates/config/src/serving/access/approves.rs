//! The right to decide about calls of others: `approves` of a principal or an issuer, and the key `four_eyes`, by which
//! nobody decides about their own calls.

use callgate_settings::{Kind, Mapping, Reader, SettingCode, forms, member_pointer};
use callgate_tool::Effect;

use super::{AccessConfig, IssuerConfig};

/// The calls of others that a principal may approve or reject; none by default.
///
/// ```
/// use callgate_config::{Approvable, Approves};
/// use callgate_tool::Effect;
///
/// let approves = Approves(vec![Approvable::Toolset("shop".to_owned())]);
/// assert!(approves.covers("shop", "shop-buy", Effect::Write));
/// assert!(!approves.covers("pets", "pets-list", Effect::Read));
/// ```
#[derive(Clone, Debug, Default, Eq, PartialEq)]
#[expect(clippy::exhaustive_structs, reason = "a list of entries and nothing else")]
pub struct Approves(pub Vec<Approvable>);

/// An entry of `approves`.
#[derive(Clone, Debug, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "adding a variant must break exhaustive matches")]
pub enum Approvable {
    /// Every call with this effect.
    Effect(Effect),
    /// Every call of this tool, by its full name or another one that means no other tool.
    Tool(String),
    /// Every call of the tools of this toolset.
    Toolset(String),
}

impl Approves {
    /// True if calls of this tool are among them.
    pub fn covers(&self, toolset: &str, tool: &str, effect: Effect) -> bool {
        self.0.iter().any(|entry| match entry {
            Approvable::Effect(approvable_effect) => *approvable_effect == effect,
            Approvable::Tool(approvable_tool) => approvable_tool == tool,
            Approvable::Toolset(approvable_toolset) => approvable_toolset == toolset,
        })
    }

    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Approvable {
    /// The entry as it is written.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Effect(effect) => effect.as_str(),
            Self::Tool(name) | Self::Toolset(name) => name,
        }
    }
}

forms! {
    struct ApprovableCalls => Approves, Kind::List(&Kind::Text), |reader, mapping, key| {
        let mut entries = Vec::new();
        for (index, name) in reader.strings(mapping, key).into_iter().enumerate() {
            let pointer = format!("{}/{index}", member_pointer(mapping, key));
            entries.extend(read_approvable(reader, &pointer, name.to_owned()));
        }
        Some(Approves(entries))
    };
}

/// A name that is neither a toolset nor an effect counts as a tool's: which tools there are is known after loading.
fn read_approvable(reader: &mut Reader, pointer: &str, name: String) -> Option<Approvable> {
    let effect = Effect::from_name(&name);
    let is_toolset = reader.toolsets.contains(&name);
    match (effect, is_toolset) {
        (Some(_), true) => {
            let message = format!("expected one meaning, got an effect and a toolset: `{name}`");
            let help = "name the tools of the toolset, or give it another name";
            reader.report_fault(SettingCode::WrongValue, pointer, message, help);
            None
        }
        (Some(effect), false) => Some(Approvable::Effect(effect)),
        (None, true) => Some(Approvable::Toolset(name)),
        (None, false) => Some(Approvable::Tool(name)),
    }
}

/// Reports callers that cannot be told from those who approve their calls, and calls that nobody could ever approve.
pub(super) fn check_four_eyes(reader: &mut Reader, mapping: Mapping<'_>, access: &AccessConfig) {
    let (message, help) = if access.principals.iter().any(|principal| principal.id == "bearer") {
        let message = "expected callers with names of their own, got one token for all: `bearer`";
        (message, "name each caller under `principals` or `jwt`")
    } else if has_differing_principal_claims(access) {
        let message = "expected one claim that names the subjects of an issuer, got several: a person would have two names, and could approve their own calls";
        (message, "write the same `principal_claim` in each entry of the issuer")
    } else if !has_other_approver(access) {
        let message = "expected somebody other than the caller who may approve, got nobody";
        (message, "give another principal or an issuer `approves: [TOOLSET]`")
    } else {
        return;
    };
    reader.report_fault(
        SettingCode::WrongValue,
        member_pointer(mapping, "four_eyes"),
        message,
        help,
    );
}

/// True if the subjects of one issuer are named by several claims.
fn has_differing_principal_claims(access: &AccessConfig) -> bool {
    access.issuers.iter().any(|one| {
        let is_other = |other: &&IssuerConfig| other.issuer == one.issuer;
        let mut others = access.issuers.iter().filter(is_other);
        others.any(|other| other.principal_claim != one.principal_claim)
    })
}

/// True if some caller's calls can be approved by another.
fn has_other_approver(access: &AccessConfig) -> bool {
    let approving = access.principals.iter().filter(|one| !one.rights.approves.is_empty()).count();
    let has_subjects = access.issuers.iter().any(|issuer| !issuer.rights.approves.is_empty());
    let callers = access.principals.len();
    has_subjects || (approving > 0 && (callers > 1 || !access.issuers.is_empty()))
}

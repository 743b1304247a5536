//! The approvals that wait, listed in pages that are bounded in number and bytes, and one of them with its whole request. A large
//! request lies beside its approval, so that a listing does not read it.

use std::{collections::BTreeMap, ops::ControlFlow, time::SystemTime};

use callgate_session::{Error, Group, Key, Space};
use callgate_tool::{Principal, Value};
use tokio::task::yield_now;

use super::{Approvals, now};
use crate::approval_record::{Approval, StoredApproval};

/// The approvals that are looked through.
///
/// ```
/// use callgate_policy::Extent;
/// use callgate_tool::Principal;
///
/// let kim = Principal::new("kim");
/// let (own, all) = (Extent::Own(Some(&kim)), Extent::All);
/// # drop((own, all));
/// ```
#[derive(Clone, Copy, Debug)]
#[doc(hidden)]
#[expect(clippy::exhaustive_enums, reason = "adding a variant must break exhaustive matches")]
pub enum Extent<'a> {
    /// Those of everybody.
    All,
    /// Those of one principal, or of all callers without a name.
    Own(Option<&'a Principal>),
}

/// A page of a listing.
///
/// ```
/// use callgate_policy::{Extent, Listing};
///
/// let first = Listing { extent: Extent::All, after: None, most: 100 };
/// # drop(first);
/// ```
#[derive(Clone, Debug)]
#[doc(hidden)]
pub struct Listing<'a> {
    /// The approvals that are looked through.
    pub extent: Extent<'a>,
    /// The last approval of the page before: when it was asked, and its id.
    pub after: Option<(SystemTime, String)>,
    /// The most approvals of the page.
    pub most: usize,
}

/// The approvals of a page, the oldest first.
///
/// ```
/// use callgate_policy::ApprovalPage;
///
/// let nothing = ApprovalPage { approvals: Vec::new(), has_more: false };
/// assert!(nothing.approvals.is_empty());
/// ```
#[derive(Clone, Debug)]
#[doc(hidden)]
pub struct ApprovalPage {
    /// At least one, unless there is none.
    pub approvals: Vec<Approval>,
    /// True if another page follows.
    pub has_more: bool,
}

/// The oldest approvals that a page has room for.
#[derive(Debug)]
struct Page {
    most: usize,
    kept: BTreeMap<Position, (Approval, usize)>,
    n_bytes: usize,
    /// The first approval that the page has no room for.
    end: Option<Position>,
}

/// The place of an approval in a listing: when it was asked, and its id.
type Position = (SystemTime, String);

impl Page {
    fn new(most: usize) -> Self {
        Self { most, kept: BTreeMap::new(), n_bytes: 0, end: None }
    }

    fn add_within_limits(&mut self, approval: Approval, n_bytes: usize) {
        let position = (approval.asked, approval.id.clone());
        if self.end.as_ref().is_some_and(|end| position >= *end) {
            return;
        }
        self.n_bytes += n_bytes;
        self.kept.insert(position, (approval, n_bytes));
        while self.kept.len() > self.most || self.n_bytes > MOST_BYTES && self.kept.len() > 1 {
            let Some((position, (_, n_bytes))) = self.kept.pop_last() else { return };
            self.n_bytes -= n_bytes;
            self.end = Some(position);
        }
    }
}

impl Approvals {
    /// The approvals that `is_shown` selects, in no order and without requests that are larger than 4 KiB.
    ///
    /// # Errors
    /// The errors of [`Store::list`](callgate_session::Store::list).
    pub async fn list(
        &self,
        is_shown: impl Fn(&Approval) -> bool + Send + Sync,
    ) -> Result<Vec<Approval>, Error> {
        let mut shown = Vec::new();
        let visit = |StoredApproval { approval, .. }: StoredApproval| {
            shown.extend(Some(approval).filter(|it| it.used.is_none() && is_shown(it)));
            ControlFlow::Continue(())
        };
        self.visit_approvals(&extent_group(Extent::All), visit).await?;
        Ok(shown)
    }

    /// The approval of an id with its whole request, if it was not used and `is_shown` selects it.
    ///
    /// # Errors
    /// The errors of [`Store::list`](callgate_session::Store::list).
    pub async fn find(
        &self,
        id: &str,
        is_shown: impl Fn(&Approval) -> bool + Send + Sync,
    ) -> Result<Option<Approval>, Error> {
        self.find_within(Extent::All, id, is_shown).await
    }

    /// A page of the approvals that `is_shown` selects. It has at most 128 KiB of records, and so may have fewer approvals than
    /// it is allowed.
    ///
    /// # Errors
    /// The errors of [`Store::list`](callgate_session::Store::list).
    #[doc(hidden)]
    pub async fn page(
        &self,
        listing: &Listing<'_>,
        is_shown: impl Fn(&Approval) -> bool + Send + Sync,
    ) -> Result<ApprovalPage, Error> {
        let mut page = Page::new(listing.most.max(1));
        let visit = |stored_approval: StoredApproval| {
            let approval = stored_approval.approval;
            let is_behind = listing.after.as_ref().is_none_or(|(asked, id)| {
                (approval.asked, approval.id.as_str()) > (*asked, id.as_str())
            });
            if is_behind && approval.used.is_none() && is_shown(&approval) {
                page.add_within_limits(approval, stored_approval.n_bytes);
            }
            ControlFlow::Continue(())
        };
        self.visit_approvals(&extent_group(listing.extent), visit).await?;
        let has_more = page.end.is_some();
        Ok(ApprovalPage {
            approvals: page.kept.into_values().map(|(it, _)| it).collect(),
            has_more,
        })
    }

    /// [`Approvals::find`] among the approvals of an extent.
    ///
    /// # Errors
    /// The errors of [`Store::list`](callgate_session::Store::list).
    #[doc(hidden)]
    pub async fn find_within(
        &self,
        extent: Extent<'_>,
        id: &str,
        is_shown: impl Fn(&Approval) -> bool + Send + Sync,
    ) -> Result<Option<Approval>, Error> {
        let Some(StoredApproval { key, mut approval, .. }) =
            self.approval_by_id(extent, id).await?
        else {
            return Ok(None);
        };
        if approval.used.is_some() || !is_shown(&approval) {
            return Ok(None);
        }
        if approval.request.is_null() {
            let detail = self.store.get(&key.in_space(Space::Detail), now()).await?;
            // It ends with its approval, which may have been used meanwhile.
            let Some(detail) = detail else { return Ok(None) };
            approval.request = detail.record.read::<Value>()?;
        }
        Ok(Some(approval))
    }

    /// The approval of an id, if it is one of the extent.
    pub(super) async fn approval_by_id(
        &self,
        extent: Extent<'_>,
        id: &str,
    ) -> Result<Option<StoredApproval>, Error> {
        let mut wanted = None;
        let visit = |stored_approval: StoredApproval| {
            if stored_approval.approval.id != id {
                return ControlFlow::Continue(());
            }
            wanted = Some(stored_approval);
            ControlFlow::Break(())
        };
        self.visit_approvals(&extent_group(extent), visit).await?;
        Ok(wanted)
    }

    /// Visits the approvals of a group until `visit` breaks.
    pub(super) async fn visit_approvals(
        &self,
        group: &Group,
        mut visit: impl FnMut(StoredApproval) -> ControlFlow<()> + Send,
    ) -> Result<(), Error> {
        let mut last: Option<Key> = None;
        loop {
            let page = self.store.list(group, last.as_ref(), AT_ONCE, now()).await?;
            let is_last = page.len() < AT_ONCE;
            last = page.last().map(|(key, _)| key.clone());
            let mut stored_approvals =
                page.iter().filter_map(|(key, it)| StoredApproval::from_stored(key.clone(), it));
            if stored_approvals.try_for_each(&mut visit).is_break() || is_last {
                return Ok(());
            }
            // A store in memory never waits, and others want to go on, too.
            yield_now().await;
        }
    }
}

fn extent_group(extent: Extent<'_>) -> Group {
    match extent {
        Extent::All => Group::of_space(Space::Approval),
        Extent::Own(principal) => Group::of_principal(Space::Approval, principal),
    }
}

/// The most bytes of the records of a page.
const MOST_BYTES: usize = 128 << 10;
/// The records that are read at once.
const AT_ONCE: usize = 64;

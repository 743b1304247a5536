//! Tests that a listing is bounded in bytes, reads no large request, and still shows each approval once.

use callgate_session::Group;

use super::*;

/// Asks for a call with an argument of this many bytes.
async fn ask(desk: &Desk, n_bytes: usize, by: &By<'_>) -> String {
    match desk.call(("put", &"x".repeat(n_bytes)), by).await {
        Ended::Asked(pending, _) => {
            assert!(pending.request.to_string().len() > n_bytes, "the person sees it whole");
            pending.id
        }
        other => panic!("nobody was asked: {other:?}"),
    }
}

fn bytes_of(approvals: &[Approval]) -> usize {
    approvals.iter().map(|approval| approval.to_record().unwrap().size()).sum()
}

#[tokio::test]
async fn a_listing_reads_no_large_request_and_one_approval_shows_its_own() {
    let desk = Desk::new();
    let mut ids = Vec::new();
    for _ in 0..20 {
        ids.push(ask(&desk, 90_000, &KIM).await);
    }
    let group = Group::of_space(Space::Approval);
    let records = desk.approvals.store.list(&group, None, 99, now()).await.unwrap();
    let n_bytes: usize = records.iter().map(|(_, stored)| stored.record.size()).sum();
    assert!(records.len() == 20 && n_bytes < 20 * 2_000, "{n_bytes} bytes");
    let listed = desk.list(100).await;
    assert!(listed.approvals.iter().map(|it| &it.id).eq(&ids), "the oldest is the first");
    assert!(listed.approvals.iter().all(|approval| approval.request.is_null()));
    let kim = Principal::new("kim");
    for extent in [Extent::All, Extent::Own(Some(&kim))] {
        let approval =
            desk.approvals.find_within(extent, &ids[7], |_| true).await.unwrap().unwrap();
        assert!(approval.request["body"].as_str().unwrap().len() > 90_000);
        let hidden = desk.approvals.find_within(extent, &ids[7], |_| false).await.unwrap();
        assert_eq!(hidden, None);
    }
    let lee = Principal::new("lee");
    for extent in [Extent::Own(Some(&lee)), Extent::Own(None)] {
        assert_eq!(desk.approvals.find_within(extent, &ids[7], |_| true).await.unwrap(), None);
    }
}

#[tokio::test]
async fn pages_are_bounded_in_bytes_and_show_each_approval_once() {
    let desk = Desk::new();
    let mut ids = Vec::new();
    for n in 0..150 {
        ids.push(ask(&desk, [10, 3_000, 90_000][n % 3], &KIM).await);
    }
    let (mut shown, mut after, mut n_pages) = (Vec::new(), None, 0);
    loop {
        let listing = Listing { extent: Extent::All, after, most: 1_000 };
        let listed = desk.approvals.page(&listing, |_| true).await.unwrap();
        assert!(bytes_of(&listed.approvals) <= 128 << 10, "{}", bytes_of(&listed.approvals));
        n_pages += 1;
        after = listed.approvals.last().map(|last| (last.asked, last.id.clone()));
        shown.extend(listed.approvals.into_iter().map(|approval| approval.id));
        if !listed.has_more {
            break;
        }
    }
    assert!(n_pages > 1);
    assert_eq!(shown, ids);
}

#[tokio::test]
async fn a_large_request_is_forgotten_with_its_use() {
    let desk = Desk::new();
    let details = Group::of_space(Space::Detail);
    let n_details =
        async || desk.approvals.store.list(&details, None, 9, now()).await.unwrap().len();
    let (first, second) = (ask(&desk, 9_000, &KIM).await, ask(&desk, 9_000, &KIM).await);
    assert_eq!(n_details().await, 2);
    let name = "x".repeat(9_000);
    let made = desk.call(("put", &name), &approving(&first)).await;
    assert!(matches!(made, Ended::Made(_)), "{made:?}");
    let rejecting = By { decision: Some((&second, Decision::Reject)), ..KIM };
    let rejected = desk.call(("put", &name), &rejecting).await;
    assert!(matches!(rejected, Ended::Failed(FaultCode::Rejected, _)), "{rejected:?}");
    assert_eq!((n_details().await, desk.n_sent()), (0, 1));
}

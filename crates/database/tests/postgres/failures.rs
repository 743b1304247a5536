//! What the server says of itself, by a trigger that raises its codes.

use callgate_database::Operation;
use callgate_tool::{FaultCode, Next, Reached, json};

use crate::shop::{Shop, entity, settings, user};

const RAISES: &str = "create function public.raises() returns trigger language plpgsql as
        $$ begin if new.note ~ '^[0-9A-Z]{5}$' then raise exception using errcode = new.note; end if; return new; end $$;
    create trigger raises before insert on public.orders for each row execute function public.raises()";

#[tokio::test]
async fn a_server_that_cannot_do_it_now_was_reached() {
    let Some(shop) = Shop::new("failures", settings()).await else { return };
    shop.database.run(RAISES);
    for (sqlstate, code, next) in [
        ("53100", FaultCode::ServiceError, Next::TryLater),
        ("53200", FaultCode::ServiceError, Next::TryLater),
        ("58030", FaultCode::ServiceError, Next::TryLater),
        ("25006", FaultCode::ServiceError, Next::TryLater),
        ("40P01", FaultCode::Conflict, Next::TryLater),
        ("53400", FaultCode::ResponseTooLarge, Next::CorrectArguments),
        ("42601", FaultCode::Internal, Next::GiveUp),
    ] {
        let arguments = json!({"total": 1, "note": sqlstate});
        let fault = shop.fault("shop-orders-create", arguments, &user("ann")).await;
        assert_eq!((fault.code, fault.next), (code, next), "{sqlstate}: {}", fault.message);
        assert_eq!(fault.reached, Reached::Yes, "{sqlstate}");
    }
}

#[tokio::test]
async fn a_condition_that_a_domain_refuses_is_no_change() {
    let (mut settings, mut votes) = (settings(), entity("votes"));
    votes.operations = vec![Operation::List];
    settings.entities.push(votes);
    let script = "create domain above_zero as int check (value > 0);
        create table votes (no int primary key, n above_zero); insert into votes values (1, 2); analyze votes;
        grant select on votes to LOGIN;";
    let Some(shop) = Shop::with("failures_domain", settings, script).await else { return };
    let list = |n: i32| json!({"where": {"n": n}});
    let fault = shop.fault("shop-votes-list", list(0), &user("ann")).await;
    assert_eq!(fault.code, FaultCode::InvalidArguments, "{}", fault.message);
    assert!(!fault.message.contains("the change"), "{}", fault.message);
    let result = shop.call("shop-votes-list", list(2), &user("ann")).await;
    assert_eq!(result["rows"], json!([{"no": 1, "n": 2}]));
}

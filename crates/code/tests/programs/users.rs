//! Programs that wait, and the users under whose tokens they ran: what was recorded for one goes to no other.

use std::sync::{Arc, atomic::Ordering};

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use callgate_code::{CodeSettings, Engine, load_with_store};
use callgate_executor::{
    AnswersSignIns, Backend as _, Builder, Call, Decision, EditedTool, Function,
};
use callgate_policy::{ApprovalRules, Approvals, Confirm};
use callgate_secret::Secret;
use callgate_session::Store;
use callgate_tool::{Effect, Fault, FaultCode, Next, Outcome, Pending, Session, ToolEdit, json};

use crate::shop::{Shop, Test, asked, member, memory, result};

pub(crate) fn tests() -> Vec<Test> {
    vec![
        ("a_program_goes_on_with_a_renewed_token_of_its_user_alone", Box::pin(a_renewed_token())),
        ("another_opaque_token_is_another_user", Box::pin(an_opaque_token())),
        (
            "a_program_without_a_token_belongs_to_the_first_user_who_signs_in",
            Box::pin(a_first_token()),
        ),
        ("a_call_that_waits_for_a_sign_in_binds_no_user", Box::pin(an_expired_token())),
        (
            "a_user_who_signs_in_for_one_more_service_stays_the_user",
            Box::pin(a_second_credential()),
        ),
        ("a_tool_that_is_gone_or_set_otherwise_is_no_other_user", Box::pin(a_changed_tool())),
    ]
}

const READS: &str =
    "mail = await inbox.read()\nawait pets.addPet(name='a')\nmail + await inbox.read()";
const EXPIRED: &str = "expired";

/// A service with mail of its users, and a person who approves what is written.
struct Office {
    store: Arc<dyn Store>,
    /// The tool of the toolset `desk`, and the value that the operator has set for it.
    desk: Option<&'static str>,
}

/// The outcome of a run, and the number of its writes.
struct Ran {
    outcome: Outcome,
    n_writes: usize,
}

impl Office {
    fn new() -> Self {
        Self { store: memory(), desk: None }
    }

    /// Runs a program in a process of its own with the token of a user, or approves what it waits for.
    async fn run(&self, code: &str, token: Option<&str>, approved: Option<&str>) -> Ran {
        let call = |call: Call<'static>| match approved {
            Some(id) => call.with_decision(id, Decision::Approve),
            None => call,
        };
        self.call(code, &session(token), call).await
    }

    async fn call(
        &self,
        code: &str,
        session: &Session,
        with_answer: impl FnOnce(Call<'static>) -> Call<'static>,
    ) -> Ran {
        let mut rules = ApprovalRules::default();
        rules.toolsets.insert("pets".to_owned(), Confirm::Writes);
        let approvals = Approvals::over(rules, Arc::clone(&self.store));
        let mut settings = CodeSettings::new("code", Engine::Monty);
        settings.calls.effects = vec![Effect::Read, Effect::Write];
        let tool = load_with_store(settings, &self.store).unwrap();
        let shop = Shop::of_tool(tool, |builder| {
            let builder = builder.backend(inbox("read", Effect::Read));
            let builder = builder.backend(inbox("send", Effect::Write)).middleware(approvals);
            self.desk.into_iter().fold(builder, add_desk)
        });
        let asked = asked(code);
        let call = Call::new(&asked, session).with_extension(AnswersSignIns).to_static();
        let outcome = shop.executor.call_with(with_answer(call)).await.outcome;
        Ran { outcome, n_writes: shop.traffic.n_writes.load(Ordering::Relaxed) }
    }

    /// Checks that none of these users goes on with the program, and that nothing is sent for them.
    async fn refuses(&self, code: &str, tokens: &[Option<&str>], id: &str) {
        for token in tokens {
            let Ran { outcome, n_writes } = self.run(code, *token, Some(id)).await;
            let Outcome::Failed(fault) = outcome else { panic!("{token:?}: {outcome:?}") };
            assert_eq!((fault.code, n_writes), (FaultCode::SignInRequired, 0), "{fault:?}");
            assert!(fault.message.contains("writes already made: "), "{fault:?}");
        }
    }
}

fn inbox(name: &str, effect: Effect) -> Function {
    let function = Function::new("inbox", name, json!({"type": "object"}), |call| {
        let expired = Secret::new(EXPIRED.to_owned());
        let token = call.session().credential("me");
        let is_signed_in = token.is_some_and(|token| !token.is_same_value(&expired));
        async move {
            let message = "the user has no token that holds, nothing was done";
            let fault = Fault::new(FaultCode::SignInRequired, message, Next::AskUser);
            if is_signed_in { Ok(json!("mail ")) } else { Err(fault) }
        }
    });
    function.unwrap().with_effect(effect)
}

/// Adds a tool whose only argument the operator has set.
fn add_desk(builder: Builder, place: &str) -> Builder {
    let schema = json!({"type": "object", "properties": {"place": {"type": "string"}}});
    let desk = Function::new("desk", "look", schema, |call| {
        let place = call.arguments()["place"].clone();
        async move { place }
    });
    let desk = desk.unwrap().with_effect(Effect::Read);
    let edit = ToolEdit { fix: [("place".to_owned(), json!(place))].into(), ..ToolEdit::default() };
    let tool = desk.declaration().unwrap();
    let (edited, faults) = EditedTool::new(tool, tool.name.clone(), &edit.into());
    assert!(faults.is_empty());
    builder.edited_backend(desk, edited)
}

/// A session with the token of a user, if there is one.
fn session(token: Option<&str>) -> Session {
    token.into_iter().fold(Session::new("s"), |session, token| {
        session.with_credential("me", Secret::new(token.to_owned()))
    })
}

/// A token of a user, as an issuer renews it.
fn jwt(user: &str, issued: u64) -> String {
    let claims = json!({"iss": "https://issuer.example", "sub": user, "iat": issued});
    format!("e30.{}.c2ln", URL_SAFE_NO_PAD.encode(claims.to_string()))
}

#[track_caller]
fn waiting(ran: Ran) -> Box<Pending> {
    let Outcome::Pending(pending) = ran.outcome else { panic!("{:?}", ran.outcome) };
    pending
}

async fn a_renewed_token() {
    let office = Office::new();
    let (first, renewed, lee) = (jwt("kim", 1), jwt("kim", 2), jwt("lee", 1));
    let pending = waiting(office.run(READS, Some(&first), None).await);
    let others = [None, Some(&*lee), Some("opaque")];
    office.refuses(READS, &others, &pending.id).await;
    let ran = office.run(READS, Some(&renewed), Some(&pending.id)).await;
    assert_eq!((result(&ran.outcome).as_str(), ran.n_writes), ("mail mail ", 1));
    // The result that is kept for a repeated decision is not for them either.
    office.refuses(READS, &others, &pending.id).await;
    let again = office.run(READS, Some(&first), Some(&pending.id)).await;
    assert_eq!((result(&again.outcome).as_str(), again.n_writes), ("mail mail ", 0));
}

async fn an_opaque_token() {
    let office = Office::new();
    let pending = waiting(office.run(READS, Some("opaque-1"), None).await);
    office.refuses(READS, &[None, Some("opaque-2")], &pending.id).await;
    let ran = office.run(READS, Some("opaque-1"), Some(&pending.id)).await;
    assert_eq!((result(&ran.outcome).as_str(), ran.n_writes), ("mail mail ", 1));
}

async fn a_first_token() {
    let office = Office::new();
    let code = format!("await pets.getPet(7)\n{READS}");
    let pending = waiting(office.run(&code, None, None).await);
    assert!(pending.id.starts_with(Pending::SIGN_IN), "{pending:?}");
    let (kim, lee) = (jwt("kim", 1), jwt("lee", 1));
    let pending = waiting(office.run(&code, Some(&lee), Some(&pending.id)).await);
    assert!(pending.id.starts_with("approval_"), "{pending:?}");
    office.refuses(&code, &[None, Some(&kim)], &pending.id).await;
    let ran = office.run(&code, Some(&lee), Some(&pending.id)).await;
    assert_eq!((result(&ran.outcome).as_str(), ran.n_writes), ("mail mail ", 1));
}

async fn an_expired_token() {
    let office = Office::new();
    let code = "await inbox.send()";
    let pending = waiting(office.run(code, Some(EXPIRED), None).await);
    // A program that has waited notes a write before it is made.
    let tried =
        office.call(code, &session(Some(EXPIRED)), |call| call.with_approval(&*pending.id)).await;
    assert_eq!(waiting(tried).id, pending.id);
    let ran = office.run(code, Some("renewed"), Some(&pending.id)).await;
    assert_eq!(result(&ran.outcome), "mail ");
}

/// A function may read any credential of the session.
async fn a_second_credential() {
    let office = Office::new();
    let code = format!("await pets.getPet(7)\n{READS}");
    let (kim, lee) = (jwt("kim", 1), jwt("lee", 1));
    let with_shop = |token: Option<&str>, user: &str| {
        session(token).with_credential("shop", Secret::new(user.to_owned()))
    };
    let pending = waiting(office.call(&code, &with_shop(None, &kim), |call| call).await);
    assert!(pending.id.starts_with(Pending::SIGN_IN), "{pending:?}");
    let approve = |call: Call<'static>| call.with_decision(&*pending.id, Decision::Approve);
    let refused = office.call(&code, &with_shop(Some(&kim), &lee), approve).await;
    let Outcome::Failed(fault) = refused.outcome else { panic!("{:?}", refused.outcome) };
    assert_eq!(fault.code, FaultCode::SignInRequired, "{fault:?}");
    let asked = waiting(office.call(&code, &with_shop(Some(&kim), &kim), approve).await);
    assert!(asked.id.starts_with("approval_"), "{asked:?}");
}

async fn a_changed_tool() {
    for later in [None, Some("left")] {
        let mut office = Office { desk: Some("right"), ..Office::new() };
        let code = "await desk.look()\nawait pets.addPet(name='a')";
        let pending = waiting(office.run(code, None, None).await);
        office.desk = later;
        let ran = office.run(code, None, Some(&pending.id)).await;
        let error = member(&ran.outcome, "execution_error");
        assert!(error.starts_with("stale: the tool `desk-look` has changed"), "{error}");
        assert_eq!(ran.n_writes, 0);
    }
}

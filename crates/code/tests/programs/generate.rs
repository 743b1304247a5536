//! Texts that are no program, and a model that writes one: what goes to it, what is repaired, and what never is.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, atomic::Ordering},
};

use callgate_executor::{Builder, Call, Decision};
use callgate_kind::{TextModel, TextReply, TextRequest};
use callgate_policy::{ApprovalRules, Approvals, Confirm};
use callgate_tool::{Effect, Event, Outcome, Session, Value, json};

use crate::shop::{Shop, Test, asked};

pub(crate) fn tests() -> Vec<Test> {
    vec![
        ("a_text_that_is_a_program_runs_as_it_stands", Box::pin(a_program_runs())),
        ("words_and_unknown_names_go_to_the_model", Box::pin(words_go_to_the_model())),
        ("a_program_with_an_error_is_repaired_once", Box::pin(an_error_is_repaired())),
        ("a_program_that_has_written_is_not_repaired", Box::pin(a_write_is_not_repeated())),
        ("a_model_that_gives_no_program_is_a_fault", Box::pin(no_program())),
        ("a_written_program_waits_and_goes_on", Box::pin(a_written_program_waits())),
    ]
}

/// A model that answers from a list, and remembers what it was asked.
#[derive(Clone, Debug, Default)]
struct Scripted {
    answers: Arc<Mutex<VecDeque<Result<String, String>>>>,
    requests: Arc<Mutex<Vec<TextRequest>>>,
}

impl Scripted {
    fn new(answers: &[Result<&str, &str>]) -> Self {
        let owned = |answer: &Result<&str, &str>| answer.map(str::to_owned).map_err(str::to_owned);
        let scripted = Self::default();
        scripted.answers.lock().unwrap().extend(answers.iter().map(owned));
        scripted
    }

    fn model(&self) -> TextModel {
        let scripted = self.clone();
        TextModel::new(move |request| {
            scripted.requests.lock().unwrap().push(request);
            let answer = scripted.answers.lock().unwrap().pop_front();
            let text = answer.unwrap_or_else(|| Err("asked too often".to_owned()));
            Box::pin(async move { TextReply { text, input_tokens: 100, output_tokens: 7 } })
        })
    }

    fn shop(&self) -> Shop {
        self.shop_with(|builder| builder)
    }

    fn shop_with(&self, add: impl FnOnce(Builder) -> Builder) -> Shop {
        let effects = vec![Effect::Read, Effect::Write];
        Shop::with(
            |settings| {
                settings.generate = Some(self.model());
                settings.calls.effects = effects;
            },
            add,
        )
    }

    fn n_requests(&self) -> usize {
        self.requests.lock().unwrap().len()
    }
}

async fn a_program_runs() {
    let scripted = Scripted::new(&[]);
    let shop = scripted.shop();
    for (code, result, error) in [
        ("4 + 4", "8", ""),
        ("(await pets.getPet(7))['name']", "Rex", ""),
        ("1 / 0", "", "ZeroDivisionError"),
        ("total + 1", "", "NameError"),
        ("def f():\n    yield 1\nf()", "", "NotImplementedError"),
    ] {
        let ran = shop.run(code).await;
        assert_eq!((ran.text("execution_result"), ran.text("generated_code")), (result, ""));
        assert!(ran.error().contains(error), "{ran:?}");
    }
    assert_eq!(scripted.n_requests(), 0);
}

async fn words_go_to_the_model() {
    for words in ["what is the sum of 4 and 4", "total", "Berlin, Paris", "x = (1,"] {
        let scripted = Scripted::new(&[Ok("Here it is:\n```python\n4 + 4\n```\nDone.")]);
        let ran = scripted.shop().run(words).await;
        assert_eq!((ran.text("execution_result"), ran.error()), ("8", ""), "{words}");
        assert_eq!(ran.text("generated_code"), "4 + 4");
        let requests = scripted.requests.lock().unwrap();
        let [request] = requests.as_slice() else { panic!("{requests:?}") };
        assert_eq!(request.text, words);
        for part in ["pets.getPet(petId: int", "asyncio (gather)", "await"] {
            assert!(request.instructions.contains(part), "{}", request.instructions);
        }
    }
    let plain = Shop::new().run("what is the sum of 4 and 4").await;
    assert!(plain.error().contains("SyntaxError"), "without a model it is an error: {plain:?}");
}

async fn an_error_is_repaired() {
    let wrong = "pet = await pets.getPet(7)\npet['nmae']";
    let right = "pet = await pets.getPet(7)\npet['name']";
    let scripted = Scripted::new(&[Ok(wrong), Ok(right)]);
    let shop = scripted.shop();
    let ran = shop.run("the name of pet 7").await;
    assert_eq!((ran.text("execution_result"), ran.text("generated_code")), ("Rex", right));
    assert_eq!(shop.traffic.n_calls.load(Ordering::Relaxed), 2);
    let second = scripted.requests.lock().unwrap()[1].text.clone();
    for part in ["the name of pet 7", wrong, "KeyError"] {
        assert!(second.contains(part), "{second}");
    }
    let scripted = Scripted::new(&[Ok(wrong), Ok(right)]);
    let asked = asked("the name of pet 7");
    let result = scripted.shop().executor.call(&asked, &Session::default()).await;
    let spent = Event::ModelAsked { input: 200, output: 14 };
    assert!(result.journal.events().contains(&spent), "{:?}", result.journal);
    // The second error is the answer, and so is the first where the model has no more to say.
    for answers in [&[Ok(wrong), Ok(wrong)][..], &[Ok(wrong), Err("away")]] {
        let scripted = Scripted::new(answers);
        let ran = scripted.shop().run("the name of pet 7").await;
        assert!(ran.error().contains("KeyError"), "{ran:?}");
        assert_eq!((ran.text("generated_code"), scripted.n_requests()), (wrong, 2));
    }
}

async fn a_write_is_not_repeated() {
    let scripted = Scripted::new(&[Ok("await pets.addPet(name='Rex')\n1 / 0"), Ok("1")]);
    let shop = scripted.shop();
    let ran = shop.run("please add Rex").await;
    assert!(ran.error().contains("ZeroDivisionError"), "{ran:?}");
    assert_eq!((shop.traffic.n_writes.load(Ordering::Relaxed), scripted.n_requests()), (1, 1));
}

async fn no_program() {
    let long = "x".repeat(100_001);
    for (answer, why) in [
        (Err("the model is overloaded"), "the model is overloaded"),
        (Ok("```\n```"), "its answer is empty"),
        (Ok(&*long), "too long"),
    ] {
        let shop = Scripted::new(&[answer]).shop();
        let asked = asked("please add Rex");
        let result = shop.executor.call(&asked, &Session::default()).await;
        let Outcome::Failed(fault) = result.outcome else { panic!("{result:?}") };
        assert!(fault.message.contains(why), "{}", fault.message);
    }
}

/// The journal has the written program: the model is not asked again, and the decision is for the words of the call.
async fn a_written_program_waits() {
    let code = "(await pets.addPet(name='Rex'))['added']";
    let scripted = Scripted::new(&[Ok(code)]);
    let mut rules = ApprovalRules::default();
    rules.toolsets.insert("pets".to_owned(), Confirm::Writes);
    let shop = scripted.shop_with(|builder| builder.middleware(Approvals::new(rules)));
    let asked = asked("please add Rex");
    let session = Session::default();
    let result = shop.executor.call(&asked, &session).await;
    let Outcome::Pending(pending) = result.outcome else { panic!("{result:?}") };
    let call = Call::new(&asked, &session).with_decision(&pending.id, Decision::Approve);
    let decided = shop.executor.call_with(call).await;
    let value = Value::parse(decided.text().unwrap()).unwrap();
    assert_eq!(
        (&value["execution_result"], &value["generated_code"]),
        (&json!("True"), &json!(code))
    );
    assert_eq!(scripted.n_requests(), 1);
}

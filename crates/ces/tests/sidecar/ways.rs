//! Ways to a call, or to the result of one × changes between the request and the call: nothing is sent and nothing is shown that the
//! caller could not send or see afresh. Each cell is tried, or is listed as one that makes no sense, with the reason.

/// An enum that knows all its values.
macro_rules! values {
    ($(#[$of_enum:meta])* $name:ident { $($(#[$of_value:meta])* $value:ident,)* }) => {
        $(#[$of_enum])*
        #[derive(Clone, Copy, Debug, Eq, PartialEq)]
        pub(super) enum $name {
            $($(#[$of_value])* $value,)*
        }

        impl $name {
            pub(super) const ALL: [Self; [$(stringify!($value)),*].len()] = [$(Self::$value),*];
        }
    };
}

mod change;
mod surroundings;
mod way;
mod world;

use self::{change::Change, surroundings::Surroundings, way::Way, world::World};

/// The end that a cell of the table expects.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Fate {
    /// The right is there still: the result is seen.
    Kept,
    /// The right is lost: nothing is sent, and nothing is seen.
    Lost,
    /// The cell makes no sense, for this reason.
    Senseless(&'static str),
}

fn fate(way: Way, change: Change) -> Fate {
    if way.runs() && change.is_of_a_request() {
        return Fate::Senseless("a request that runs keeps the credential that it came with");
    }
    match change {
        Change::Nothing | Change::Reload | Change::SamePrincipal => Fate::Kept,
        Change::Agent | Change::AgentOfPrincipal | Change::AgentRemoval if !way.has_agent() => {
            Fate::Senseless("the way leads through no agent")
        }
        Change::Tool | Change::Removal if way == Way::Page => Fate::Senseless(
            "the list shows the caller's own request, and a decision about it finds no tool",
        ),
        _ => Fate::Lost,
    }
}

/// Checks what each way leads to after one change. The ways share a sidecar, and each has a session and keys of its own.
async fn check(surroundings: &Surroundings, change: Change, wrong: &mut Vec<String>) -> usize {
    let world = World::start(surroundings, change).await;
    let ways = Way::ALL.map(|way| (way, fate(way, change)));
    let tried = ways.into_iter().filter(|(_, fate)| !matches!(fate, Fate::Senseless(_)));
    let mut asked = Vec::new();
    for (way, fate) in tried {
        asked.push((way, fate, world.ask(way).await));
    }
    world.change().await;
    let n_tried = asked.len();
    for (way, fate, asked) in asked {
        let n_before = surroundings.n_sent();
        let text = world.make(way, asked).await;
        let n_sent = surroundings.n_sent() - n_before;
        let is_seen = text.contains(surroundings::CANARY);
        let is_right = if fate == Fate::Lost { n_sent == 0 && !is_seen } else { is_seen };
        if !is_right {
            let text: String = text.chars().take(1000).collect();
            wrong.push(format!("{way:?} after {change:?}: {n_sent} sent, {is_seen}: {text}"));
        }
    }
    n_tried
}

#[tokio::test]
async fn nothing_is_sent_or_shown_by_a_right_that_was_lost_on_the_way() {
    let surroundings = Surroundings::start().await;
    let (mut n_tried, mut wrong) = (0, Vec::new());
    for change in Change::ALL {
        n_tried += check(&surroundings, change, &mut wrong).await;
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let n_cells = Way::ALL.len() * Change::ALL.len();
    assert_eq!(n_tried, n_cells - N_SENSELESS, "each other cell is one of the table above");
}

/// Three ways that run × four changes of a request, three changes of the agent × the ways without one, and two cells of the list.
const N_SENSELESS: usize = 3 * 4 + 3 * (Way::ALL.len() - Way::N_WITH_AGENT) + 2;

//! Counts the tokens of a turn: as the model counts them, or estimated where it counts none. Ends the turn where the caller
//! may use no more.

use super::Turn;
use crate::{
    end::{End, EndReason},
    usage::Usage,
    wire::Reply,
};

impl Turn<'_> {
    /// The end of the turn if the budget of its caller is used up. The model is not asked.
    pub(super) async fn end_of_budget(&mut self) -> Option<End> {
        let over = self.spending.as_mut()?.over().await;
        match over {
            Ok(None) => None,
            Ok(Some((said, wait))) => {
                self.retry_after = Some(wait);
                Some(self.end_early(EndReason::Limit, said))
            }
            Err(error) => Some(self.end_early(EndReason::Cancelled, error.to_string())),
        }
    }

    /// Counts a reply and its request.
    pub(super) async fn count(&mut self, reply: &Reply) {
        let mut usage = reply.usage;
        if usage.total() == 0 {
            let n_bytes = reply.messages.iter().map(|message| message.text().len()).sum();
            usage = Usage { input: self.estimated_request(), output: estimated(n_bytes) };
            self.is_estimated = true;
        }
        self.add(usage).await;
    }

    /// Counts a request whose reply nobody waits for any more: the provider has read it all the same.
    pub(super) async fn count_request(&mut self) {
        let usage = Usage { input: self.estimated_request(), output: 0 };
        self.is_estimated = true;
        self.add(usage).await;
    }

    async fn add(&mut self, usage: Usage) {
        self.usage.add(usage);
        if let Some(spending) = &mut self.spending {
            spending.add(usage.total()).await;
        }
    }

    fn estimated_request(&self) -> u64 {
        let messages: usize = self.transcript.messages.iter().map(|it| it.text().len()).sum();
        let tools = self.offered.declarations();
        let tools: usize = tools.iter().map(|it| it.text().len()).sum();
        estimated(messages + tools + self.agent.settings.instructions.len())
    }
}

/// The estimated tokens of a text of JSON: four bytes each.
fn estimated(n_bytes: usize) -> u64 {
    u64::try_from(n_bytes.div_ceil(4)).unwrap_or(u64::MAX)
}

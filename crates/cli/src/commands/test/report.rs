//! The report on fixtures: one line for each case that fails or was recorded, when it ends, and a final summary.

use super::Check;
use crate::output;

#[derive(Debug, Default)]
pub(super) struct Report {
    passed: usize,
    failed: usize,
    recorded: usize,
    files: usize,
}

impl Report {
    pub(super) fn ended(&mut self, name: &str, checks: &[Check]) {
        let broken: Vec<&str> = checks
            .iter()
            .filter_map(|check| match check {
                Check::Broken(what) => Some(what.trim_end()),
                _ => None,
            })
            .collect();
        let mut how_recorded = None;
        for check in checks {
            match check {
                Check::Written(file) => {
                    self.files += 1;
                    output::line(&format!("wrote {}", file.display()));
                }
                Check::Recorded(how) => how_recorded = Some(how),
                Check::Broken(_) | Check::Held => {}
            }
        }
        match (&*broken, how_recorded) {
            ([], None) => self.passed += 1,
            ([], Some(how)) => {
                self.recorded += 1;
                output::result(&format!("recorded {name}: {how}\n"));
            }
            (broken, _) => {
                self.failed += 1;
                output::result(&format!("FAILED {name}: {}\n", broken.join("\n")));
            }
        }
    }

    /// Reports the numbers. Returns true if any case failed.
    pub(super) fn finish(&self) -> bool {
        let mut text = format!("{} passed, {} failed", self.passed, self.failed);
        if self.recorded > 0 {
            text.push_str(&format!(", {} recorded", self.recorded));
        }
        if self.files > 0 {
            text.push_str(&format!(", {} files written", self.files));
        }
        output::result(&format!("{text}\n"));
        self.failed > 0
    }

    pub(super) fn is_empty(&self) -> bool {
        self.passed + self.failed + self.recorded == 0
    }
}

//! Dates and times: those that arguments write, checked against the calendar, and those that databases write, in the form of
//! RFC 3339. SQLite keeps them as texts, so that they are checked there but never written otherwise.

use time::{Date, Month, PrimitiveDateTime, Time, UtcOffset};

use crate::engine::{Ability, DayTimes, Engine, MomentForm};

/// A date, a time, or both, as a text writes them.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
struct Moment<'t> {
    date: Option<Date>,
    time: Option<Time>,
    /// The digits after the second's point.
    fraction: &'t str,
    offset: Option<UtcOffset>,
}

/// The parts that a column's values have.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum MomentParts {
    Date,
    Time { has_zone: bool },
    Timestamp { has_zone: bool },
}

/// A text of these parts, as it is bound; `None` if it is not one.
pub(super) fn bound_text(
    text: &str,
    parts: MomentParts,
    n_digits: usize,
    engine: Engine,
) -> Option<String> {
    let Some(moment) = Moment::from_text(text, parts) else {
        let is_further = match parts {
            MomentParts::Time { has_zone } => !has_zone && is_beyond_a_day(text, n_digits, engine),
            MomentParts::Date | MomentParts::Timestamp { .. } => {
                engine.has(Ability::Infinity) && ["infinity", "-infinity"].contains(&text)
            }
        };
        return is_further.then(|| text.to_owned());
    };
    let has_zone = match parts {
        MomentParts::Date => false,
        MomentParts::Time { has_zone } | MomentParts::Timestamp { has_zone } => has_zone,
    };
    let is_exact = moment.fraction.trim_end_matches('0').len() <= n_digits;
    let form = engine.facts().moment_form;
    let is_zoned = form == MomentForm::Given || moment.offset.is_some() == has_zone;
    if !is_exact || !is_zoned || moment.date.is_some_and(|date| date.year() == 0) {
        return None;
    }
    match form {
        MomentForm::Utc => moment.mariadb_utc_text(),
        MomentForm::Rfc3339 => Some(moment.to_rfc3339()),
        MomentForm::Given => Some(text.to_owned()),
    }
}

/// True for a time that is no time of a day, as the engine has it.
fn is_beyond_a_day(text: &str, n_digits: usize, engine: Engine) -> bool {
    let span = || {
        let (hours, rest) = text.strip_prefix('-').unwrap_or(text).split_once(':')?;
        let (minutes, seconds) = rest.split_once(':')?;
        let (seconds, fraction) = seconds.split_once('.').unwrap_or((seconds, "0"));
        let is_number = |text: &str| !text.is_empty() && text.bytes().all(|it| it.is_ascii_digit());
        let is_below = |text: &str, most: u32| {
            text.len() < 4 && text.parse::<u32>().is_ok_and(|number| number < most)
        };
        let are_numbers = [hours, minutes, seconds, fraction].into_iter().all(is_number);
        let is_within = is_below(hours, 839) && is_below(minutes, 60) && is_below(seconds, 60);
        Some(are_numbers && is_within && fraction.trim_end_matches('0').len() <= n_digits)
    };
    match engine.facts().day_times {
        DayTimes::Spans => span().unwrap_or(false),
        DayTimes::End => text == "24:00:00",
        DayTimes::Clock => false,
    }
}

/// A text that a database wrote, in the form of RFC 3339; `None` if that form cannot say it.
pub(super) fn rfc3339_text(text: &str, parts: MomentParts, engine: Engine) -> Option<String> {
    let form = engine.facts().moment_form;
    if form == MomentForm::Given {
        return None;
    }
    let mut moment = Moment::from_text(text, parts)?;
    match parts {
        MomentParts::Timestamp { has_zone: true } if form == MomentForm::Utc => {
            moment.offset = moment.offset.or(Some(UtcOffset::UTC));
        }
        MomentParts::Time { has_zone } | MomentParts::Timestamp { has_zone }
            if moment.offset.is_some() != has_zone =>
        {
            return None;
        }
        _ => {}
    }
    moment
        .offset
        .is_none_or(|offset| offset.seconds_past_minute() == 0)
        .then(|| moment.to_rfc3339())
}

impl<'t> Moment<'t> {
    fn from_text(text: &'t str, parts: MomentParts) -> Option<Self> {
        let mut moment = Self::default();
        let mut rest = text;
        if !matches!(parts, MomentParts::Time { .. }) {
            let (date, after) = date(rest)?;
            moment.date = Some(date);
            rest = after;
        }
        if let MomentParts::Timestamp { .. } = parts {
            rest = rest.strip_prefix(['T', 't', ' '])?;
        }
        if parts != MomentParts::Date {
            let (time, fraction, after) = clock(rest)?;
            (moment.time, moment.fraction) = (Some(time), fraction);
            (moment.offset, rest) = offset(after)?;
        }
        rest.is_empty().then_some(moment)
    }

    /// The form of RFC 3339, with the fraction as it was written.
    fn to_rfc3339(self) -> String {
        let mut text = self.text_without_offset('T');
        match self.offset {
            None => {}
            Some(offset) if offset.is_utc() => text.push('Z'),
            Some(offset) => {
                let (hours, minutes, _) = offset.as_hms();
                let sign = if offset.is_negative() { '-' } else { '+' };
                text += &format!("{sign}{:02}:{:02}", hours.abs(), minutes.abs());
            }
        }
        text
    }

    /// The form of MariaDB, in UTC if there is a zone.
    fn mariadb_utc_text(mut self) -> Option<String> {
        if let (Some(date), Some(time), Some(offset)) = (self.date, self.time, self.offset) {
            let moment = PrimitiveDateTime::new(date, time).assume_offset(offset);
            let moment = moment.checked_to_offset(UtcOffset::UTC)?;
            (self.date, self.time) = (Some(moment.date()), Some(moment.time()));
        }
        Some(self.text_without_offset(' ')).filter(|_| self.date.is_none_or(|date| date.year() > 0))
    }

    fn text_without_offset(&self, separator: char) -> String {
        let mut text = String::new();
        if let Some(date) = self.date {
            let (year, month, day) = date.to_calendar_date();
            text += &format!("{year:04}-{:02}-{day:02}", u8::from(month));
        }
        if let Some(time) = self.time {
            if !text.is_empty() {
                text.push(separator);
            }
            let (hour, minute, second) = time.as_hms();
            text += &format!("{hour:02}:{minute:02}:{second:02}");
        }
        if !self.fraction.is_empty() {
            text.push('.');
            text.push_str(self.fraction);
        }
        text
    }
}

/// `2026-01-31` and what follows.
fn date(text: &str) -> Option<(Date, &str)> {
    let (year, rest) = number(text, 4)?;
    let (month, rest) = number(rest.strip_prefix('-')?, 2)?;
    let (day, rest) = number(rest.strip_prefix('-')?, 2)?;
    let month = Month::try_from(u8::try_from(month).ok()?).ok()?;
    let date = Date::from_calendar_date(year.into(), month, u8::try_from(day).ok()?).ok()?;
    Some((date, rest))
}

/// `12:00:00.5` as its time, its fraction and what follows.
fn clock(text: &str) -> Option<(Time, &str, &str)> {
    let (hour, rest) = number(text, 2)?;
    let (minute, rest) = number(rest.strip_prefix(':')?, 2)?;
    let (second, rest) = number(rest.strip_prefix(':')?, 2)?;
    let byte = |number| u8::try_from(number).ok();
    let time = Time::from_hms(byte(hour)?, byte(minute)?, byte(second)?).ok()?;
    let Some(digits) = rest.strip_prefix('.') else { return Some((time, "", rest)) };
    let end = digits.find(|digit: char| !digit.is_ascii_digit()).unwrap_or(digits.len());
    let (fraction, rest) = digits.split_at_checked(end)?;
    (!fraction.is_empty()).then_some((time, fraction, rest))
}

/// `Z`, `+02`, `+02:00`, `+02:00:00` or nothing, and what follows.
fn offset(text: &str) -> Option<(Option<UtcOffset>, &str)> {
    if let Some(rest) = text.strip_prefix(['Z', 'z']) {
        return Some((Some(UtcOffset::UTC), rest));
    }
    let sign = match text.chars().next() {
        Some('+') => 1,
        Some('-') => -1,
        _ => return Some((None, text)),
    };
    let (hours, mut rest) = number(text.get(1..)?, 2)?;
    let mut parts = [0_u16; 2];
    for part in &mut parts {
        if let Some(after) = rest.strip_prefix(':') {
            (*part, rest) = number(after, 2)?;
        }
    }
    let [minutes, seconds] = parts.map(|part| i8::try_from(part).ok().filter(|part| *part < 60));
    let hours = i8::try_from(hours).ok().filter(|hours| *hours < 16)?;
    let offset = UtcOffset::from_hms(sign * hours, sign * minutes?, sign * seconds?).ok()?;
    Some((Some(offset), rest))
}

/// A number of exactly so many digits, and what follows.
fn number(text: &str, n_digits: usize) -> Option<(u16, &str)> {
    let (digits, rest) = text.split_at_checked(n_digits)?;
    let is_number = digits.bytes().all(|digit| digit.is_ascii_digit());
    Some((digits.parse().ok().filter(|_| is_number)?, rest))
}

//! Writes a filter as the service takes it: `(a: ANY("x", "y") OR n > 1) AND NOT d < "2026-01-01"`. The grammar's literals are in
//! double quotes, in which `\` and `"` have a `\` before them; mixed expressions always stand in parentheses.

use callgate_tool::Number;

use super::{Condition, Expression, Operand, RangeBound, Test};

/// A text or a number that the grammar has no literal for.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Unwritable;

/// The text of an expression.
///
/// # Errors
/// [`Unwritable`] for a text with control characters, a number that is none of the service's, or a value of a session, which has
/// to be read before.
pub(crate) fn expression_text(expression: &Expression) -> Result<String, Unwritable> {
    let mut out = String::new();
    write_expression(&mut out, expression)?;
    Ok(out)
}

/// True for a text that a literal can hold.
pub(crate) fn has_no_control_characters(text: &str) -> bool {
    !text.chars().any(char::is_control)
}

fn write_expression(out: &mut String, expression: &Expression) -> Result<(), Unwritable> {
    match expression {
        Expression::All(parts) => write_joined(out, parts, " AND "),
        Expression::Any(parts) => write_joined(out, parts, " OR "),
        Expression::Is(condition) => write_condition(out, condition),
        Expression::Not(negated) => {
            out.push_str("NOT ");
            match &**negated {
                Expression::Not(_) => write_in_parentheses(out, negated),
                negated => parenthesize_unless_single(out, negated),
            }
        }
    }
}

fn write_joined(out: &mut String, parts: &[Expression], joint: &str) -> Result<(), Unwritable> {
    for (at, expression) in parts.iter().enumerate() {
        if at > 0 {
            out.push_str(joint);
        }
        match parts.len() {
            1 => write_expression(out, expression)?,
            _ => parenthesize_unless_single(out, expression)?,
        }
    }
    Ok(())
}

/// A part beside others: only a single condition needs no parentheses.
fn parenthesize_unless_single(out: &mut String, expression: &Expression) -> Result<(), Unwritable> {
    let is_single = match expression {
        Expression::Is(_) => true,
        Expression::Not(negated) => matches!(**negated, Expression::Is(_)),
        Expression::All(_) | Expression::Any(_) => false,
    };
    if is_single {
        write_expression(out, expression)
    } else {
        write_in_parentheses(out, expression)
    }
}

fn write_in_parentheses(out: &mut String, expression: &Expression) -> Result<(), Unwritable> {
    out.push('(');
    write_expression(out, expression)?;
    out.push(')');
    Ok(())
}

fn write_condition(
    out: &mut String,
    Condition { field, test }: &Condition,
) -> Result<(), Unwritable> {
    out.push_str(field);
    match test {
        Test::Any(operands) => {
            out.push_str(": ANY(");
            write_operands_and_close(out, operands)
        }
        Test::Between([low, high]) => {
            out.push_str(": IN(");
            write_bound(out, low)?;
            out.push_str(", ");
            write_bound(out, high)?;
            out.push(')');
            Ok(())
        }
        Test::Compare(comparison, value) => {
            out.push_str(&format!(" {} ", comparison.sign().ok_or(Unwritable)?));
            write_operand(out, value)
        }
        Test::Near(operands) => {
            out.push_str(": GEO_DISTANCE(");
            write_operands_and_close(out, operands)
        }
    }
}

fn write_operands_and_close(out: &mut String, operands: &[Operand]) -> Result<(), Unwritable> {
    for (at, value) in operands.iter().enumerate() {
        if at > 0 {
            out.push_str(", ");
        }
        write_operand(out, value)?;
    }
    out.push(')');
    Ok(())
}

fn write_bound(out: &mut String, bound: &RangeBound) -> Result<(), Unwritable> {
    match bound {
        RangeBound::Open => out.push('*'),
        RangeBound::At(value, kind) => {
            write_operand(out, value)?;
            out.extend(kind);
        }
    }
    Ok(())
}

fn write_operand(out: &mut String, operand: &Operand) -> Result<(), Unwritable> {
    match operand {
        Operand::Number(value) => write_number(out, value),
        Operand::Session(_) => Err(Unwritable),
        Operand::Text(value) => write_text(out, value),
    }
}

/// The grammar's numbers are doubles without an exponent.
fn write_number(out: &mut String, number: &Number) -> Result<(), Unwritable> {
    let digits = number.digits().to_string();
    let is_plain = |byte: u8| byte.is_ascii_digit() || b"-.".contains(&byte);
    if digits.bytes().all(is_plain) {
        out.push_str(&digits);
        return Ok(());
    }
    let value = number.as_f64().filter(|value| value.is_finite()).ok_or(Unwritable)?;
    out.push_str(&value.to_string());
    Ok(())
}

fn write_text(out: &mut String, text: &str) -> Result<(), Unwritable> {
    if !has_no_control_characters(text) {
        return Err(Unwritable);
    }
    out.push('"');
    for character in text.chars() {
        if matches!(character, '"' | '\\') {
            out.push('\\');
        }
        out.push(character);
    }
    out.push('"');
    Ok(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::filter::Filter;

    fn any(text: &str) -> Expression {
        let test = Test::Any(vec![Operand::Text(text.to_owned())]);
        Expression::Is(Condition { field: "f".to_owned(), test })
    }

    #[test]
    fn a_text_with_control_characters_and_an_endless_number_have_no_literal() {
        assert_eq!(expression_text(&any("a\nb")), Err(Unwritable));
        let endless = Number::from_digits("1e999").unwrap();
        let test = Test::Compare(callgate_kind::Operator::Eq, Operand::Number(endless));
        let condition = Condition { field: "f".to_owned(), test };
        assert_eq!(expression_text(&Expression::Is(condition)), Err(Unwritable));
    }

    proptest! {
        #[test]
        fn a_text_stays_one_literal_with_any_characters(text in "[^\\p{Cc}]{0,40}") {
            let written = expression_text(&any(&text)).unwrap();
            let read: Filter = written.parse().unwrap();
            prop_assert_eq!(read.0, any(&text));
        }

        #[test]
        fn a_written_filter_is_read_as_it_was(
            shape in proptest::collection::vec((0_u8..4, "[a-z]{1,5}"), 1..8)
        ) {
            let mut tree = any("x");
            for (kind, text) in shape {
                tree = match kind {
                    0 => Expression::All(vec![tree, any(&text)]),
                    1 => Expression::Any(vec![any(&text), tree]),
                    2 => Expression::Not(Box::new(tree)),
                    _ => tree,
                };
            }
            let read: Filter = expression_text(&tree).unwrap().parse().unwrap();
            prop_assert_eq!(read.0, tree);
        }
    }
}

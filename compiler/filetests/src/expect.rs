//! Expectations of kernel files: the contents of an argument after a run, and how contents are written.

use crate::Scalar;
use std::fmt::Write;

/// Differences shown of one expectation at most.
const SHOWN: usize = 8;

/// Tolerated distance of a float from the expectation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Tolerance {
    /// Same bits (any NaN equals any NaN).
    Exact,
    /// Units in the last place of the expected value.
    Ulp(f64),
    /// Absolute difference.
    Abs(f64),
}

/// Expected contents of an argument's buffer.
#[derive(Clone, Debug)]
pub struct Expect {
    /// Line of the directive, from 1.
    pub line: usize,
    /// Argument number.
    pub arg: usize,
    /// Type of the elements.
    pub scalar: Scalar,
    /// Elements in little-endian bytes; `None` for `?`.
    pub elements: Vec<Option<Vec<u8>>>,
    /// Tolerance of every element.
    pub tolerance: Tolerance,
}

pub(crate) fn number<T: std::str::FromStr>(text: &str) -> Result<T, String> {
    text.parse().map_err(|_| format!("{text:?} is no number"))
}

/// An element as written, before `?` and addresses are told apart from contents.
pub(crate) enum Element {
    Any,
    Bytes(Vec<u8>),
    Address { arg: usize, offset: u64 },
}

fn element(scalar: Scalar, text: &str) -> Result<Element, String> {
    if text == "?" {
        return Ok(Element::Any);
    }
    let Some(place) = text.strip_prefix('@') else {
        return scalar.encode(text).map(Element::Bytes);
    };
    let (arg, offset) = place.split_once('+').unwrap_or((place, "0"));
    if scalar.bytes() != 8 {
        return Err(format!("{text:?} takes 8 bytes"));
    }
    Ok(Element::Address {
        arg: number(arg)?,
        offset: number(offset)?,
    })
}

/// Elements with `n*x` and `a..b` spelled out.
pub(crate) fn elements(scalar: Scalar, words: &[&str]) -> Result<Vec<Element>, String> {
    let mut list = Vec::new();
    for word in words {
        if let Some((count, value)) = word.split_once('*') {
            for _ in 0..number(count)? {
                list.push(element(scalar, value)?);
            }
        } else if let Some((first, last)) = word.split_once("..") {
            for value in number::<i64>(first)?..=number(last)? {
                list.push(element(scalar, &value.to_string())?);
            }
        } else {
            list.push(element(scalar, word)?);
        }
    }
    Ok(list)
}

/// Reads an expectation: the type, the elements and the tolerance.
pub(crate) fn expectation(line: usize, arg: &str, text: &str) -> Result<Expect, String> {
    let mut words: Vec<&str> = text.split_whitespace().collect();
    let mut tolerance = Tolerance::Exact;
    if let [.., kind @ ("ulp" | "abs"), amount] = words[..] {
        let amount = number(amount)?;
        tolerance = match kind {
            "ulp" => Tolerance::Ulp(amount),
            _ => Tolerance::Abs(amount),
        };
        words.truncate(words.len() - 2);
    }
    let (scalar, _) = Scalar::parse_type(words.first().ok_or("an expectation needs a type")?)?;
    let expected = |element| match element {
        Element::Any => Ok(None),
        Element::Bytes(bytes) => Ok(Some(bytes)),
        Element::Address { .. } => Err("an address cannot be expected".to_string()),
    };
    Ok(Expect {
        line,
        arg: number(arg.trim())?,
        scalar,
        elements: elements(scalar, &words[1..])?
            .into_iter()
            .map(expected)
            .collect::<Result<_, _>>()?,
        tolerance,
    })
}

impl Expect {
    /// Compares a buffer's contents with the expectation.
    ///
    /// # Errors
    /// The first elements that differ.
    pub fn check(&self, got: &[u8]) -> Result<(), String> {
        let size = self.scalar.bytes();
        if got.len() < self.elements.len() * size {
            return Err(format!(
                "expects {} elements of a buffer of {} bytes",
                self.elements.len(),
                got.len()
            ));
        }
        let mut wrong = String::new();
        let mut count = 0;
        for (index, (want, have)) in self.elements.iter().zip(got.chunks(size)).enumerate() {
            let Some(want) = want else { continue };
            if !self.accepts(want, have) {
                count += 1;
                if count <= SHOWN {
                    // Writing to a String cannot fail.
                    let _ = writeln!(
                        wrong,
                        "  [{index}] is {}, expected {}",
                        self.scalar.show(have),
                        self.scalar.show(want)
                    );
                }
            }
        }
        if count == 0 {
            Ok(())
        } else {
            Err(format!(
                "argument {}: {count} elements differ\n{wrong}",
                self.arg
            ))
        }
    }

    fn accepts(&self, want: &[u8], have: &[u8]) -> bool {
        if want == have {
            return true;
        }
        let (Some(a), Some(b)) = (self.scalar.value(want), self.scalar.value(have)) else {
            return false;
        };
        if a.is_nan() || b.is_nan() {
            return a.is_nan() && b.is_nan();
        }
        match self.tolerance {
            Tolerance::Exact => false,
            Tolerance::Abs(limit) => (a - b).abs() <= limit,
            Tolerance::Ulp(limit) => a == b || (a - b).abs() <= limit * self.scalar.ulp(a),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Expect, Tolerance};
    use crate::Scalar;

    #[test]
    fn tolerances() {
        let expect = |tolerance| Expect {
            line: 1,
            arg: 0,
            scalar: Scalar::F32,
            elements: vec![Some(1f32.to_le_bytes().to_vec())],
            tolerance,
        };
        let next = f32::from_bits(1f32.to_bits() + 1).to_le_bytes();
        assert!(expect(Tolerance::Exact).check(&next).is_err());
        assert!(expect(Tolerance::Ulp(1.0)).check(&next).is_ok());
        assert!(expect(Tolerance::Ulp(0.5)).check(&next).is_err());
        assert!(expect(Tolerance::Abs(1e-6)).check(&next).is_ok());
    }
}

//! Names of matrices' types and operations.

use super::super::{ConvertOp, MatrixOp, MatrixType};
use pumice_target::matrix::{Component, Use};

fn letter(which: Use) -> &'static str {
    match which {
        Use::A => "a",
        Use::B => "b",
        Use::Accumulator => "c",
    }
}

fn order(row_major: bool) -> &'static str {
    if row_major { "row" } else { "column" }
}

fn is_row_major(word: &str) -> Option<bool> {
    match word {
        "row" => Some(true),
        "column" => Some(false),
        _ => None,
    }
}

impl std::fmt::Display for MatrixType {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (which, component) = (letter(self.which), self.component.name());
        write!(f, "{which}.{component}.{}x{}", self.rows, self.columns)
    }
}

impl MatrixType {
    /// The type that words such as `a`, `half`, `16x16` name.
    pub fn from_words(words: &[&str]) -> Option<Self> {
        let &[which, component, size] = words else {
            return None;
        };
        let (rows, columns) = size.split_once('x')?;
        Some(MatrixType {
            which: (Use::ALL.into_iter()).find(|&known| letter(known) == which)?,
            component: (Component::ALL.into_iter()).find(|known| known.name() == component)?,
            rows: rows.parse().ok()?,
            columns: columns.parse().ok()?,
        })
    }
}

impl MatrixOp {
    /// `load.row`, `length.a.half.16x16`, …
    pub(super) fn name(self) -> String {
        match self {
            MatrixOp::Load { row_major } => format!("load.{}", order(row_major)),
            MatrixOp::Store { row_major } => format!("store.{}", order(row_major)),
            MatrixOp::Fits { ty, row_major } => format!("fits.{}.{ty}", order(row_major)),
            MatrixOp::MultiplyAdd { saturating: false } => "multiply_add".into(),
            MatrixOp::MultiplyAdd { saturating: true } => "multiply_add.sat".into(),
            MatrixOp::Length(ty) => format!("length.{ty}"),
            MatrixOp::Fill => "fill".into(),
            MatrixOp::Get => "get".into(),
            MatrixOp::Set => "set".into(),
            MatrixOp::Convert(op) => format!("convert.{}", op.name()),
        }
    }

    /// The operation that dotted words name.
    pub(super) fn from_words(words: &[&str]) -> Option<Self> {
        Some(match *words {
            ["load", order] => MatrixOp::Load {
                row_major: is_row_major(order)?,
            },
            ["store", order] => MatrixOp::Store {
                row_major: is_row_major(order)?,
            },
            ["fits", order, ref ty @ ..] => MatrixOp::Fits {
                ty: MatrixType::from_words(ty)?,
                row_major: is_row_major(order)?,
            },
            ["multiply_add"] => MatrixOp::MultiplyAdd { saturating: false },
            ["multiply_add", "sat"] => MatrixOp::MultiplyAdd { saturating: true },
            ["length", ref ty @ ..] => MatrixOp::Length(MatrixType::from_words(ty)?),
            ["fill"] => MatrixOp::Fill,
            ["get"] => MatrixOp::Get,
            ["set"] => MatrixOp::Set,
            ["convert", op] => MatrixOp::Convert(ConvertOp::from_name(op)?),
            _ => return None,
        })
    }
}

//! Types that words spell: `unsigned long`.
use super::Sema;
use crate::lang::types::{IntKind, TypeId, TypeTable};
use crate::parse::ast::TypeWord;
use crate::source::Span;

impl<'a> Sema<'a> {
    /// The type of the words, with the errors of those that do not go together.
    pub(super) fn word_type(&mut self, words: &[(TypeWord, Span)]) -> Option<TypeId> {
        let mut base: Option<(TypeWord, Span)> = None;
        let mut sign: Option<(TypeWord, Span)> = None;
        let mut longs = 0;
        for &(word, span) in words {
            let clash = match word {
                TypeWord::Signed | TypeWord::Unsigned => sign.replace((word, span)),
                TypeWord::Long if matches!(base, None | Some((TypeWord::Long, _))) => {
                    longs += 1;
                    base = Some((word, span));
                    if longs > 2 { base } else { None }
                }
                TypeWord::Int if matches!(base, Some((TypeWord::Long | TypeWord::Short, _))) => {
                    None
                }
                TypeWord::Long | TypeWord::Short if matches!(base, Some((TypeWord::Int, _))) => {
                    longs += u32::from(word == TypeWord::Long);
                    base = Some((word, span));
                    None
                }
                TypeWord::Complex => {
                    self.error(span, "complex types are not supported in OpenCL C");
                    return None;
                }
                _ => base.replace((word, span)),
            };
            if let Some((previous, _)) = clash {
                let message = if previous == word {
                    format!("duplicate '{}' declaration specifier", word_name(word))
                } else {
                    format!(
                        "cannot combine with previous '{}' declaration specifier",
                        word_name(previous)
                    )
                };
                self.error(span, message);
                return None;
            }
        }
        let signed = !matches!(sign, Some((TypeWord::Unsigned, _)));
        let (word, span) = base.or(sign)?;
        let int = |bits| Some(TypeTable::int(IntKind::of(bits, signed)));
        match word {
            TypeWord::Char => int(8),
            TypeWord::Short => int(16),
            TypeWord::Int | TypeWord::Signed | TypeWord::Unsigned => int(32),
            TypeWord::Long => int(64),
            other => {
                if let Some((_, sign_span)) = sign {
                    let message = format!("'{}' cannot be signed or unsigned", word_name(other));
                    self.error(sign_span, message);
                    return None;
                }
                let ty = match other {
                    TypeWord::Void => TypeTable::VOID,
                    TypeWord::Bool => TypeTable::BOOL,
                    TypeWord::Half => TypeTable::HALF,
                    TypeWord::Float => TypeTable::FLOAT,
                    _ => TypeTable::DOUBLE,
                };
                self.check_float_allowed(ty, span)?;
                Some(ty)
            }
        }
    }
}

fn word_name(word: TypeWord) -> &'static str {
    match word {
        TypeWord::Void => "void",
        TypeWord::Bool => "bool",
        TypeWord::Char => "char",
        TypeWord::Short => "short",
        TypeWord::Int => "int",
        TypeWord::Long => "long",
        TypeWord::Half => "half",
        TypeWord::Float => "float",
        TypeWord::Double => "double",
        TypeWord::Signed => "signed",
        TypeWord::Unsigned => "unsigned",
        TypeWord::Complex => "_Complex",
    }
}

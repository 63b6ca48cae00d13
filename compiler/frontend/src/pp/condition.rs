//! The expressions of `#if` and `#elif`: integer constants of 64 bits, evaluated as they are read.

use super::literal::{Number, parse_char, parse_number};
use super::token::Punct;
use super::{Guard, Preprocessor, Token, TokenKind};

/// Parentheses inside parentheses at most.
const MAX_DEPTH: u32 = 1000;

#[derive(Clone, Copy, Debug)]
struct Value {
    bits: i64,
    unsigned: bool,
}

impl Value {
    fn of(truth: bool) -> Self {
        Self {
            bits: i64::from(truth),
            unsigned: false,
        }
    }
}

/// Reported already.
struct Invalid;

struct Evaluator<'p, 'a> {
    pp: &'p mut Preprocessor<'a>,
    /// One token ahead.
    token: Token,
    depth: u32,
    /// Behind `0 &&` and the like: values do not matter, division by zero is no error.
    dead: u32,
}

impl Preprocessor<'_> {
    /// Evaluates the expression up to the end of the line. An invalid one counts as false.
    ///
    /// `first` says that the directive is the first thing in its file: `#if !defined(X)` is an
    /// include guard then.
    pub(super) fn if_expression(&mut self, first: bool) -> bool {
        self.in_condition = true;
        if first {
            self.guard_by_expression();
        }
        let directive = self.files.last().map(|f| f.lexer.loc()).unwrap_or_default();
        let token = self.condition_token();
        let mut evaluator = Evaluator {
            pp: self,
            token,
            depth: 0,
            dead: 0,
        };
        let result = if token.kind == TokenKind::EndOfLine {
            evaluator
                .pp
                .diagnostics
                .error(directive, "expected value in expression");
            Err(Invalid)
        } else {
            evaluator.ternary().and_then(|v| evaluator.finish(v))
        };
        self.in_condition = false;
        while !matches!(self.next_raw().kind, TokenKind::EndOfLine | TokenKind::Eof) {}
        result.is_ok_and(|v| v.bits != 0)
    }

    /// Recognises `! defined X` and `! defined ( X )` as the whole expression.
    fn guard_by_expression(&mut self) {
        let Some(file) = self.files.last_mut() else {
            return;
        };
        let mut lexer = file.lexer.clone();
        let mut kinds = [TokenKind::Eof; 6];
        for kind in &mut kinds {
            *kind = lexer.next(self.names, self.diagnostics).kind;
            if *kind == TokenKind::EndOfLine {
                break;
            }
        }
        let [
            TokenKind::Punct(Punct::Bang),
            TokenKind::Ident(word),
            rest @ ..,
        ] = kinds
        else {
            file.guard = Guard::Broken;
            return;
        };
        let name = match rest {
            [TokenKind::Ident(name), TokenKind::EndOfLine, ..]
            | [
                TokenKind::Punct(Punct::LParen),
                TokenKind::Ident(name),
                TokenKind::Punct(Punct::RParen),
                TokenKind::EndOfLine,
            ] => Some(name),
            _ => None,
        };
        file.guard = match name {
            Some(name) if self.names.bytes(word) == b"defined" => Guard::Inside(name),
            _ => Guard::Broken,
        };
    }

    /// The next token of a condition: expanded, with `defined` answered.
    fn condition_token(&mut self) -> Token {
        loop {
            let token = self.next_raw();
            let TokenKind::Ident(name) = token.kind else {
                return token;
            };
            if self.names.bytes(name) == b"defined" {
                return self.defined_operator(token);
            }
            if token.flags & super::NO_EXPAND != 0 {
                return token;
            }
            let Some(id) = self.definition(name) else {
                return token;
            };
            if self.macros[id as usize].disabled {
                return token;
            }
            if let Some(token) = self.expand(token, id) {
                return token;
            }
        }
    }

    /// `defined X`, `defined(X)`: the answer as a number.
    fn defined_operator(&mut self, token: Token) -> Token {
        let mut name = self.next_raw();
        let parenthesised = name.kind == TokenKind::Punct(Punct::LParen);
        let open = name.loc;
        if parenthesised {
            name = self.next_raw();
        }
        let mut ok = true;
        let answer = match name.kind {
            TokenKind::Ident(symbol) => self.is_defined(symbol),
            _ => {
                ok = false;
                self.diagnostics
                    .error(name.loc, "operator 'defined' requires an identifier");
                false
            }
        };
        if name.kind == TokenKind::EndOfLine {
            return name;
        }
        if parenthesised && ok {
            let close = self.next_raw();
            if close.kind != TokenKind::Punct(Punct::RParen) {
                self.diagnostics
                    .error(close.loc, "missing ')' after 'defined'")
                    .note(open, "to match this '('");
            }
        }
        let digit = self.names.intern(if answer { "1" } else { "0" });
        Token {
            kind: TokenKind::Number(digit),
            ..token
        }
    }
}

/// Binary operators by increasing strength.
fn precedence(kind: TokenKind) -> Option<(u8, Punct)> {
    let TokenKind::Punct(punct) = kind else {
        return None;
    };
    let strength = match punct {
        Punct::PipePipe => 1,
        Punct::AmpAmp => 2,
        Punct::Pipe => 3,
        Punct::Caret => 4,
        Punct::Amp => 5,
        Punct::EqualEqual | Punct::BangEqual => 6,
        Punct::Less | Punct::Greater | Punct::LessEqual | Punct::GreaterEqual => 7,
        Punct::LessLess | Punct::GreaterGreater => 8,
        Punct::Plus | Punct::Minus => 9,
        Punct::Star | Punct::Slash | Punct::Percent => 10,
        _ => return None,
    };
    Some((strength, punct))
}

impl Evaluator<'_, '_> {
    fn advance(&mut self) {
        if self.token.kind != TokenKind::EndOfLine {
            self.token = self.pp.condition_token();
        }
    }

    fn fail(&mut self, message: &str) -> Invalid {
        self.pp.diagnostics.error(self.token.loc, message);
        Invalid
    }

    fn finish(&mut self, value: Value) -> Result<Value, Invalid> {
        if self.token.kind == TokenKind::EndOfLine {
            return Ok(value);
        }
        Err(self.fail("expected end of line in preprocessor expression"))
    }

    fn ternary(&mut self) -> Result<Value, Invalid> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(self.fail("preprocessor expression is nested too deeply"));
        }
        let condition = self.binary(1)?;
        let mut value = condition;
        if self.token.kind == TokenKind::Punct(Punct::Question) {
            let truth = condition.bits != 0;
            self.advance();
            self.dead += u32::from(!truth);
            let then = self.ternary()?;
            self.dead -= u32::from(!truth);
            if self.token.kind != TokenKind::Punct(Punct::Colon) {
                return Err(self.fail("expected ':' in preprocessor expression"));
            }
            self.advance();
            self.dead += u32::from(truth);
            let otherwise = self.ternary()?;
            self.dead -= u32::from(truth);
            value = if truth { then } else { otherwise };
            value.unsigned = then.unsigned || otherwise.unsigned;
        }
        self.depth -= 1;
        Ok(value)
    }

    fn binary(&mut self, weakest: u8) -> Result<Value, Invalid> {
        let mut left = self.unary()?;
        while let Some((strength, punct)) = precedence(self.token.kind) {
            if strength < weakest {
                break;
            }
            let operator = self.token;
            self.advance();
            let dead = match punct {
                Punct::AmpAmp => left.bits == 0,
                Punct::PipePipe => left.bits != 0,
                _ => false,
            };
            self.dead += u32::from(dead);
            let right = self.binary(strength + 1)?;
            self.dead -= u32::from(dead);
            left = self.apply(punct, left, right, operator)?;
        }
        Ok(left)
    }

    fn apply(&mut self, op: Punct, a: Value, b: Value, at: Token) -> Result<Value, Invalid> {
        let unsigned = a.unsigned || b.unsigned;
        let (x, y) = (a.bits, b.bits);
        let (ux, uy) = (x as u64, y as u64);
        let less = if unsigned { ux < uy } else { x < y };
        let bits = match op {
            Punct::PipePipe => return Ok(Value::of(x != 0 || y != 0)),
            Punct::AmpAmp => return Ok(Value::of(x != 0 && y != 0)),
            Punct::EqualEqual => return Ok(Value::of(x == y)),
            Punct::BangEqual => return Ok(Value::of(x != y)),
            Punct::Less => return Ok(Value::of(less)),
            Punct::GreaterEqual => return Ok(Value::of(!less)),
            Punct::Greater => return Ok(Value::of(!less && x != y)),
            Punct::LessEqual => return Ok(Value::of(less || x == y)),
            Punct::LessLess | Punct::GreaterGreater => {
                let bits = match (op, a.unsigned) {
                    (Punct::LessLess, _) => x.wrapping_shl(y as u32),
                    (_, true) => (ux.wrapping_shr(y as u32)) as i64,
                    (_, false) => x.wrapping_shr(y as u32),
                };
                return Ok(Value {
                    bits,
                    unsigned: a.unsigned,
                });
            }
            Punct::Pipe => x | y,
            Punct::Caret => x ^ y,
            Punct::Amp => x & y,
            Punct::Plus => x.wrapping_add(y),
            Punct::Minus => x.wrapping_sub(y),
            Punct::Star => x.wrapping_mul(y),
            _ => {
                if y == 0 {
                    if self.dead > 0 {
                        return Ok(Value { bits: 0, unsigned });
                    }
                    self.pp
                        .diagnostics
                        .error(at.loc, "division by zero in preprocessor expression");
                    return Err(Invalid);
                }
                match (op, unsigned) {
                    (Punct::Slash, true) => (ux / uy) as i64,
                    (Punct::Slash, false) => x.wrapping_div(y),
                    (_, true) => (ux % uy) as i64,
                    (_, false) => x.wrapping_rem(y),
                }
            }
        };
        Ok(Value { bits, unsigned })
    }

    fn unary(&mut self) -> Result<Value, Invalid> {
        let mut operators = Vec::new();
        while let TokenKind::Punct(op @ (Punct::Bang | Punct::Tilde | Punct::Minus | Punct::Plus)) =
            self.token.kind
        {
            operators.push(op);
            self.advance();
        }
        let mut value = self.primary()?;
        for op in operators.iter().rev() {
            value = match op {
                Punct::Bang => Value::of(value.bits == 0),
                Punct::Tilde => Value {
                    bits: !value.bits,
                    ..value
                },
                Punct::Minus => Value {
                    bits: value.bits.wrapping_neg(),
                    ..value
                },
                _ => value,
            };
        }
        Ok(value)
    }

    fn primary(&mut self) -> Result<Value, Invalid> {
        let value = match self.token.kind {
            TokenKind::Number(s) => match parse_number(self.pp.names.resolve(s)) {
                Ok(Number::Int {
                    value,
                    unsigned,
                    decimal,
                    ..
                }) => Value {
                    bits: value as i64,
                    unsigned: unsigned || (!decimal && value > i64::MAX as u64),
                },
                Ok(Number::Float { .. }) => {
                    return Err(self.fail("floating point literal in preprocessor expression"));
                }
                Err(e) => return Err(self.fail(&e.message)),
            },
            TokenKind::Char(s) => match parse_char(self.pp.names.bytes(s)) {
                Ok(value) => Value {
                    bits: i64::from(value),
                    unsigned: false,
                },
                Err(e) => return Err(self.fail(&e.message)),
            },
            // A name that is no macro is 0 (C99 6.10.1), `true` included.
            TokenKind::Ident(name) => {
                let truth = self.pp.names.bytes(name) == b"true";
                let called = self.token;
                self.advance();
                if self.token.kind == TokenKind::Punct(Punct::LParen) {
                    let text = self.pp.names.resolve(name);
                    let message = format!("function-like macro '{text}' is not defined");
                    self.pp.diagnostics.error(called.loc, message);
                    return Err(Invalid);
                }
                return Ok(Value::of(truth));
            }
            TokenKind::Punct(Punct::LParen) => {
                self.advance();
                let mut value = self.ternary()?;
                // C99 6.6p3 has commas only where nothing is evaluated; clang has them everywhere.
                while self.token.kind == TokenKind::Punct(Punct::Comma) {
                    self.advance();
                    value = self.ternary()?;
                }
                if self.token.kind != TokenKind::Punct(Punct::RParen) {
                    return Err(self.fail("expected ')' in preprocessor expression"));
                }
                value
            }
            TokenKind::EndOfLine => {
                return Err(self.fail("expected value in expression"));
            }
            _ => return Err(self.fail("expected value in expression")),
        };
        self.advance();
        Ok(value)
    }
}

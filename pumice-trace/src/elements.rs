//! The elements of a JSON array, one at a time: a trace may be larger than memory.
//!
//! Only the array itself is understood here; whoever takes an element reads it. A file that ends before its
//! bracket is a trace that was cut short, which is no error.

use std::fmt;
use std::io::{self, BufRead};

/// No element is longer than this, in bytes: an event takes some hundred.
const LONGEST: usize = 1 << 20;

/// A reason why a file cannot be read as a trace.
#[derive(Debug)]
pub enum Fault {
    /// The system's.
    Io(io::Error),
    /// The text's: its line, from 1, and what is wrong.
    Text(u64, String),
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Io(error) => write!(f, "{error}"),
            Fault::Text(line, what) => write!(f, "line {line}: {what}"),
        }
    }
}

/// The place in the array.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Before,
    First,
    Inside,
    After,
}

/// Reads elements.
pub struct Elements<R> {
    input: R,
    place: Place,
    /// The line that is being read.
    line: u64,
    element: Vec<u8>,
    cut: bool,
}

impl<R: BufRead> Elements<R> {
    /// Nothing read yet.
    pub fn new(input: R) -> Self {
        Self {
            input,
            place: Place::Before,
            line: 1,
            element: Vec::new(),
            cut: false,
        }
    }

    /// Tells whether the array ended without its bracket.
    pub fn is_cut(&self) -> bool {
        self.cut
    }

    /// The next element and the line that it begins in; `None` at the end.
    ///
    /// # Errors
    /// A file that cannot be read, or is no array.
    pub fn next_element(&mut self) -> Result<Option<(u64, &[u8])>, Fault> {
        if self.place == Place::Before {
            match self.skip_space()? {
                Some(b'[') => self.place = Place::First,
                _ => return Err(self.fault("no array of events begins here")),
            }
            self.input.consume(1);
        }
        if self.place == Place::After {
            return Ok(None);
        }
        let first = self.place == Place::First;
        self.place = Place::Inside;
        self.skip_space()?;
        let line = self.line;
        let ended = self.take_element()?;
        while self.element.last().is_some_and(u8::is_ascii_whitespace) {
            self.element.pop();
        }
        match ended {
            End::Comma if self.element.is_empty() => {
                return Err(self.fault("an event is missing before the comma"));
            }
            End::Comma => {}
            End::Bracket => {
                self.place = Place::After;
                // A writer that died between a comma and the event behind it.
                self.cut = self.element.is_empty() && !first;
                if self.skip_space()?.is_some() {
                    return Err(self.fault("text behind the array"));
                }
            }
            End::File { whole } => {
                self.place = Place::After;
                self.cut = true;
                if !whole {
                    self.element.clear();
                }
            }
        }
        match self.element.is_empty() {
            true => Ok(None),
            false => Ok(Some((line, &self.element))),
        }
    }

    fn fault(&self, what: &str) -> Fault {
        Fault::Text(self.line, what.to_string())
    }

    /// Goes to the next byte that is no space; `None` at the end of the file.
    fn skip_space(&mut self) -> Result<Option<u8>, Fault> {
        loop {
            let bytes = self.input.fill_buf().map_err(Fault::Io)?;
            if bytes.is_empty() {
                return Ok(None);
            }
            let space = bytes.iter().take_while(|b| b.is_ascii_whitespace()).count();
            let found = bytes.get(space).copied();
            self.line += newlines(&bytes[..space]);
            self.input.consume(space);
            if found.is_some() {
                return Ok(found);
            }
        }
    }

    /// Copies bytes up to the comma or bracket that ends the element, and skips that.
    fn take_element(&mut self) -> Result<End, Fault> {
        self.element.clear();
        let mut scan = Scan::default();
        loop {
            let bytes = self.input.fill_buf().map_err(Fault::Io)?;
            if bytes.is_empty() {
                let whole = scan.depth == 0 && !scan.in_string;
                return Ok(End::File { whole });
            }
            let end = bytes.iter().position(|&byte| scan.ends_before(byte));
            let taken = end.unwrap_or(bytes.len());
            self.line += newlines(&bytes[..taken]);
            self.element.extend_from_slice(&bytes[..taken]);
            let last = end.map(|at| bytes[at]);
            self.input.consume(taken + usize::from(end.is_some()));
            if self.element.len() > LONGEST {
                return Err(self.fault("an event of more than 1 MiB"));
            }
            match last {
                Some(b',') => return Ok(End::Comma),
                Some(_) => return Ok(End::Bracket),
                None => {}
            }
        }
    }
}

fn newlines(bytes: &[u8]) -> u64 {
    bytes.iter().filter(|&&byte| byte == b'\n').count() as u64
}

/// The end of an element.
enum End {
    Comma,
    Bracket,
    /// The file ends; `whole` if nothing was open.
    File {
        whole: bool,
    },
}

/// Brackets and strings around the current byte.
#[derive(Default)]
struct Scan {
    depth: u32,
    in_string: bool,
    escaped: bool,
}

impl Scan {
    /// Takes a byte; tells whether the element ends before it.
    fn ends_before(&mut self, byte: u8) -> bool {
        if self.in_string {
            match byte {
                _ if self.escaped => self.escaped = false,
                b'\\' => self.escaped = true,
                b'"' => self.in_string = false,
                _ => {}
            }
            return false;
        }
        match byte {
            b'"' => self.in_string = true,
            b'{' | b'[' => self.depth += 1,
            b'}' | b']' if self.depth > 0 => self.depth -= 1,
            b',' | b']' => return self.depth == 0,
            _ => {}
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::Elements;
    use std::io::BufReader;

    /// The elements with their lines, whether the text is cut, or the fault. The buffer is small, so that
    /// elements cross its ends.
    fn read(text: &str) -> Result<(Vec<(u64, String)>, bool), String> {
        let mut elements = Elements::new(BufReader::with_capacity(3, text.as_bytes()));
        let mut found = Vec::new();
        loop {
            let next = elements.next_element().map_err(|fault| fault.to_string())?;
            let Some((line, bytes)) = next else { break };
            found.push((line, String::from_utf8_lossy(bytes).into_owned()));
        }
        Ok((found, elements.is_cut()))
    }

    fn texts(text: &str) -> (Vec<String>, bool) {
        let (found, cut) = read(text).unwrap();
        (found.into_iter().map(|(_, text)| text).collect(), cut)
    }

    #[test]
    fn elements_are_split_at_their_own_level() {
        let text = "[\n{\"a\":[1,2],\"b\":\"],\\\"}\"},\n 7 ,\n[]\n]\n";
        let (found, cut) = read(text).unwrap();
        let wanted = [
            (2, "{\"a\":[1,2],\"b\":\"],\\\"}\"}".to_string()),
            (3, "7".to_string()),
            (4, "[]".to_string()),
        ];
        assert_eq!((found.as_slice(), cut), (&wanted[..], false));
        assert_eq!(texts("[]"), (vec![], false));
    }

    #[test]
    fn a_cut_array_gives_what_is_whole() {
        assert_eq!(texts("["), (vec![], true));
        assert_eq!(texts("[{},{\"a\":\"b"), (vec!["{}".to_string()], true));
        assert_eq!(texts("[{},{}\n"), (vec!["{}".to_string(); 2], true));
        // A new event had begun to replace the bracket.
        assert_eq!(texts("[{},]\n"), (vec!["{}".to_string()], true));
        assert_eq!(texts("[{},\n\n"), (vec!["{}".to_string()], true));
    }

    #[test]
    fn other_texts_are_faults_with_their_line() {
        let none = "line 1: no array of events begins here";
        assert_eq!(read("").unwrap_err(), none);
        assert_eq!(read("{}").unwrap_err(), none);
        assert_eq!(read("[]\n[]").unwrap_err(), "line 2: text behind the array");
        let missing = "line 2: an event is missing before the comma";
        assert_eq!(read("[{},\n,{}]").unwrap_err(), missing);
        let long = format!("[\"{}\"]", "x".repeat(2 << 20));
        let fault = read(&long).unwrap_err();
        assert_eq!(fault, "line 1: an event of more than 1 MiB");
    }
}

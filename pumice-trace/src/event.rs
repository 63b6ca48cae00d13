//! One event of a trace, read from its JSON text.

use serde_json::{Map, Value};

/// The kind of work that a slice shows: its category in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A call of OpenCL.
    Call,
    /// A build, or a stage of one.
    Build,
    /// A command that the device ran.
    Device,
    /// A command of a queue that the host ran.
    Host,
    /// Kernels that a kernel enqueued.
    Enqueued,
    /// Anything else.
    Other,
}

impl Kind {
    fn of(category: &str) -> Self {
        match category {
            "api" => Kind::Call,
            "build" => Kind::Build,
            "device" => Kind::Device,
            "host" => Kind::Host,
            "enqueued" => Kind::Enqueued,
            _ => Kind::Other,
        }
    }
}

/// The process and the track of an event.
pub type Place = (u64, u64);

/// An event.
#[derive(Debug)]
pub enum Event {
    /// Work with a beginning and an end, in nanoseconds of the host's clock.
    Slice {
        /// The track.
        place: Place,
        /// The kind of work.
        kind: Kind,
        /// The name.
        name: String,
        /// The beginning.
        start: u64,
        /// The end, not before the beginning.
        end: u64,
        /// Details.
        args: Map<String, Value>,
    },
    /// A fact about a track or a process.
    Fact {
        /// The track.
        place: Place,
        /// The fact's name.
        name: String,
        /// The fact.
        args: Map<String, Value>,
    },
    /// An event that the report has no use for.
    Ignored,
}

/// Latest time, in nanoseconds: a century.
const LATEST: f64 = 3.2e18;

/// Reads an event.
///
/// # Errors
/// The first fault that it has.
pub fn read(text: &[u8]) -> Result<Event, String> {
    let value: Value = serde_json::from_slice(text).map_err(|error| error.to_string())?;
    let Value::Object(mut event) = value else {
        return Err("an event must be an object".to_string());
    };
    let phase = string(&event, "ph")?;
    if !["X", "M"].contains(&phase.as_str()) {
        return Ok(Event::Ignored);
    }
    let place = (number(&event, "pid")?, number(&event, "tid")?);
    let name = string(&event, "name")?;
    let args = match event.remove("args") {
        Some(Value::Object(args)) => args,
        None => Map::new(),
        Some(_) => return Err("\"args\" must be an object".to_string()),
    };
    if phase == "M" {
        return Ok(Event::Fact { place, name, args });
    }
    let start = time(&event, "ts")?;
    let kind = Kind::of(event.get("cat").and_then(Value::as_str).unwrap_or_default());
    Ok(Event::Slice {
        place,
        kind,
        name,
        start,
        end: start + time(&event, "dur")?,
        args,
    })
}

fn string(event: &Map<String, Value>, key: &str) -> Result<String, String> {
    let value = event.get(key).and_then(Value::as_str);
    let value = value.ok_or_else(|| format!("the event has no text \"{key}\""))?;
    Ok(value.to_string())
}

fn number(event: &Map<String, Value>, key: &str) -> Result<u64, String> {
    let value = event.get(key).and_then(Value::as_u64);
    value.ok_or_else(|| format!("the event has no number \"{key}\""))
}

/// Nanoseconds; the file has microseconds.
fn time(event: &Map<String, Value>, key: &str) -> Result<u64, String> {
    let value = event.get(key).and_then(Value::as_f64);
    let nanoseconds = (value.unwrap_or(-1.0) * 1000.0).round();
    match (0.0..LATEST).contains(&nanoseconds) {
        true => Ok(nanoseconds as u64),
        false => Err(format!("the event has no time \"{key}\"")),
    }
}

#[cfg(test)]
mod tests {
    use super::{Event, Kind, read};

    #[test]
    fn slices_have_times_and_details() {
        let text = br#"{"ph":"X","pid":7,"tid":1000000,"cat":"device","name":"k","ts":5.001,"dur":2,"args":{"bytes":8}}"#;
        let Ok(Event::Slice {
            place,
            kind,
            name,
            start,
            end,
            args,
        }) = read(text)
        else {
            panic!("a slice")
        };
        assert_eq!(
            (place, kind, name.as_str()),
            ((7, 1_000_000), Kind::Device, "k")
        );
        assert_eq!((start, end), (5_001, 7_001));
        assert_eq!(args["bytes"], 8);
    }

    #[test]
    fn other_phases_are_ignored() {
        assert!(matches!(read(br#"{"ph":"i"}"#), Ok(Event::Ignored)));
    }

    #[test]
    fn what_is_wrong_is_named() {
        let of = |text: &str| read(text.as_bytes()).unwrap_err();
        assert_eq!(of("7"), "an event must be an object");
        assert_eq!(of("{}"), "the event has no text \"ph\"");
        let start = r#"{"ph":"X","pid":1,"tid":2,"name":"n","#;
        assert_eq!(
            of(&format!("{start}\"ts\":-1}}")),
            "the event has no time \"ts\""
        );
        assert_eq!(
            of(&format!("{start}\"ts\":1,\"dur\":1e300}}")),
            "the event has no time \"dur\""
        );
        assert_eq!(
            of(&format!("{start}\"args\":1}}")),
            "\"args\" must be an object"
        );
        assert_eq!(
            of(r#"{"ph":"X","pid":-1}"#),
            "the event has no number \"pid\""
        );
        assert!(
            of("{\"ph\"").starts_with("EOF while parsing"),
            "{}",
            of("{\"ph\"")
        );
    }
}

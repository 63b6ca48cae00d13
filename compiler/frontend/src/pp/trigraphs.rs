//! Trigraphs: three characters for one that a keyboard lacks (C99 5.2.1.1).
use std::rc::Rc;

/// Replaces the trigraphs of a file. They go before all else is read, line splices and comments included;
/// places in messages are those of the text without them.
pub(super) fn replace(text: Rc<[u8]>) -> Rc<[u8]> {
    let Some(mut at) = text.windows(3).position(|w| meaning(w).is_some()) else {
        return text;
    };
    let mut out = text[..at].to_vec();
    while let Some(&byte) = text.get(at) {
        let known = text.get(at..at + 3).and_then(meaning);
        out.push(known.unwrap_or(byte));
        at += if known.is_some() { 3 } else { 1 };
    }
    out.into()
}

fn meaning(trigraph: &[u8]) -> Option<u8> {
    Some(match trigraph {
        b"??=" => b'#',
        b"??/" => b'\\',
        b"??'" => b'^',
        b"??(" => b'[',
        b"??)" => b']',
        b"??!" => b'|',
        b"??<" => b'{',
        b"??>" => b'}',
        b"??-" => b'~',
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn only_trigraphs_are_replaced() {
        let replaced = |text: &str| super::replace(text.as_bytes().into());
        assert_eq!(&*replaced("a ? b : c ??"), b"a ? b : c ??");
        assert_eq!(
            &*replaced("??=x ??(1??)??/\n???? ???-??"),
            b"#x [1]\\\n???? ?~??"
        );
    }
}

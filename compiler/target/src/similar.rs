//! Names that are alike, for "did you mean".

/// The name among `candidates` most like `name`, if one is close enough to be meant.
pub fn closest(name: &str, candidates: impl Iterator<Item = String>) -> Option<String> {
    if name.len() < 3 {
        return None;
    }
    let limit = (name.len() / 3).min(3);
    let mut best: Option<(usize, String)> = None;
    for candidate in candidates {
        // A name cut short may lack more.
        let is_cut = name.starts_with(&candidate) || candidate.starts_with(name);
        let limit = limit + usize::from(is_cut);
        if candidate == name || candidate.len().abs_diff(name.len()) > limit {
            continue;
        }
        let distance = distance(name.as_bytes(), candidate.as_bytes(), limit);
        if distance <= limit && best.as_ref().is_none_or(|(d, _)| distance < *d) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, name)| name)
}

/// Edits (insert, delete, replace, swap of neighbours) between two names; any number above
/// `limit` when there are more.
fn distance(a: &[u8], b: &[u8], limit: usize) -> usize {
    let width = b.len() + 1;
    let mut before: Vec<usize> = vec![0; width];
    let mut last: Vec<usize> = (0..width).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; width];
        for j in 1..width {
            let cost = usize::from(a[i - 1] != b[j - 1]);
            row[j] = (last[j] + 1).min(row[j - 1] + 1).min(last[j - 1] + cost);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before[j - 2] + 1);
            }
        }
        if row.iter().all(|&d| d > limit) {
            return limit + 1;
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

/// The message for a word that is no option, with the one of `names` that may be meant.
pub fn unknown_option(word: &str, names: impl Iterator<Item = String>) -> String {
    let message = format!("unknown argument: '{word}'");
    if !word.starts_with('-') {
        return message + "; options begin with '-', and values with blanks need quotes";
    }
    match meant(word, &names.collect::<Vec<_>>()) {
        Some(name) => format!("{message}; did you mean '{name}'?"),
        None => message,
    }
}

/// Options of C compilers with those that do the same here.
const FOREIGN: &[(&str, &str)] = &[
    ("-ffast-math", "-cl-fast-relaxed-math"),
    ("-use_fast_math", "-cl-fast-relaxed-math"),
    (
        "-funsafe-math-optimizations",
        "-cl-unsafe-math-optimizations",
    ),
    ("-ffinite-math-only", "-cl-finite-math-only"),
    ("-fno-signed-zeros", "-cl-no-signed-zeros"),
    ("-ffp-contract=fast", "-cl-mad-enable"),
    ("-ftz=true", "-cl-denorms-are-zero"),
    ("-isystem", "-I"),
];

/// The option that was meant by a word, with the word's value.
fn meant(word: &str, names: &[String]) -> Option<String> {
    if let Some((_, name)) = FOREIGN.iter().find(|(foreign, _)| *foreign == word) {
        return names.iter().find(|known| known == name).cloned();
    }
    let (name, value) = match word.find('=') {
        Some(at) => word.split_at(at + 1),
        None => (word, ""),
    };
    let plain = name.to_lowercase().replace('_', "-");
    let plain = plain.trim_start_matches('-');
    let candidates = || names.iter().cloned();
    // The right words with other dashes, or without the beginning that OpenCL's options have.
    let forms = ["-", "--", "-cl-"].map(|start| format!("{start}{plain}"));
    let exact = forms.iter().find(|form| names.contains(form)).cloned();
    let found = exact.or_else(|| forms.iter().find_map(|form| closest(form, candidates())))?;
    Some(match found.ends_with('=') {
        true => found + value,
        false => found,
    })
}

#[cfg(test)]
mod tests {
    use super::closest;

    #[test]
    fn closest_allows_a_third_of_the_letters() {
        let names = || ["result", "counter"].iter().map(|s| (*s).to_string());
        assert_eq!(closest("reslut", names()).as_deref(), Some("result"));
        assert_eq!(closest("xyz", names()), None);
    }
}

//! The word that was probably meant.

/// The candidate that differs from a word by the fewest changed, missing, additional or swapped
/// letters, if these are few.
pub(crate) fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let most = (word.chars().count() / 3).max(1);
    let ranked = candidates
        .into_iter()
        // A key without its unit is meant more often than another one of the same length.
        .map(|candidate| match candidate.strip_prefix(word) {
            Some(unit) if unit.starts_with('_') => (0, candidate),
            _ => (distance(word, candidate), candidate),
        });
    ranked
        .filter(|&(distance, _)| distance <= most)
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, candidate)| candidate)
}

/// The least number of letters to change, insert, leave out or swap with the next.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut before: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=b.len()).collect();
    for (i, &letter) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, &other) in b.iter().enumerate() {
            let replaced = above[j] + usize::from(letter != other);
            let mut least = replaced.min(above[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && letter == b[j - 1] && a[i - 1] == other {
                least = least.min(before[j - 1] + 1);
            }
            row.push(least);
        }
        before = std::mem::replace(&mut above, row);
    }
    above[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_and_missing_units_are_recognised_and_other_words_are_not() {
        let keys = ["nodes", "size_m", "corner_m", "row_axis", "duration_s"];
        for (slip, meant) in [
            ("node", Some("nodes")),
            ("ndoes", Some("nodes")),
            ("size", Some("size_m")),
            ("corner", Some("corner_m")),
            ("duration", Some("duration_s")),
            ("duration_ms", Some("duration_s")),
            ("colour", None),
            ("", None),
        ] {
            assert_eq!(nearest(slip, keys), meant, "{slip}");
        }
    }
}

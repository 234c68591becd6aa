//! Numbers as people write them.

/// `1 step`, `2 steps`.
pub fn count(number: usize, what: &str) -> String {
    let ending = if number == 1 { "" } else { "s" };
    format!("{} {what}{ending}", grouped(number as u64))
}

/// `12,345,678`: from five digits on.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    if digits.len() < 5 {
        return digits;
    }
    // Digits are ASCII: every chunk is text.
    let groups: Vec<&str> =
        digits.as_bytes().rchunks(3).rev().filter_map(|group| std::str::from_utf8(group).ok()).collect();
    groups.join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_words() {
        assert_eq!((grouped(1234), grouped(1_234_567)), ("1234".into(), "1,234,567".into()));
        assert_eq!((count(1, "step"), count(20_000, "step")), ("1 step".into(), "20,000 steps".into()));
    }
}

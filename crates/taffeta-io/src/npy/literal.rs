//! The few Python literals that the header of an `.npy` file is written in.

use std::iter::Peekable;
use std::str::Chars;

/// Headers nest three deep; a garbled one must not be able to exhaust the stack.
const DEEPEST: usize = 8;

/// A Python literal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Literal {
    Text(String),
    Truth(bool),
    Count(usize),
    /// A tuple or a list.
    Sequence(Vec<Literal>),
    Dictionary(Vec<(String, Literal)>),
}

/// Parses a text that is one literal, or says what is wrong with it.
pub(super) fn parse(text: &str) -> Result<Literal, String> {
    let mut parser = Parser { rest: text.chars().peekable() };
    let literal = parser.literal(0)?;
    match parser.next_solid() {
        None => Ok(literal),
        Some(stray) => Err(format!("stray {stray:?} after the header's dictionary")),
    }
}

struct Parser<'a> {
    rest: Peekable<Chars<'a>>,
}

impl Parser<'_> {
    fn literal(&mut self, depth: usize) -> Result<Literal, String> {
        if depth > DEEPEST {
            return Err("its header is nested too deeply".to_owned());
        }
        match self.next_solid() {
            Some(quote @ ('\'' | '"')) => self.text(quote).map(Literal::Text),
            Some('(') => self.sequence(')', depth),
            Some('[') => self.sequence(']', depth),
            Some('{') => self.dictionary(depth),
            Some(first) if first.is_ascii_alphanumeric() => self.word(first),
            Some(stray) => Err(format!("stray {stray:?} in its header")),
            None => Err("its header breaks off".to_owned()),
        }
    }

    /// The text after its opening quote. Escapes do not occur in the headers supported here.
    fn text(&mut self, quote: char) -> Result<String, String> {
        let mut text = String::new();
        for next in self.rest.by_ref() {
            match next {
                _ if next == quote => return Ok(text),
                '\\' => return Err("its header holds an escaped character".to_owned()),
                _ => text.push(next),
            }
        }
        Err("a quote in its header is not closed".to_owned())
    }

    fn word(&mut self, first: char) -> Result<Literal, String> {
        let mut word = String::from(first);
        while let Some(next) = self.rest.next_if(char::is_ascii_alphanumeric) {
            word.push(next);
        }
        match word.as_str() {
            "True" => Ok(Literal::Truth(true)),
            "False" => Ok(Literal::Truth(false)),
            _ => word
                .parse()
                .map(Literal::Count)
                .map_err(|_| format!("{word:?} in its header is neither a truth value nor a count")),
        }
    }

    fn sequence(&mut self, close: char, depth: usize) -> Result<Literal, String> {
        let mut items = Vec::new();
        while !self.closes(close) {
            items.push(self.literal(depth + 1)?);
            self.comma_before(close)?;
        }
        Ok(Literal::Sequence(items))
    }

    fn dictionary(&mut self, depth: usize) -> Result<Literal, String> {
        let mut entries = Vec::new();
        while !self.closes('}') {
            let Literal::Text(key) = self.literal(depth + 1)? else {
                return Err("a key in its header is not a text".to_owned());
            };
            if self.next_solid() != Some(':') {
                return Err(format!("the key {key:?} in its header has no value"));
            }
            entries.push((key, self.literal(depth + 1)?));
            self.comma_before('}')?;
        }
        Ok(Literal::Dictionary(entries))
    }

    /// Takes the closing bracket if it is next.
    fn closes(&mut self, close: char) -> bool {
        self.skip_space();
        self.rest.next_if_eq(&close).is_some()
    }

    /// Takes a comma, or leaves the closing bracket for [`Parser::closes`].
    fn comma_before(&mut self, close: char) -> Result<(), String> {
        self.skip_space();
        if self.rest.next_if_eq(&',').is_some() || self.rest.peek() == Some(&close) {
            Ok(())
        } else {
            Err(format!("its header lacks a comma or {close:?}"))
        }
    }

    fn next_solid(&mut self) -> Option<char> {
        self.skip_space();
        self.rest.next()
    }

    fn skip_space(&mut self) {
        while self.rest.next_if(|next| next.is_whitespace()).is_some() {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_is_parsed() {
        let header = "{'descr': [('a', '<f8'), (\"b\", '<f8')], 'fortran_order': False, 'shape': (3,), }  \n";
        let text = |text: &str| Literal::Text(text.to_owned());
        assert_eq!(
            parse(header),
            Ok(Literal::Dictionary(vec![
                (
                    "descr".to_owned(),
                    Literal::Sequence(vec![
                        Literal::Sequence(vec![text("a"), text("<f8")]),
                        Literal::Sequence(vec![text("b"), text("<f8")]),
                    ])
                ),
                ("fortran_order".to_owned(), Literal::Truth(false)),
                ("shape".to_owned(), Literal::Sequence(vec![Literal::Count(3)])),
            ]))
        );
    }

    #[test]
    fn garbled_headers_are_refused() {
        for (text, complaint) in [
            ("", "breaks off"),
            ("{'descr': ", "breaks off"),
            ("{'descr", "not closed"),
            ("{'descr' '<f8'}", "has no value"),
            ("{1: 2}", "not a text"),
            ("(1 2)", "lacks a comma"),
            ("(-1,)", "stray '-'"),
            ("(99999999999999999999999,)", "neither a truth value nor a count"),
            ("'a\\'b'", "escaped"),
            ("(1,) x", "stray 'x'"),
        ] {
            let error = parse(text).expect_err(text);
            assert!(error.contains(complaint), "{text}: {error}");
        }
        let deep = "(".repeat(60_000);
        assert_eq!(parse(&deep), Err("its header is nested too deeply".into()));
    }
}

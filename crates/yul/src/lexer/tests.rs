//! Tests of the scanner.

use super::*;

fn kinds(text: &str) -> Vec<TokenKind> {
    let mut lexer = Lexer::new(text);
    let next = || Some(lexer.next_token().kind).filter(|kind| *kind != TokenKind::EndOfSource);
    std::iter::from_fn(next).collect()
}

fn illegal(text: &str) -> (LexicalFault, Span) {
    let token = Lexer::new(text).next_token();
    match token.kind {
        TokenKind::Illegal(fault) => (fault, token.span),
        other => panic!("{other:?} is legal"),
    }
}

#[test]
fn punctuation_and_names() {
    use TokenKind::*;
    let expected =
        [Identifier, Comma, Identifier, Assign, Identifier, LeftParen, Number, RightParen, Arrow, Colon];
    assert_eq!(kinds("a.b, $_1 := f(0x1F) -> :"), expected);
    assert_eq!(kinds("let.x x. .y .5"), [Identifier, Identifier, Period, Identifier, Number]);
    assert_eq!(kinds("- >"), [Other(b'-'), Other(b'>')]);
}

#[test]
fn keywords_and_hex_strings() {
    use TokenKind::*;
    assert_eq!(
        kinds("leave hex hex\"0a\" hex'' hexe"),
        [
            Keyword(super::Keyword::Leave),
            Illegal(LexicalFault::HexWithoutString),
            HexString,
            HexString,
            Identifier
        ]
    );
}

#[test]
fn faulty_tokens_have_the_place_of_the_fault() {
    assert_eq!(illegal("0100"), (LexicalFault::OctalNumber, Span::new(0, 1)));
    assert_eq!(illegal("0xg"), (LexicalFault::MissingHexDigits, Span::new(0, 2)));
    assert_eq!(illegal("12ab"), (LexicalFault::IdentifierAfterNumber, Span::new(0, 2)));
    assert_eq!(illegal("1e"), (LexicalFault::InvalidExponent, Span::new(0, 2)));
    assert_eq!(illegal("hex\"0w\""), (LexicalFault::InvalidHexString, Span::new(0, 4)));
    assert_eq!(illegal("\"a\n\""), (LexicalFault::UnterminatedString, Span::new(0, 2)));
    assert_eq!(illegal("\"a\\q\""), (LexicalFault::InvalidEscape, Span::new(0, 3)));
    assert_eq!(illegal("\"é\""), (LexicalFault::InvalidStringCharacter, Span::new(0, 3)));
    assert_eq!(illegal(" /* x"), (LexicalFault::UnterminatedComment, Span::new(1, 5)));
    assert_eq!(illegal("é"), (LexicalFault::InvalidToken, Span::new(0, 2)));
}

#[test]
fn direction_marks_must_be_closed_in_their_comment() {
    assert_eq!(kinds("// \u{202e}\u{202c}\n/* \u{2066} \u{2069} */"), []);
    assert_eq!(illegal("// \u{202c}"), (LexicalFault::DirectionUnderflow, Span::new(0, 3)));
    assert_eq!(illegal("/* \u{202e} */ x"), (LexicalFault::DirectionMismatch, Span::new(0, 7)));
}

#[test]
fn documentation_comments_are_kept_for_one_token() {
    let text = "/// a\n//// no\n/** b */ /**/ x y";
    let mut lexer = Lexer::new(text);
    lexer.next_token();
    let contents: Vec<&str> =
        lexer.doc_comments().iter().map(|span| &text[span.start as usize..span.end as usize]).collect();
    assert_eq!(contents, [" a", " b "]);
    lexer.next_token();
    assert_eq!(lexer.doc_comments(), []);
}

#[test]
fn strings_are_decoded() {
    assert_eq!(decode_string(br#""a\n\x41\u00e9\'\\""#), b"a\nA\xc3\xa9'\\");
    assert_eq!(decode_string(b"\"a\\\nb\""), b"ab");
    assert_eq!(decode_hex_string(b"hex\"0a_fF\""), [0x0a, 0xff]);
}

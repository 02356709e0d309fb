//! Reads assembly text; docs/asm.md describes it.
//!
//! After an error reading goes on with the next line, so all errors of a text are reported. Never
//! panics; the depth of objects is bounded by [`MAX_NESTING`].

mod item;
pub(crate) mod literal;
mod underflow;

use crate::assemble::MAX_NESTING;
use crate::fault;
use crate::lex::{Lexeme, Token, lex};
use crate::normalize::Numbering;
use crate::program::{Item, ItemKind, Label, NameId, Program, TableId};
use cairn_diag::{Diagnostic, Diagnostics, FaultCode, FileId, SourceLoc, Span};
use cairn_evm::Fork;

/// Reads a program.
///
/// # Errors
/// Everything that is wrong with the text, with its place.
///
/// ```
/// use cairn_asm::{parse, print};
/// use cairn_diag::FileId;
/// let program = parse("loop: PUSH loop JUMP", FileId(0)).expect("it is a program");
/// assert_eq!(print(&program), "L0:\n  PUSH L0\n  JUMP\n");
/// ```
pub fn parse(text: &str, file: FileId) -> Result<Program, Diagnostics> {
    read(text, file, None).map(|(program, _)| program)
}

/// Reads a program that is to run on `fork`, and warns of instructions that surely find too few
/// words on the stack.
///
/// # Errors
/// As for [`parse`], and names of instructions that the fork lacks. `OP` may write any byte.
pub fn parse_for(text: &str, file: FileId, fork: Fork) -> Result<(Program, Diagnostics), Diagnostics> {
    read(text, file, Some(fork))
}

fn read(text: &str, file: FileId, fork: Option<Fork>) -> Result<(Program, Diagnostics), Diagnostics> {
    let lexemes = lex(text);
    let diagnostics = Diagnostics::default();
    let mut parser = Parser { text, file, fork, lexemes: &lexemes, next: 0, diagnostics };
    let program = parser.file();
    match parser.diagnostics.has_errors() {
        true => Err(parser.diagnostics),
        false => Ok((program, parser.diagnostics)),
    }
}

/// Reading of the current statement failed; the diagnostic is recorded.
struct Failed;

type Parsed<T> = Result<T, Failed>;

struct Parser<'a> {
    text: &'a str,
    file: FileId,
    /// Instructions that it lacks are errors.
    fork: Option<Fork>,
    lexemes: &'a [Lexeme],
    next: usize,
    diagnostics: Diagnostics,
}

/// The object that is being read.
#[derive(Default)]
struct Body {
    program: Program,
    labels: Numbering<String>,
    /// Where each label is defined, and first used.
    defined: Vec<Option<Span>>,
    used: Vec<Option<Span>>,
    names: Numbering<String>,
    tables: Numbering<Vec<Label>>,
    blobs: Numbering<Vec<u8>>,
    locs: Numbering<SourceLoc>,
    loc: Option<u32>,
    /// Where each item stands.
    spans: Vec<Span>,
}

impl<'a> Parser<'a> {
    /// One object, or the inside of one without a name.
    fn file(&mut self) -> Program {
        let mut body = Body::default();
        self.statements(&mut body, 0);
        let mut program = self.finish(body);
        let is_wrapper = program.items.is_empty() && program.data.is_empty() && program.subs.len() == 1;
        program.subs.pop_if(|_| is_wrapper).unwrap_or(program)
    }

    /// Reads until the end of the object or file.
    fn statements(&mut self, body: &mut Body, depth: usize) {
        while let Some(lexeme) = self.peek() {
            if lexeme.token == Some(Token::CloseBrace) && depth > 0 {
                return;
            }
            let start = self.next;
            if self.statement(body, depth).is_err() {
                self.next = self.next.max(start + 1);
                self.skip_line();
            }
        }
    }

    fn statement(&mut self, body: &mut Body, depth: usize) -> Parsed<()> {
        let span = self.peek().map_or(Span::default(), |lexeme| lexeme.span);
        let word = self.expect(Token::Word, "an instruction, label, `data` or `object`")?;
        if self.accept(Token::Colon) {
            return self.define_label(body, word, span);
        }
        match word {
            "object" => self.object(body, depth, span),
            "data" => {
                let name = self.string()?;
                let bytes = self.bytes()?;
                body.program.data.push((name, bytes));
                Ok(())
            }
            ".loc" => self.location(body),
            _ => {
                let kind = self.item(body, word, span)?;
                let jump = self.jump_kind()?;
                body.program.items.push(Item { kind, loc: body.loc, jump });
                body.spans.push(span);
                Ok(())
            }
        }
    }

    fn object(&mut self, outer: &mut Body, depth: usize, span: Span) -> Parsed<()> {
        if depth >= MAX_NESTING {
            // Whatever follows is inside: there is no point in reading on.
            self.next = self.lexemes.len();
            return self.fail(
                fault::NESTING_TOO_DEEP,
                span,
                format!("objects are nested more than {MAX_NESTING} deep"),
            );
        }
        let name = self.string()?;
        self.expect(Token::OpenBrace, "`{`")?;
        let mut body = Body::default();
        self.statements(&mut body, depth + 1);
        self.expect(Token::CloseBrace, "`}`")?;
        let program = self.finish(body);
        outer.program.subs.push(Program { name, ..program });
        Ok(())
    }

    fn define_label(&mut self, body: &mut Body, name: &str, span: Span) -> Parsed<()> {
        let label = body.label(name);
        if let Some(first) = body.defined[label.0 as usize] {
            let error = Diagnostic::error(format!("label `{name}` is defined twice"));
            let error = error.with_code(fault::LABEL_TWICE.code).at(self.file, span);
            self.diagnostics.push(error.with_label(first, "first defined here"));
            return Ok(());
        }
        body.defined[label.0 as usize] = Some(span);
        body.program.items.push(Item { loc: body.loc, ..ItemKind::Label(label).into() });
        body.spans.push(span);
        Ok(())
    }

    /// Reports labels without definition and gives the program its tables.
    fn finish(&mut self, body: Body) -> Program {
        for (index, name) in body.labels.values().iter().enumerate() {
            if let (None, Some(span)) = (body.defined[index], body.used[index]) {
                let error = Diagnostic::error(format!("label `{name}` is not defined in this object"));
                let error = error.with_code(fault::LABEL_NOT_DEFINED.code);
                self.diagnostics.push(error.at(self.file, span));
            }
        }
        if let Some(fork) = self.fork {
            self.warn_of_underflow(&body, fork);
        }
        Program {
            num_labels: body.labels.len() as u32,
            names: body.names.into_values(),
            tables: body.tables.into_values(),
            blobs: body.blobs.into_values(),
            locs: body.locs.into_values(),
            ..body.program
        }
    }

    fn peek(&self) -> Option<Lexeme> {
        self.lexemes.get(self.next).copied()
    }

    fn slice(&self, span: Span) -> &'a str {
        self.text.get(span.start as usize..span.end as usize).unwrap_or_default()
    }

    fn accept(&mut self, token: Token) -> bool {
        let found = self.peek().is_some_and(|lexeme| lexeme.token == Some(token));
        self.next += usize::from(found);
        found
    }

    /// The text of the next token, which has to be of this kind.
    fn expect(&mut self, token: Token, what: &str) -> Parsed<&'a str> {
        let Some(lexeme) = self.peek() else {
            let end = self.text.len()..self.text.len();
            return self.fail(
                fault::UNEXPECTED_TOKEN,
                end.into(),
                format!("expected {what}, found the end of the text"),
            );
        };
        if lexeme.token != Some(token) {
            let found = self.slice(lexeme.span).to_owned();
            return self.fail(
                fault::UNEXPECTED_TOKEN,
                lexeme.span,
                format!("expected {what}, found `{found}`"),
            );
        }
        self.next += 1;
        Ok(self.slice(lexeme.span))
    }

    fn fail<T>(&mut self, code: FaultCode, span: Span, message: String) -> Parsed<T> {
        self.diagnostics.push(Diagnostic::error(message).with_code(code.code).at(self.file, span));
        Err(Failed)
    }

    /// Goes on with the next token that begins a line.
    fn skip_line(&mut self) {
        while self.peek().is_some_and(|lexeme| !lexeme.first_on_line) {
            self.next += 1;
        }
    }
}

impl Body {
    fn label(&mut self, name: &str) -> Label {
        let number = self.labels.number(&name.to_owned());
        self.defined.resize(self.labels.len(), None);
        self.used.resize(self.labels.len(), None);
        Label(number)
    }

    fn use_label(&mut self, name: &str, span: Span) -> Label {
        let label = self.label(name);
        self.used[label.0 as usize].get_or_insert(span);
        label
    }

    fn table(&mut self, labels: &Vec<Label>) -> TableId {
        TableId(self.tables.number(labels))
    }

    fn name(&mut self, name: &String) -> NameId {
        NameId(self.names.number(name))
    }
}

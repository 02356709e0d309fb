//! What a function is raised to: statements over the function's values, before they have names.
//!
//! Variables are assigned and never declared here; where each is declared is found out from where it
//! stands (`declare`).

use cairn_evm::Word;
use cairn_ir::{Func, Value};
use cairn_yul::Builtin;

/// A variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Var {
    /// A value of the function.
    Value(Value),
    /// A value of an instruction that stands in several nodes, in one of them.
    Copy(Value, u32),
    /// A result of the function.
    Result(u32),
    /// Where control goes next: the entry of a cycle with several entries.
    State(u32),
    /// Which loop control is leaving for, where it leaves several at once.
    Exit,
    /// Holds a value while variables change places.
    Spare(u32),
}

/// Who is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Callee {
    /// A builtin.
    Builtin(Builtin),
    /// A function of the module.
    Func(Func),
    /// The helper that gives the smaller of two words.
    Min,
}

/// The offset in the code of the instruction that something is made of, if it is known. Where it stands
/// does not matter to what it is: all are equal.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct At(pub(crate) Option<u32>);

impl PartialEq for At {
    fn eq(&self, _: &At) -> bool {
        true
    }
}

impl Eq for At {}

/// An expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Expr {
    /// A word.
    Number(Word),
    /// A name in quotes: of data, an immutable or a library.
    Text(String),
    /// A variable.
    Var(Var),
    /// A call.
    Call(Callee, Vec<Expr>, At),
}

impl Expr {
    /// A call of an opcode.
    pub(crate) fn evm(opcode: cairn_evm::Opcode, args: Vec<Expr>) -> Expr {
        Expr::Call(Callee::Builtin(Builtin::Evm(opcode)), args, At(None))
    }

    /// The word, if it is one.
    pub(crate) fn as_number(&self) -> Option<Word> {
        match self {
            Expr::Number(word) => Some(*word),
            Expr::Text(_) | Expr::Var(_) | Expr::Call(..) => None,
        }
    }

    /// The operands, if it is a call of this opcode.
    pub(crate) fn args_of(&self, opcode: cairn_evm::Opcode) -> Option<&[Expr]> {
        match self {
            Expr::Call(Callee::Builtin(Builtin::Evm(own)), args, _) if *own == opcode => Some(args),
            _ => None,
        }
    }

    /// Calls `f` on each variable that is read.
    pub(crate) fn for_each_var(&self, f: &mut impl FnMut(Var)) {
        match self {
            Expr::Number(_) | Expr::Text(_) => {}
            Expr::Var(var) => f(*var),
            Expr::Call(_, args, _) => args.iter().for_each(|arg| arg.for_each_var(f)),
        }
    }

    /// True when the variable is read.
    pub(crate) fn reads(&self, var: Var) -> bool {
        let mut found = false;
        self.for_each_var(&mut |read| found |= read == var);
        found
    }

    /// Reads another variable in the place of one.
    pub(crate) fn replace(&mut self, from: Var, to: Var) {
        match self {
            Expr::Number(_) | Expr::Text(_) => {}
            Expr::Var(var) if *var == from => *var = to,
            Expr::Var(_) => {}
            Expr::Call(_, args, _) => args.iter_mut().for_each(|arg| arg.replace(from, to)),
        }
    }
}

/// How a `for` repeats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Repeats {
    /// A loop of the program.
    Loop,
    /// A loop that enters a cycle where its state says: what one round gives, another may use.
    States,
    /// Once: a region that `break` leaves.
    Once,
}

/// A statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Stmt {
    /// Declares variables that are zero.
    Declare(Vec<Var>),
    /// Assigns a call's results, or one value; declares the variables if `is_declaration`.
    Assign { vars: Vec<Var>, value: Expr, is_declaration: bool },
    /// A call without results.
    Do(Expr),
    /// `if`, with the offset of its jump.
    If(Expr, Vec<Stmt>, At),
    /// `switch`, with the default last and the offset of its jump.
    Switch(Expr, Vec<(Word, Vec<Stmt>)>, Vec<Stmt>, At),
    /// `for { init } condition { post } { body }`.
    For(Box<For>),
    /// `break`.
    Break,
    /// `continue`.
    Continue,
    /// `leave`.
    Leave,
    /// To what stands elsewhere. Only listings have it: Yul has no such statement.
    Go(Elsewhere),
}

/// What stands elsewhere in a listing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Elsewhere {
    /// The external function with this index.
    Function(u32),
    /// The node of the graph with this index.
    Node(u32),
}

/// A loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct For {
    pub(crate) repeats: Repeats,
    pub(crate) init: Vec<Stmt>,
    pub(crate) condition: Expr,
    /// Where the jump stands that the condition decides.
    pub(crate) at: At,
    pub(crate) post: Vec<Stmt>,
    pub(crate) body: Vec<Stmt>,
}

impl Stmt {
    /// `var := value`
    pub(crate) fn assign(var: Var, value: Expr) -> Stmt {
        Stmt::Assign { vars: vec![var], value, is_declaration: false }
    }

    /// A loop without a condition.
    pub(crate) fn endless(repeats: Repeats, body: Vec<Stmt>) -> Stmt {
        let condition = Expr::Number(Word::from(1));
        Stmt::For(Box::new(For {
            repeats,
            init: Vec::new(),
            condition,
            at: At(None),
            post: Vec::new(),
            body,
        }))
    }

    /// Calls `f` on each variable that is read, once for each time that the text reads it.
    pub(crate) fn for_each_read(&self, f: &mut impl FnMut(Var)) {
        match self {
            Stmt::Assign { value, .. } | Stmt::Do(value) => value.for_each_var(f),
            Stmt::If(condition, body, _) => {
                condition.for_each_var(f);
                body.iter().for_each(|stmt| stmt.for_each_read(f));
            }
            Stmt::Switch(value, cases, default, _) => {
                value.for_each_var(f);
                let lists = cases.iter().map(|(_, body)| body).chain([default]);
                lists.flatten().for_each(|stmt| stmt.for_each_read(f));
            }
            Stmt::For(of) => {
                of.condition.for_each_var(f);
                let all = of.init.iter().chain(&of.body).chain(&of.post);
                all.for_each(|stmt| stmt.for_each_read(f));
            }
            Stmt::Declare(_) | Stmt::Break | Stmt::Continue | Stmt::Leave | Stmt::Go(_) => {}
        }
    }

    /// The lists of statements in it.
    pub(crate) fn lists_mut(&mut self) -> Vec<&mut Vec<Stmt>> {
        match self {
            Stmt::If(_, body, _) => vec![body],
            Stmt::Switch(_, cases, default, _) => {
                cases.iter_mut().map(|(_, body)| body).chain([default]).collect()
            }
            Stmt::For(of) => vec![&mut of.init, &mut of.post, &mut of.body],
            Stmt::Declare(_) | Stmt::Assign { .. } | Stmt::Do(_) => Vec::new(),
            Stmt::Break | Stmt::Continue | Stmt::Leave | Stmt::Go(_) => Vec::new(),
        }
    }
}

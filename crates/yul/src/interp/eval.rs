//! Statements and expressions.
//!
//! A name has one meaning at a time inside a function, so the variables of a call are one map.
//! Functions are looked up in the blocks around a call; which block is in which is a matter of the
//! text, so blocks are put into that tree when they are first entered.

use cairn_evm::Word;
use rustc_hash::FxHashMap;

use super::memory::Memory;
use super::{End, Limits, Outcome, World};
use crate::ast::{
    Block, Callee, Expression, For, FunctionCall, FunctionDefinition, Identifier, Statement, Switch, YulName,
};
use crate::dialect::{Builtin, Dialect};

/// The end of the run, if it has come.
pub(super) type Step<T> = Result<T, End>;

/// How a statement was left.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Flow {
    Next,
    Break,
    Continue,
    Leave,
}

/// The functions of a block.
struct Scope<'a> {
    parent: usize,
    functions: FxHashMap<YulName, &'a FunctionDefinition>,
}

/// The variables of a call, and where its code stands.
#[derive(Default)]
struct Frame {
    variables: FxHashMap<YulName, Word>,
    scope: usize,
}

/// A run.
pub(super) struct Interpreter<'a> {
    pub(super) dialect: &'a Dialect,
    pub(super) world: &'a World,
    pub(super) limits: Limits,
    pub(super) outcome: Outcome,
    /// Input of the running code.
    pub(super) calldata: Vec<u8>,
    /// Result of the last call.
    pub(super) returned: Vec<u8>,
    /// The code of the program.
    code: Option<&'a Block>,
    /// Scope 0 is outside of everything.
    scopes: Vec<Scope<'a>>,
    /// Scopes of blocks that have functions, by address.
    scope_of: FxHashMap<*const Block, usize>,
    n_steps: usize,
    n_expression_steps: usize,
    depth: usize,
}

impl<'a> Interpreter<'a> {
    pub(super) fn new(dialect: &'a Dialect, world: &'a World, limits: Limits) -> Self {
        let outcome = Outcome {
            end: End::Finished,
            trace: Vec::new(),
            memory: Memory::default(),
            storage: Default::default(),
            transient_storage: Default::default(),
            returndata: Vec::new(),
        };
        Interpreter {
            dialect,
            world,
            limits,
            outcome,
            calldata: world.calldata.clone(),
            returned: Vec::new(),
            code: None,
            scopes: vec![Scope { parent: 0, functions: FxHashMap::default() }],
            scope_of: FxHashMap::default(),
            n_steps: 0,
            n_expression_steps: 0,
            depth: 0,
        }
    }

    pub(super) fn run(mut self, code: &'a Block) -> Outcome {
        self.code = Some(code);
        self.outcome.end = self.run_code();
        self.outcome
    }

    /// Runs the whole program with the current state.
    pub(super) fn run_code(&mut self) -> End {
        let code = self.code.expect("invariant: the code is set before anything runs");
        match self.block(code, &mut Frame::default()) {
            Ok(_) => End::Finished,
            Err(end) => end,
        }
    }

    /// Ends the run with a line in the trace.
    fn give_up<T>(&mut self, end: End, line: &str) -> Step<T> {
        self.outcome.trace.push(line.to_owned());
        Err(end)
    }

    fn step(&mut self) -> Step<()> {
        self.n_steps += 1;
        if self.n_steps > self.limits.steps {
            return self.give_up(End::StepLimit, "Interpreter execution step limit reached.");
        }
        Ok(())
    }

    /// Evaluates something nested, if that is not too deep.
    fn nested<T>(&mut self, evaluate: impl FnOnce(&mut Self) -> Step<T>) -> Step<T> {
        if self.depth >= self.limits.depth {
            return self.give_up(End::DepthLimit, "Maximum recursion depth reached.");
        }
        self.depth += 1;
        let result = evaluate(self);
        self.depth -= 1;
        result
    }

    fn block(&mut self, block: &'a Block, frame: &mut Frame) -> Step<Flow> {
        let outer = frame.scope;
        frame.scope = self.scope_of(block, outer);
        let flow = self.nested(|interpreter| interpreter.statements(&block.statements, frame));
        frame.scope = outer;
        flow
    }

    fn scope_of(&mut self, block: &'a Block, parent: usize) -> usize {
        if let Some(scope) = self.scope_of.get(&std::ptr::from_ref(block)) {
            return *scope;
        }
        let functions: FxHashMap<_, _> = block
            .statements
            .iter()
            .filter_map(|statement| match statement {
                Statement::Function(function) => Some((function.name.name, &**function)),
                _ => None,
            })
            .collect();
        if functions.is_empty() {
            return parent;
        }
        self.scopes.push(Scope { parent, functions });
        self.scope_of.insert(block, self.scopes.len() - 1);
        self.scopes.len() - 1
    }

    fn statements(&mut self, statements: &'a [Statement], frame: &mut Frame) -> Step<Flow> {
        for statement in statements {
            self.step()?;
            let flow = self.statement(statement, frame)?;
            if flow != Flow::Next {
                return Ok(flow);
            }
        }
        Ok(Flow::Next)
    }

    fn statement(&mut self, statement: &'a Statement, frame: &mut Frame) -> Step<Flow> {
        match statement {
            Statement::Expression(expression, ..) => {
                self.values(expression, frame)?;
            }
            Statement::Let(declaration) => match &declaration.value {
                Some(value) => self.assign(&declaration.variables, value, frame)?,
                None => declaration.variables.iter().for_each(|variable| {
                    frame.variables.insert(variable.name, Word::ZERO);
                }),
            },
            Statement::Assign(assignment) => self.assign(&assignment.targets, &assignment.value, frame)?,
            Statement::If(branch) => {
                if !self.value(&branch.condition, frame)?.is_zero() {
                    return self.block(&branch.body, frame);
                }
            }
            Statement::Switch(switch) => return self.switch(switch, frame),
            Statement::For(the_loop) => return self.for_loop(the_loop, frame),
            Statement::Function(_) => {}
            Statement::Break(..) => return Ok(Flow::Break),
            Statement::Continue(..) => return Ok(Flow::Continue),
            Statement::Leave(..) => return Ok(Flow::Leave),
            Statement::Block(block) => return self.block(block, frame),
        }
        Ok(Flow::Next)
    }

    fn assign(&mut self, targets: &[Identifier], value: &'a Expression, frame: &mut Frame) -> Step<()> {
        let values = self.values(value, frame)?;
        for (target, value) in targets.iter().zip(values) {
            frame.variables.insert(target.name, value);
        }
        Ok(())
    }

    fn switch(&mut self, switch: &'a Switch, frame: &mut Frame) -> Step<Flow> {
        let value = self.value(&switch.expression, frame)?;
        let matches = |literal: &crate::ast::Literal| literal.value == value;
        let found = switch.cases.iter().find(|case| case.value.as_ref().is_none_or(matches));
        found.map_or(Ok(Flow::Next), |case| self.block(&case.body, frame))
    }

    fn for_loop(&mut self, the_loop: &'a For, frame: &mut Frame) -> Step<Flow> {
        if self.statements(&the_loop.init.statements, frame)? == Flow::Leave {
            return Ok(Flow::Leave);
        }
        while !self.value(&the_loop.condition, frame)?.is_zero() {
            self.step()?;
            match self.block(&the_loop.body, frame)? {
                Flow::Break => break,
                Flow::Leave => return Ok(Flow::Leave),
                Flow::Next | Flow::Continue => {}
            }
            if self.block(&the_loop.post, frame)? == Flow::Leave {
                return Ok(Flow::Leave);
            }
        }
        Ok(Flow::Next)
    }

    /// The only value of an expression that is not part of another one.
    fn value(&mut self, expression: &'a Expression, frame: &mut Frame) -> Step<Word> {
        Ok(self.values(expression, frame)?.first().copied().unwrap_or_default())
    }

    /// The values of an expression that is not part of another one.
    fn values(&mut self, expression: &'a Expression, frame: &mut Frame) -> Step<Vec<Word>> {
        let outer = std::mem::take(&mut self.n_expression_steps);
        let values = self.expression(expression, frame);
        self.n_expression_steps = outer;
        values
    }

    fn expression(&mut self, expression: &'a Expression, frame: &mut Frame) -> Step<Vec<Word>> {
        self.n_expression_steps += 1;
        if self.n_expression_steps > self.limits.expression {
            return self.give_up(End::ExpressionLimit, "Maximum expression nesting level reached.");
        }
        match expression {
            Expression::Literal(literal) => Ok(vec![literal.value]),
            Expression::Identifier(identifier) => {
                Ok(vec![frame.variables.get(&identifier.name).copied().unwrap_or_default()])
            }
            Expression::Call(call) => self.nested(|interpreter| interpreter.call(call, frame)),
        }
    }

    fn call(&mut self, call: &'a FunctionCall, frame: &mut Frame) -> Step<Vec<Word>> {
        let mut arguments = vec![Word::ZERO; call.args.len()];
        for (slot, argument) in arguments.iter_mut().zip(&call.args).rev() {
            *slot = self.expression(argument, frame)?.first().copied().unwrap_or_default();
        }
        match call.callee {
            Callee::Builtin(Builtin::Evm(opcode)) => {
                Ok(self.opcode(opcode, &arguments)?.into_iter().collect())
            }
            Callee::Builtin(builtin) => {
                Ok(self.object_builtin(builtin, call, &arguments)?.into_iter().collect())
            }
            Callee::User(name) => self.user_call(name, &arguments, frame.scope),
        }
    }

    fn user_call(&mut self, name: YulName, arguments: &[Word], mut scope: usize) -> Step<Vec<Word>> {
        let function = loop {
            match self.scopes[scope].functions.get(&name) {
                Some(function) => break *function,
                None if scope == 0 => return Err(End::Unsupported),
                None => scope = self.scopes[scope].parent,
            }
        };
        let mut frame = Frame { variables: FxHashMap::default(), scope };
        for (parameter, value) in function.parameters.iter().zip(arguments) {
            frame.variables.insert(parameter.name, *value);
        }
        for result in &function.returns {
            frame.variables.insert(result.name, Word::ZERO);
        }
        self.block(&function.body, &mut frame)?;
        Ok(function.returns.iter().map(|result| frame.variables[&result.name]).collect())
    }
}

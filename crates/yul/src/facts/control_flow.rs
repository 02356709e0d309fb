//! How the execution of a function can end.
//!
//! Three independent facts; a function of which none is true never ends (or never does anything but
//! call itself). Code that is not reached does not count. Conditions are taken to be able to have
//! any value.

use std::collections::VecDeque;

use cairn_evm::Opcode;

use super::functions::{FunctionGraph, PerFunction};
use crate::ast::{Block, Callee, Expression, For, FunctionCall, Statement, Switch};
use crate::dialect::Builtin;

/// How an execution can end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ControlFlow {
    /// The whole call can end successfully (`stop`, `return`, `selfdestruct`).
    pub can_terminate: bool,
    /// The whole call can fail (`revert`, `invalid`).
    pub can_revert: bool,
    /// The caller can go on.
    pub can_continue: bool,
}

impl ControlFlow {
    /// How a builtin ends.
    pub fn of_builtin(builtin: Builtin) -> ControlFlow {
        let Builtin::Evm(opcode) = builtin else {
            return ControlFlow { can_continue: true, ..ControlFlow::default() };
        };
        let halts = opcode.halts();
        let can_revert = [Opcode::REVERT, Opcode::INVALID].contains(&opcode);
        ControlFlow { can_terminate: halts && !can_revert, can_revert, can_continue: !halts }
    }
}

/// How every function of `code` can end.
///
/// Facts only ever become true, so a function is walked over again at most three times for each
/// function that it calls recursively.
pub fn compute_control_flow(code: &Block) -> PerFunction<ControlFlow> {
    let graph = FunctionGraph::new(code);
    let callers = graph.callers();
    let mut known = vec![ControlFlow::default(); graph.len()];
    let mut is_pending = vec![false; graph.len()];
    let mut group_of = vec![usize::MAX; graph.len()];
    for (index, group) in graph.groups().into_iter().enumerate() {
        group.functions.iter().for_each(|function| group_of[*function] = index);
        let mut pending: VecDeque<usize> = group.functions.iter().copied().collect();
        group.functions.iter().for_each(|function| is_pending[*function] = true);
        while let Some(function) = pending.pop_front() {
            is_pending[function] = false;
            let flow = flow_of(function, &graph, &known);
            if known[function] == flow {
                continue;
            }
            known[function] = flow;
            for caller in callers[function].iter().filter(|caller| group_of[**caller] == index) {
                if !std::mem::replace(&mut is_pending[*caller], true) {
                    pending.push_back(*caller);
                }
            }
        }
    }
    graph.facts(known)
}

fn flow_of(function: usize, graph: &FunctionGraph<'_>, known: &[ControlFlow]) -> ControlFlow {
    let mut walk = Walk { graph, known, flow: ControlFlow::default(), loops: Vec::new() };
    for body in graph.bodies(function) {
        let is_end_reached = walk.block(body);
        walk.flow.can_continue |= is_end_reached;
    }
    walk.flow
}

/// Which jumps of a loop are reached.
#[derive(Clone, Copy, Default)]
struct LoopJumps {
    has_break: bool,
    has_continue: bool,
}

/// A walk over the reachable code of a function. Each method tells whether the end of what it walks
/// over is reached.
struct Walk<'w, 'a> {
    graph: &'w FunctionGraph<'a>,
    known: &'w [ControlFlow],
    flow: ControlFlow,
    loops: Vec<LoopJumps>,
}

impl Walk<'_, '_> {
    fn block(&mut self, block: &Block) -> bool {
        block.statements.iter().all(|statement| self.statement(statement))
    }

    fn statement(&mut self, statement: &Statement) -> bool {
        match statement {
            Statement::Expression(expression, ..) => self.expression(expression),
            Statement::Let(declaration) => {
                declaration.value.as_ref().is_none_or(|value| self.expression(value))
            }
            Statement::Assign(assignment) => self.expression(&assignment.value),
            Statement::If(branch) => {
                let is_decided = self.expression(&branch.condition);
                if is_decided {
                    self.block(&branch.body);
                }
                is_decided
            }
            Statement::Switch(switch) => self.switch(switch),
            Statement::For(the_loop) => self.for_loop(the_loop),
            Statement::Function(_) => true,
            Statement::Break(..) => self.loop_jump(|jumps| jumps.has_break = true),
            Statement::Continue(..) => self.loop_jump(|jumps| jumps.has_continue = true),
            Statement::Leave(..) => {
                self.flow.can_continue = true;
                false
            }
            Statement::Block(block) => self.block(block),
        }
    }

    fn loop_jump(&mut self, note: impl FnOnce(&mut LoopJumps)) -> bool {
        if let Some(jumps) = self.loops.last_mut() {
            note(jumps);
        }
        false
    }

    fn switch(&mut self, switch: &Switch) -> bool {
        if !self.expression(&switch.expression) {
            return false;
        }
        let has_default = switch.cases.iter().any(|case| case.value.is_none());
        let mut is_end_reached = !has_default;
        for case in &switch.cases {
            is_end_reached |= self.block(&case.body);
        }
        is_end_reached
    }

    fn for_loop(&mut self, the_loop: &For) -> bool {
        if !self.block(&the_loop.init) || !self.expression(&the_loop.condition) {
            return false;
        }
        self.loops.push(LoopJumps::default());
        let is_body_end_reached = self.block(&the_loop.body);
        let jumps = self.loops.pop().unwrap_or_default();
        if is_body_end_reached || jumps.has_continue {
            self.block(&the_loop.post);
        }
        // The condition can be false at once, or after the body.
        true
    }

    fn expression(&mut self, expression: &Expression) -> bool {
        match expression {
            Expression::Literal(_) | Expression::Identifier(_) => true,
            Expression::Call(call) => self.call(call),
        }
    }

    fn call(&mut self, call: &FunctionCall) -> bool {
        if !call.args.iter().rev().all(|argument| self.expression(argument)) {
            return false;
        }
        let flow = match call.callee {
            Callee::Builtin(builtin) => ControlFlow::of_builtin(builtin),
            Callee::User(name) => {
                self.graph.get(name).map_or(ControlFlow::default(), |index| self.known[index])
            }
        };
        self.flow.can_terminate |= flow.can_terminate;
        self.flow.can_revert |= flow.can_revert;
        flow.can_continue
    }
}

#[cfg(test)]
mod tests {
    use cairn_diag::FileId;

    use super::*;
    use crate::{Dialect, parse};

    /// The facts of functions `a`, `b`, … as letters: terminate, revert, continue.
    fn flows(text: &str) -> Vec<String> {
        let parsed = parse(text, FileId(0), &Dialect::default());
        assert!(!parsed.diagnostics.has_errors(), "{:?}", parsed.diagnostics);
        let object = parsed.object.expect("a tree");
        let flows = compute_control_flow(&object.code);
        let mut list: Vec<String> = flows
            .iter()
            .map(|(name, flow)| {
                let letters = [(flow.can_terminate, 't'), (flow.can_revert, 'r'), (flow.can_continue, 'c')];
                let set: String =
                    letters.iter().filter(|(holds, _)| *holds).map(|(_, letter)| letter).collect();
                format!("{} {set}", parsed.names.text(name))
            })
            .collect();
        list.sort();
        list
    }

    #[test]
    fn arguments_can_end_the_execution() {
        let text = "{ function a() { sstore(b(), 1) revert(0, 0) } function b() -> r { stop() } }";
        assert_eq!(flows(text), ["a t", "b t"]);
    }

    #[test]
    fn recursion_reaches_a_fixed_point() {
        let text =
            "{ function a() { b() } function b() { if 1 { c() } revert(0, 0) } function c() { a() stop() } }";
        assert_eq!(flows(text), ["a r", "b r", "c r"]);
        assert_eq!(flows("{ function a() { a() } }"), ["a "]);
    }

    #[test]
    fn a_post_block_is_reached_by_continue_only() {
        assert_eq!(flows("{ function a() { for {} 1 { invalid() } { break } } }"), ["a c"]);
        assert_eq!(flows("{ function a() { for {} 1 { invalid() } { continue } } }"), ["a rc"]);
    }
}

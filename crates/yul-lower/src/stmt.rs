//! Statements. In dead code nothing is built; function definitions there were built on entry to
//! the block that holds them.

use crate::object::ObjectLowering;
use crate::state::LoopState;
use crate::state::{Edge, Exit};
use cairn_evm::Word;
use cairn_ir::{Block, FuncBuilder, Type, Value};
use cairn_yul::{
    Assignment, Block as YulBlock, Expression, For, If, Statement, Switch, VariableDeclaration, YulName,
};
use rustc_hash::FxHashMap;

impl ObjectLowering<'_> {
    /// Lowers a block; afterwards `state.block` is `None` if its end is never reached.
    pub(crate) fn lower_block(&mut self, block: &YulBlock) {
        self.lower_definitions(block);
        for statement in &block.statements {
            if self.state.block.is_none() {
                return;
            }
            self.lower_statement(statement);
        }
    }

    fn lower_statement(&mut self, statement: &Statement) {
        match statement {
            Statement::Expression(expression, span, src) => {
                self.set_place(*src, *span);
                self.lower_expression(expression);
            }
            Statement::Let(declaration) => self.lower_declaration(declaration),
            Statement::Assign(assignment) => self.lower_assignment(assignment),
            Statement::If(if_) => self.lower_if(if_),
            Statement::Switch(switch) => self.lower_switch(switch),
            Statement::For(for_) => self.lower_for(for_),
            Statement::Function(_) => {}
            Statement::Break(span, src) => {
                self.set_place(*src, *span);
                self.leave_loop(|state| &mut state.breaks);
            }
            Statement::Continue(span, src) => {
                self.set_place(*src, *span);
                self.leave_loop(|state| &mut state.continues);
            }
            Statement::Leave(span, src) => {
                self.set_place(*src, *span);
                self.lower_leave();
            }
            Statement::Block(block) => self.lower_block(block),
        }
    }

    #[inline(never)]
    fn lower_declaration(&mut self, declaration: &VariableDeclaration) {
        self.set_place(declaration.src, declaration.span);
        let Some(value) = &declaration.value else {
            let zero = self.constant(Word::ZERO);
            declaration.variables.iter().for_each(|id| self.declare(id.name, zero));
            return;
        };
        if let Some(values) = self.lower_expression(value) {
            declaration.variables.iter().zip(values).for_each(|(id, value)| self.declare(id.name, value));
        }
    }

    #[inline(never)]
    fn lower_assignment(&mut self, assignment: &Assignment) {
        self.set_place(assignment.src, assignment.span);
        if let Some(values) = self.lower_expression(&assignment.value) {
            assignment.targets.iter().zip(values).for_each(|(id, value)| self.assign(id.name, value));
        }
    }

    #[inline(never)]
    fn lower_if(&mut self, if_: &If) {
        self.set_place(if_.src, if_.span);
        let loc = self.state.loc;
        let Some((head, condition)) = self.lower_condition(&if_.condition) else { return };
        let then = self.append_block();
        let branch = self.vars.open_branch();
        self.state.block = Some(then);
        self.lower_block(&if_.body);
        let end = self.state.block;
        let mut changes = self.vars.close_branch(branch);
        if end.is_none() {
            changes.clear();
        }
        let (names, new): (Vec<YulName>, Vec<Value>) = changes.into_iter().unzip();
        let old = names.iter().map(|name| self.vars.get(*name)).collect();
        let mut edges =
            vec![Edge { block: head, exit: Exit::Otherwise { condition, then }, values: old, loc }];
        edges.extend(end.map(|block| Edge { block, exit: Exit::Jump, values: new, loc: self.state.loc }));
        self.join(&names, edges);
    }

    #[inline(never)]
    fn lower_switch(&mut self, switch: &Switch) {
        self.set_place(switch.src, switch.span);
        let loc = self.state.loc;
        let Some((head, value)) = self.lower_condition(&switch.expression) else { return };
        let bits = self.state.func.dfg.ty(value).bits().unwrap_or(256);
        let mut cases = Vec::new();
        let mut default = None;
        let mut merge = SwitchMerge::default();
        for case in &switch.cases {
            let start = self.append_block();
            match &case.value {
                // A test is never 2, an address never longer than its type: nothing leads there.
                Some(literal) if literal.value.bit_len() > usize::from(bits) => {}
                Some(literal) => cases.push((literal.value, start)),
                None => default = Some(start),
            }
            let branch = self.vars.open_branch();
            self.state.block = Some(start);
            // An empty case is not at what the one before it ends with.
            self.state.loc = loc;
            self.lower_block(&case.body);
            let changes = self.vars.close_branch(branch);
            if let Some(block) = self.state.block {
                merge.add(block, Exit::Jump, changes, self.state.loc);
            }
        }
        match default {
            Some(default) => {
                let mut builder = FuncBuilder::at(&mut self.state.func, head);
                builder.set_loc(loc);
                builder.switch(value, &cases, default);
            }
            None => merge.add(head, Exit::NoCase { value, cases }, Vec::new(), loc),
        }
        let old: Vec<Value> = merge.names.iter().map(|name| self.vars.get(*name)).collect();
        let edges = merge.ends.into_iter().map(|CaseEnd { block, exit, changes, loc }| {
            let mut values = old.clone();
            changes.into_iter().for_each(|(index, new)| values[index] = new);
            Edge { block, exit, values, loc }
        });
        let edges = edges.collect();
        self.join(&merge.names, edges);
    }

    #[inline(never)]
    fn lower_for(&mut self, for_: &For) {
        self.set_place(for_.src, for_.span);
        let loc = self.state.loc;
        self.lower_block(&for_.init);
        if self.state.block.is_none() {
            return;
        }
        let vars = crate::assigned::assigned_in_loop(for_);
        let header = self.open_loop(&vars, loc);
        let exit = self.lower_loop_condition(&for_.condition, &vars);
        self.state.loops.push(LoopState { vars, breaks: exit.into_iter().collect(), continues: Vec::new() });
        self.lower_block(&for_.body);
        self.leave_loop(|state| &mut state.continues);

        let mut state = self.state.loops.pop().expect("invariant: loops nest");
        self.join(&state.vars, std::mem::take(&mut state.continues));
        if self.state.block.is_some() {
            self.lower_block(&for_.post);
        }
        self.state.loc = loc;
        if let Some(end) = self.leave_by_jump(&state.vars) {
            let mut builder = FuncBuilder::at(&mut self.state.func, end.block);
            builder.set_loc(loc);
            builder.br(header, &end.values);
        }
        self.join(&state.vars, state.breaks);
    }

    /// Jumps to a new loop header, which has a parameter for each of `vars`.
    fn open_loop(&mut self, vars: &[YulName], loc: Option<cairn_ir::Loc>) -> Block {
        self.state.loc = loc;
        let header = self.append_block();
        let values: Vec<Value> = vars.iter().map(|name| self.vars.get(*name)).collect();
        self.builder().br(header, &values);
        self.state.block = Some(header);
        for name in vars {
            let param = self.state.func.dfg.append_param(header, Type::U256);
            self.assign(*name, param);
        }
        header
    }

    /// Continues in the body. Returns the edge that leaves the loop, unless the condition is
    /// always true or never evaluated to the end.
    fn lower_loop_condition(&mut self, condition: &Expression, vars: &[YulName]) -> Option<Edge> {
        if matches!(condition, Expression::Literal(literal) if !literal.value.is_zero()) {
            return None;
        }
        let (head, condition) = self.lower_condition(condition)?;
        let then = self.append_block();
        self.state.block = Some(then);
        let values = vars.iter().map(|name| self.vars.get(*name)).collect();
        Some(Edge { block: head, exit: Exit::Otherwise { condition, then }, values, loc: self.state.loc })
    }

    /// Jumps out of the body of the innermost loop.
    fn leave_loop(&mut self, edges: impl Fn(&mut LoopState) -> &mut Vec<Edge>) {
        let mut state = self.state.loops.pop().expect("invariant: `break` and `continue` stand in a loop");
        let edge = self.leave_by_jump(&state.vars);
        edges(&mut state).extend(edge);
        self.state.loops.push(state);
    }

    /// The value of a condition and the block that ends with it; `None` if control does not come
    /// back from it.
    fn lower_condition(&mut self, condition: &Expression) -> Option<(Block, Value)> {
        let value = self.lower_single(condition)?;
        let block = self.state.block.expect("invariant: a value was computed somewhere");
        Some((block, value))
    }

    fn append_block(&mut self) -> Block {
        let block = self.state.func.make_block();
        self.state.func.layout.append_block(block);
        block
    }
}

/// Collects which variables the cases of a switch change.
#[derive(Default)]
struct SwitchMerge {
    /// All of them, in order of first assignment.
    names: Vec<YulName>,
    index: FxHashMap<YulName, usize>,
    ends: Vec<CaseEnd>,
}

/// The end of a case.
struct CaseEnd {
    block: Block,
    exit: Exit,
    /// What it changes, by index in [`SwitchMerge::names`].
    changes: Vec<(usize, Value)>,
    /// Of its last statement: it may be all the code that the statement has.
    loc: Option<cairn_ir::Loc>,
}

impl SwitchMerge {
    fn add(&mut self, block: Block, exit: Exit, changes: Vec<(YulName, Value)>, loc: Option<cairn_ir::Loc>) {
        let changes = changes.into_iter().map(|(name, value)| {
            let index = *self.index.entry(name).or_insert_with(|| {
                self.names.push(name);
                self.names.len() - 1
            });
            (index, value)
        });
        let changes = changes.collect();
        self.ends.push(CaseEnd { block, exit, changes, loc });
    }
}

//! Removes block parameters that merge nothing or that nobody reads.
//!
//! The walk over the tree gives every variable that a loop assigns to a parameter at its header.
//! A parameter is *trivial* if all its arguments are one value or itself; it is replaced by that
//! value. It is *dead* if only dead parameters take it as argument. Near-linear in the function.

use cairn_ir::{Block, Function, Inst, Payload, SecondaryMap, Value};

/// See the head of the file.
pub(crate) fn simplify_params(func: &mut Function) {
    let mut params = Params::collect(func);
    if params.list.is_empty() {
        return;
    }
    params.replace_trivial();
    params.mark_live(func);
    if params.list.iter().any(|param| !param.is_kept()) {
        params.rewrite(func);
    }
}

/// Drops the cases of a switch that do not fit what is compared, which may have taken the place of a wider parameter.
fn drop_cases_that_never_match(func: &mut Function, last: Inst) {
    let Payload::Switch(id) = func.dfg.inst(last).payload else { return };
    let bits = func.dfg.ty(func.dfg.args(last)[0]).bits().unwrap_or(256);
    func.dfg.switch_mut(id).cases.retain(|(word, _)| word.bit_len() <= usize::from(bits));
}

struct Param {
    value: Value,
    args: Vec<Value>,
    /// Parameters that take this one (or one replaced by it) as argument.
    users: Vec<u32>,
    replaced_by: Option<Value>,
    is_live: bool,
}

impl Param {
    fn is_kept(&self) -> bool {
        self.is_live && self.replaced_by.is_none()
    }
}

/// Parameters of all blocks but the entry.
struct Params {
    list: Vec<Param>,
    /// Position in `list` plus one; 0 for other values.
    index: SecondaryMap<Value, u32>,
}

impl Params {
    fn collect(func: &Function) -> Self {
        let mut params = Params { list: Vec::new(), index: SecondaryMap::new() };
        for block in func.layout.blocks().skip(1) {
            for value in func.dfg.params(block) {
                let param = Param {
                    value: *value,
                    args: Vec::new(),
                    users: Vec::new(),
                    replaced_by: None,
                    is_live: false,
                };
                params.list.push(param);
                params.index[*value] = params.list.len() as u32;
            }
        }
        if !params.list.is_empty() {
            func.layout.blocks().for_each(|block| params.collect_args(func, block));
        }
        params
    }

    fn collect_args(&mut self, func: &Function, block: Block) {
        let Some(last) = func.terminator(block) else { return };
        func.dfg.for_each_target(last, |call| {
            for (value, arg) in func.dfg.params(call.block).iter().zip(func.dfg.call_args(call)) {
                let Some(user) = self.position(*value) else { continue };
                self.list[user].args.push(*arg);
                if let Some(used) = self.position(*arg) {
                    self.list[used].users.push(user as u32);
                }
            }
        });
    }

    fn position(&self, value: Value) -> Option<usize> {
        (self.index[value] as usize).checked_sub(1)
    }

    /// What stands for `value` after replacements.
    fn resolve(&self, mut value: Value) -> Value {
        while let Some(next) = self.position(value).and_then(|at| self.list[at].replaced_by) {
            value = next;
        }
        value
    }

    fn replace_trivial(&mut self) {
        let mut work: Vec<u32> = (0..self.list.len() as u32).rev().collect();
        while let Some(at) = work.pop() {
            let Some(same) = self.single_source(at as usize) else { continue };
            let param = &mut self.list[at as usize];
            param.replaced_by = Some(same);
            let users = std::mem::take(&mut param.users);
            work.extend(&users);
            if let Some(source) = self.position(same) {
                self.list[source].users.extend(users);
            }
        }
    }

    /// The only value a parameter not yet replaced can have.
    fn single_source(&mut self, at: usize) -> Option<Value> {
        if self.list[at].replaced_by.is_some() {
            return None;
        }
        let mut source = None;
        for arg in 0..self.list[at].args.len() {
            let value = self.resolve(self.list[at].args[arg]);
            self.list[at].args[arg] = value;
            if value == self.list[at].value {
                continue;
            }
            if source.is_some_and(|source| source != value) {
                return None;
            }
            source = Some(value);
        }
        source
    }

    fn mark_live(&mut self, func: &Function) {
        let mut work = Vec::new();
        for block in func.layout.blocks() {
            for inst in func.layout.insts(block) {
                work.extend(func.dfg.args(inst).iter().map(|arg| self.resolve(*arg)));
            }
        }
        while let Some(value) = work.pop() {
            let Some(at) = self.position(value) else { continue };
            if !std::mem::replace(&mut self.list[at].is_live, true) {
                work.extend(self.list[at].args.iter().map(|arg| self.resolve(*arg)));
            }
        }
    }

    fn rewrite(&self, func: &mut Function) {
        let kept = |value: Value| self.position(value).is_none_or(|at| self.list[at].is_kept());
        let blocks: Vec<Block> = func.layout.blocks().collect();
        let kept_of: SecondaryMap<Block, Vec<bool>> = {
            let mut map = SecondaryMap::new();
            for block in &blocks {
                map[*block] = func.dfg.params(*block).iter().map(|value| kept(*value)).collect();
            }
            map
        };
        for block in &blocks {
            let mut next = func.layout.first_inst(*block);
            while let Some(inst) = next {
                next = func.layout.next_inst(inst);
                func.dfg.map_uses(inst, |value| self.resolve(value));
            }
            if let Some(last) = func.terminator(*block) {
                drop_cases_that_never_match(func, last);
                func.dfg.map_targets(last, |target, args| {
                    let pairs = args.iter().zip(&kept_of[target]);
                    (target, pairs.filter(|(_, kept)| **kept).map(|(arg, _)| *arg).collect())
                });
            }
        }
        for block in blocks {
            func.dfg.retain_params(block, |_, value| kept(value));
        }
    }
}

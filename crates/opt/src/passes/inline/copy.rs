//! Copies bodies into a caller.

use super::Site;
use crate::edit::remove_unreachable_blocks;
use cairn_ir::{
    Block, BlockCall, DebugInfo, Func, Function, Inst, Loc, Module, Op, Payload, SecondaryMap, SwitchData,
    Value,
};
use cranelift_entity::packed_option::PackedOption;
use smallvec::SmallVec;

/// Replaces calls by bodies, and calls in these bodies by theirs, as `sites` says for the caller
/// and `nested` for each function that is copied. Each body is copied once a site; the last site
/// comes first, so that splitting blocks stays linear.
pub(super) fn inline_sites(
    func: &mut Function,
    module: &Module,
    sites: &[Site],
    nested: &SecondaryMap<Func, Vec<Site>>,
) {
    let mut renaming: SecondaryMap<Value, PackedOption<Value>> = SecondaryMap::new();
    renaming.resize(func.dfg.num_values());
    let mut work: Vec<Site> = sites.to_vec();
    while let Some(site) = work.pop() {
        inline_site(func, site, module, &nested[site.callee], &mut renaming, &mut work);
    }
    let Function { dfg, layout, .. } = func;
    for inst in layout.blocks().flat_map(|block| layout.insts(block)) {
        dfg.map_uses(inst, |value| renaming[value].expand().unwrap_or(value));
    }
    remove_unreachable_blocks(func);
}

fn inline_site(
    func: &mut Function,
    site: Site,
    module: &Module,
    nested: &[Site],
    renaming: &mut SecondaryMap<Value, PackedOption<Value>>,
    work: &mut Vec<Site>,
) {
    // A body that never comes back, copied before, may have left the call unreachable.
    let Some(block) = func.layout.inst_block(site.call) else {
        return;
    };
    let after = func.make_block();
    func.layout.insert_block_after(after, block);
    if let Some(next) = func.layout.next_inst(site.call) {
        func.layout.split_block(next, after);
    }
    let results = func.dfg.results(site.call).to_vec();
    for result in results {
        let param = func.dfg.append_param(after, func.dfg.ty(result));
        renaming[result] = param.into();
    }
    let args = func.dfg.args(site.call).to_vec();
    func.layout.remove_inst(site.call);
    let mut copy = Copy {
        loc: func.dfg.inst(site.call).loc,
        debug: &module.debug,
        func,
        callee: &module.funcs[site.callee],
        after,
        blocks: SecondaryMap::new(),
        values: SecondaryMap::new(),
        insts: Vec::new(),
    };
    copy.blocks.resize(copy.callee.num_blocks());
    copy.values.resize(copy.callee.dfg.num_values());
    copy.insts.reserve(copy.callee.dfg.num_insts());
    let entry = copy.copy_body(block, &args);
    copy.add_nested(nested, work);
    let call = func.dfg.block_call(entry, &[]);
    let jump = func.dfg.make_inst(Op::Br, &[], Payload::Jump(call));
    func.layout.append_inst(jump, block);
}

/// A body on its way into a caller.
struct Copy<'a> {
    func: &'a mut Function,
    callee: &'a Function,
    /// Where returns go.
    after: Block,
    /// The place of the call: that of instructions without one, which are the runtime's, and of
    /// those whose place is around it, which are a front end's helpers.
    loc: PackedOption<Loc>,
    debug: &'a DebugInfo,
    blocks: SecondaryMap<Block, PackedOption<Block>>,
    values: SecondaryMap<Value, PackedOption<Value>>,
    /// Each instruction with its copy, in order.
    insts: Vec<(Inst, Inst)>,
}

impl Copy<'_> {
    /// Copies every block behind `place`; returns the entry's copy, whose parameters are `args`.
    fn copy_body(&mut self, place: Block, args: &[Value]) -> Block {
        let callee = self.callee;
        let mut last = place;
        for block in callee.layout.blocks() {
            let copied = self.func.make_block();
            self.func.layout.insert_block_after(copied, last);
            self.blocks[block] = copied.into();
            last = copied;
            self.make_params(block, copied, args);
            for inst in callee.layout.insts(block) {
                let made = self.make_inst(inst, copied);
                self.insts.push((inst, made));
            }
        }
        for index in 0..self.insts.len() {
            let (inst, made) = self.insts[index];
            self.fill_inst(inst, made);
        }
        self.block(callee.layout.entry())
    }

    /// Adds the copies of calls that are to be replaced, too; `nested` is in the order of the
    /// callee's control flow, which need not be that of its layout.
    fn add_nested(&self, nested: &[Site], work: &mut Vec<Site>) {
        if nested.is_empty() {
            return;
        }
        let mut copies: SecondaryMap<Inst, PackedOption<Inst>> = SecondaryMap::new();
        self.insts.iter().for_each(|(inst, made)| copies[*inst] = (*made).into());
        for site in nested {
            let copy: PackedOption<Inst> = copies[site.call];
            work.extend(copy.expand().map(|call| Site { call, ..*site }));
        }
    }

    fn make_params(&mut self, block: Block, copied: Block, args: &[Value]) {
        let callee = self.callee;
        for (index, param) in callee.dfg.params(block).iter().enumerate() {
            let is_entry = block == callee.layout.entry();
            let value = if is_entry {
                args[index]
            } else {
                self.func.dfg.append_param(copied, callee.dfg.ty(*param))
            };
            self.values[*param] = value.into();
        }
    }

    /// An instruction with its results but without operands, so that uses can come before
    /// definitions.
    fn make_inst(&mut self, inst: Inst, copied: Block) -> Inst {
        let callee = self.callee;
        let made = self.func.dfg.make_inst(callee.dfg.op(inst), &[], Payload::None);
        for result in callee.dfg.results(inst) {
            let value = self.func.dfg.append_result(made, callee.dfg.ty(*result));
            self.values[*result] = value.into();
        }
        self.func.dfg.inst_mut(made).loc = self.loc_of(callee.dfg.inst(inst).loc).into();
        if callee.spans[inst].is_some() {
            self.func.spans[made] = callee.spans[inst];
        }
        self.func.layout.append_inst(made, copied);
        made
    }

    /// The more exact of an instruction's place and the call's.
    fn loc_of(&self, own: PackedOption<Loc>) -> Option<Loc> {
        let (Some(own), Some(call)) = (own.expand(), self.loc.expand()) else {
            return own.expand().or(self.loc.expand());
        };
        Some(if self.debug.loc(own).encloses(&self.debug.loc(call)) { call } else { own })
    }

    fn fill_inst(&mut self, inst: Inst, made: Inst) {
        let callee = self.callee;
        let args: SmallVec<[Value; 8]> = callee.dfg.args(inst).iter().map(|arg| self.value(*arg)).collect();
        let op = callee.dfg.op(inst);
        if op == Op::Iret {
            let call = self.func.dfg.block_call(self.after, &args);
            self.func.dfg.replace_inst(made, Op::Br, &[], Payload::Jump(call));
            return;
        }
        let payload = self.payload(callee.dfg.inst(inst).payload);
        self.func.dfg.replace_inst(made, op, &args, payload);
    }

    fn payload(&mut self, payload: Payload) -> Payload {
        match payload {
            Payload::Const(id) => Payload::Const(self.func.dfg.make_const(self.callee.dfg.word(id))),
            Payload::Jump(call) => Payload::Jump(self.edge(&call)),
            Payload::Branch([then, otherwise]) => Payload::Branch([self.edge(&then), self.edge(&otherwise)]),
            Payload::Switch(id) => {
                let data = self.callee.dfg.switch(id);
                let cases = data.cases.iter().map(|(word, call)| (*word, self.edge(call))).collect();
                let default = self.edge(&data.default);
                Payload::Switch(self.func.dfg.make_switch(SwitchData { default, cases }))
            }
            Payload::None | Payload::Number(_) | Payload::Func(_) | Payload::Symbol(_) => payload,
        }
    }

    fn edge(&mut self, call: &BlockCall) -> BlockCall {
        let args = self.callee.dfg.call_args(call).iter().map(|arg| self.value(*arg));
        let args: SmallVec<[Value; 8]> = args.collect();
        self.func.dfg.block_call(self.block(call.block), &args)
    }

    fn block(&self, block: Block) -> Block {
        self.blocks[block].expect("invariant: every block of the layout was copied")
    }

    fn value(&self, value: Value) -> Value {
        self.values[value].expect("invariant: every value used in the body is defined there")
    }
}

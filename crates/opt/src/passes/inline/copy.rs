//! Copies bodies into a caller.

use super::Site;
use crate::edit::remove_unreachable_blocks;
use crate::transplant::Transplant;
use cairn_ir::{Block, DebugInfo, Func, Function, Inst, Loc, Module, Op, Payload, SecondaryMap, Value};
use cranelift_entity::packed_option::PackedOption;

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
    let callee = &module.funcs[site.callee];
    let mut copy = Copy {
        loc: func.dfg.inst(site.call).loc,
        debug: &module.debug,
        code: Transplant::new(callee, func),
        after,
        insts: Vec::with_capacity(callee.dfg.num_insts()),
    };
    copy.code.blocks.resize(callee.num_blocks());
    copy.code.values.resize(callee.dfg.num_values());
    let entry = copy.copy_body(block, &args);
    copy.add_nested(nested, work);
    let call = func.dfg.block_call(entry, &[]);
    let jump = func.dfg.make_inst(Op::Br, &[], Payload::Jump(call));
    func.layout.append_inst(jump, block);
}

/// A body on its way into a caller.
struct Copy<'a> {
    code: Transplant<'a>,
    /// Where returns go.
    after: Block,
    /// The place of the call: that of instructions without one, which are the runtime's, and of
    /// those whose place is around it, which are a front end's helpers.
    loc: PackedOption<Loc>,
    debug: &'a DebugInfo,
    /// Each instruction with its copy, in order.
    insts: Vec<(Inst, Inst)>,
}

impl Copy<'_> {
    /// Copies every block behind `place`; returns the entry's copy, whose parameters are `args`.
    fn copy_body(&mut self, place: Block, args: &[Value]) -> Block {
        let callee = self.code.from;
        let entry = callee.layout.entry();
        let mut last = place;
        for block in callee.layout.blocks() {
            let copied = self.code.to.make_block();
            self.code.to.layout.insert_block_after(copied, last);
            self.code.blocks[block] = copied.into();
            last = copied;
            if block == entry {
                let params = callee.params().iter().zip(args);
                params.for_each(|(param, arg)| self.code.values[*param] = (*arg).into());
            } else {
                self.code.make_params(block, copied);
            }
            for inst in callee.layout.insts(block) {
                let loc = self.loc_of(callee.dfg.inst(inst).loc);
                let made = self.code.make_inst(inst, copied, loc);
                self.insts.push((inst, made));
            }
        }
        for index in 0..self.insts.len() {
            let (inst, made) = self.insts[index];
            self.fill_inst(inst, made);
        }
        self.code.block(entry)
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

    /// The more exact of an instruction's place and the call's.
    fn loc_of(&self, own: PackedOption<Loc>) -> Option<Loc> {
        let (Some(own), Some(call)) = (own.expand(), self.loc.expand()) else {
            return own.expand().or(self.loc.expand());
        };
        Some(if self.debug.loc(own).range().encloses(&self.debug.loc(call).range()) { call } else { own })
    }

    fn fill_inst(&mut self, inst: Inst, made: Inst) {
        if self.code.from.dfg.op(inst) != Op::Iret {
            return self.code.fill_inst(inst, made);
        }
        let results = self.code.args(inst);
        let call = self.code.to.dfg.block_call(self.after, &results);
        self.code.to.dfg.replace_inst(made, Op::Br, &[], Payload::Jump(call));
    }
}

//! Copies bodies into a caller.

use super::Site;
use crate::edit::{Renaming, remove_unreachable_blocks, rename_through};
use crate::transplant::Transplant;
use cairn_ir::{
    Block, DebugInfo, Func, Function, Inst, Loc, Module, Op, Payload, SecondaryMap, Value, sized,
};
use cranelift_entity::packed_option::PackedOption;

/// Replaces calls by bodies, and calls in these bodies by theirs, as `sites` says for the caller
/// and `nested` for each function that is copied. Each body is copied once a site; the last site
/// comes first, so that splitting blocks stays linear. A body begins in the block of the call, and what
/// follows the call stands behind its return if it has one: no block is made that would only be joined again.
pub(super) fn inline_sites(
    func: &mut Function,
    module: &Module,
    sites: &[Site],
    nested: &SecondaryMap<Func, Vec<Site>>,
) {
    let mut renaming: Renaming = sized(func.dfg.num_values());
    let mut work: Vec<Site> = sites.to_vec();
    while let Some(site) = work.pop() {
        inline_site(func, site, module, &nested[site.callee], &mut renaming, &mut work);
    }
    // What a body returns may be what another call returns.
    rename_through(func, &mut renaming);
    remove_unreachable_blocks(func);
}

fn inline_site(
    func: &mut Function,
    site: Site,
    module: &Module,
    nested: &[Site],
    renaming: &mut Renaming,
    work: &mut Vec<Site>,
) {
    // A body that never comes back, copied before, may have left the call unreachable.
    let Some(block) = func.layout.inst_block(site.call) else {
        return;
    };
    let callee = &module.funcs[site.callee];
    let args = func.dfg.args(site.call).to_vec();
    let results = func.dfg.results(site.call).to_vec();
    let way_back = match sole_return(callee) {
        Some(inst) => WayBack::Direct(inst),
        None => WayBack::Joined(split_behind(func, site.call, block, &results, renaming)),
    };
    func.dfg.reserve(callee.layout.num_insts(), callee.layout.num_insts());
    let mut copy = Copy {
        call: site.call,
        loc: func.dfg.inst(site.call).loc,
        debug: &module.debug,
        code: Transplant::new(callee, func),
        way_back,
        insts: Vec::with_capacity(callee.layout.num_insts()),
    };
    copy.code.blocks.resize(callee.num_blocks());
    copy.code.values.resize(callee.dfg.num_values());
    copy.copy_body(block, &args);
    copy.add_nested(nested, work);
    copy.go_on(block, &results, renaming);
    func.layout.remove_inst(site.call);
}

/// The only return of a function that has one.
fn sole_return(func: &Function) -> Option<Inst> {
    let ends = func.layout.blocks().filter_map(|block| func.layout.last_inst(block));
    let mut returns = ends.filter(|inst| func.dfg.op(*inst) == Op::Iret);
    returns.next().filter(|_| returns.next().is_none())
}

/// Moves what follows a call into a block of its own, whose parameters are the call's results.
fn split_behind(
    func: &mut Function,
    call: Inst,
    block: Block,
    results: &[Value],
    renaming: &mut Renaming,
) -> Block {
    let after = func.make_block();
    func.layout.insert_block_after(after, block);
    if let Some(next) = func.layout.next_inst(call) {
        func.layout.split_block(next, after);
    }
    for result in results {
        let param = func.dfg.append_param(after, func.dfg.ty(*result));
        renaming[*result] = param.into();
    }
    after
}

/// What follows a body.
#[derive(Clone, Copy)]
enum WayBack {
    /// The body returns in one place, by this instruction: what follows the call goes on there.
    Direct(Inst),
    /// It returns in several, or nowhere: returns go to this block.
    Joined(Block),
}

/// A body on its way into a caller.
struct Copy<'a> {
    code: Transplant<'a>,
    /// The call in whose place it is put.
    call: Inst,
    way_back: WayBack,
    /// The place of the call: that of instructions without one, which are the runtime's, and of
    /// those whose place is around it, which are a front end's helpers.
    loc: PackedOption<Loc>,
    debug: &'a DebugInfo,
    /// Each instruction with its copy, in order.
    insts: Vec<(Inst, Inst)>,
}

impl Copy<'_> {
    /// Copies the first block before the call, with `args` for its parameters, and every other block behind
    /// `place`, the call's.
    fn copy_body(&mut self, place: Block, args: &[Value]) {
        let callee = self.code.from;
        let entry = callee.layout.entry();
        let params = callee.params().iter().zip(args);
        params.for_each(|(param, arg)| self.code.values[*param] = (*arg).into());
        self.code.blocks[entry] = place.into();
        for inst in callee.layout.insts(entry) {
            if let Some(made) = self.copy_inst(inst) {
                self.code.to.layout.insert_inst_before(made, self.call);
            }
        }
        let mut last = place;
        for block in callee.layout.blocks().skip(1) {
            let copied = self.code.to.make_block();
            self.code.to.layout.insert_block_after(copied, last);
            self.code.blocks[block] = copied.into();
            self.code.make_params(block, copied);
            last = copied;
            for inst in callee.layout.insts(block) {
                if let Some(made) = self.copy_inst(inst) {
                    self.code.to.layout.append_inst(made, copied);
                }
            }
        }
        for index in 0..self.insts.len() {
            let (inst, made) = self.insts[index];
            self.fill_inst(inst, made);
        }
    }

    /// The copy of an instruction, in no block yet; none of the return behind which the caller goes on.
    fn copy_inst(&mut self, inst: Inst) -> Option<Inst> {
        if matches!(self.way_back, WayBack::Direct(end) if end == inst) {
            return None;
        }
        let loc = self.loc_of(self.code.from.dfg.inst(inst).loc);
        let made = self.code.make_inst(inst, loc);
        self.insts.push((inst, made));
        Some(made)
    }

    /// Moves what follows the call behind the only return, whose operands are the call's results.
    fn go_on(&mut self, place: Block, results: &[Value], renaming: &mut Renaming) {
        let WayBack::Direct(end) = self.way_back else { return };
        for (result, value) in results.iter().zip(self.code.args(end)) {
            renaming[*result] = value.into();
        }
        let home = self.code.from.layout.inst_block(end).expect("invariant: the return is in the layout");
        let home = self.code.block(home);
        if let Some(next) = self.code.to.layout.next_inst(self.call).filter(|_| home != place) {
            self.code.to.layout.split_block(next, home);
        }
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
        let WayBack::Joined(after) = self.way_back else {
            return self.code.fill_inst(inst, made);
        };
        if self.code.from.dfg.op(inst) != Op::Iret {
            return self.code.fill_inst(inst, made);
        }
        let results = self.code.args(inst);
        let call = self.code.to.dfg.block_call(after, &results);
        self.code.to.dfg.replace_inst(made, Op::Br, &[], Payload::Jump(call));
    }
}

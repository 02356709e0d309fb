//! Calls of other contracts, returned data, and the arguments and the code of a deployment.

use crate::abi::{Abi, Options, Source};
use crate::code::Code;
use crate::error::AbiError;
use crate::func::AbiFn;
use crate::signature::Method;
use crate::types::{AbiType, check_all, list};
use cairn_evm::Opcode;
use cairn_ir::module::ENTRY_NAME;
use cairn_ir::{Func, Module, Op, Payload, Signature, Symbol, Value};

/// How another contract is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallKind {
    /// With wei; the other contract may change state.
    Call,
    /// State cannot be changed.
    Static,
    /// The other contract's code runs on this contract's storage.
    Delegate,
}

impl CallKind {
    fn opcode(self) -> Opcode {
        match self {
            CallKind::Call => Opcode::CALL,
            CallKind::Static => Opcode::STATICCALL,
            CallKind::Delegate => Opcode::DELEGATECALL,
        }
    }
}

impl Abi<'_> {
    /// Calls a function of another contract: `(address, words…) -> (words…)`; a
    /// [`CallKind::Call`] takes the wei to send behind the address. All gas is passed on. A failure
    /// of the call passes through; so does a method without results fail where there is no code.
    ///
    /// # Errors
    /// If a type goes beyond a limit.
    pub fn caller(&mut self, method: &Method, kind: CallKind) -> Result<AbiFn, AbiError> {
        check_all(&method.params)?;
        let decoder = self.returned(&method.results)?;
        let num_fixed = if kind == CallKind::Call { 2 } else { 1 };
        let name = format!("abi.{}.{method}{}", kind.opcode().known().lower, list(&method.results));
        let (params, results) = (num_fixed + method.params.len(), method.results.len());
        Ok(self.function(&name, params, results, |abi, mut code, args| {
            if method.results.is_empty() {
                let size = code.op(Opcode::EXTCODESIZE, &[args[0]]);
                let is_empty = code.op(Opcode::ISZERO, &[size]);
                code.reject(is_empty);
                code.flush();
            }
            let selector = Some(method.selector());
            let (start, size) = abi.encode_anywhere(&mut code, selector, &method.params, &args[num_fixed..]);
            let (gas, zero) = (code.op(Opcode::GAS, &[]), code.word(0));
            let mut operands = vec![gas];
            operands.extend(&args[..num_fixed]);
            operands.extend([start, size, zero, zero]);
            let succeeded = code.op(kind.opcode(), &operands);
            let (good, bad) = (code.new_block(), code.new_block());
            code.builder().cond_br(succeeded, good, bad);
            code.switch_to(bad);
            let bubble = abi.bubble();
            code.call(&bubble, &[]);
            code.unreachable();
            code.switch_to(good);
            let words = code.call(&decoder, &[]);
            code.iret(&words)
        }))
    }

    /// Decodes what the last call returned: `() -> (words…)`.
    ///
    /// # Errors
    /// If a type goes beyond a limit.
    pub fn returned(&mut self, types: &[AbiType]) -> Result<AbiFn, AbiError> {
        let decoder = self.decoder(types, Source::Memory)?;
        let allocator = if types.is_empty() { None } else { Some(self.allocator()) };
        Ok(self.function(&format!("abi.returned.{}", list(types)), 0, types.len(), |_, mut code, _| {
            let Some(allocator) = allocator else { return code.iret(&[]) };
            let size = code.op(Opcode::RETURNDATASIZE, &[]);
            let start = code.call_word(&allocator, &[size]);
            let zero = code.word(0);
            code.effect(Opcode::RETURNDATACOPY, &[start, zero, size]);
            let words = decode_between(&mut code, &decoder, start, size);
            code.iret(&words)
        }))
    }

    /// Decodes the arguments of a constructor, which stand behind the module's own code:
    /// `() -> (words…)`. For creation code.
    ///
    /// # Errors
    /// If a type goes beyond a limit.
    pub fn constructor_arguments(&mut self, types: &[AbiType]) -> Result<AbiFn, AbiError> {
        let decoder = self.decoder(types, Source::Memory)?;
        let allocator = if types.is_empty() { None } else { Some(self.allocator()) };
        let own = self.module.symbols.intern(&self.module.name);
        let name = format!("abi.constructor.{}", list(types));
        Ok(self.function(&name, 0, types.len(), |_, mut code, _| {
            let Some(allocator) = allocator else { return code.iret(&[]) };
            let all = code.op(Opcode::CODESIZE, &[]);
            let own =
                code.builder().named(Op::DataSize, &[], own).expect("invariant: `datasize` has a result");
            let size = code.sub(all, own);
            let start = code.call_word(&allocator, &[size]);
            code.effect(Opcode::CODECOPY, &[start, own, size]);
            let words = decode_between(&mut code, &decoder, start, size);
            code.iret(&words)
        }))
    }
}

fn decode_between(code: &mut Code, decoder: &AbiFn, start: Value, size: Value) -> Vec<Value> {
    let end = code.add(start, size);
    code.call(decoder, &[start, end])
}

/// Creation code that deploys `runtime` and does nothing else.
pub fn creation(runtime: Module, options: Options) -> Module {
    let (mut module, nested) = creation_module(runtime);
    let (code, _) = Code::new(ENTRY_NAME, 0, 0);
    deploy(&mut module, code, nested, options);
    module
}

/// Creation code that runs a constructor and deploys `runtime`. `constructor` gets the builders of
/// the creation code and makes a function without results that takes one word for each of `types`:
/// the arguments, which stand behind the creation code.
///
/// # Errors
/// If a type goes beyond a limit, or the constructor's function does not take the arguments.
pub fn creation_with(
    runtime: Module,
    options: Options,
    types: &[AbiType],
    constructor: impl FnOnce(&mut Abi<'_>) -> Result<Func, AbiError>,
) -> Result<Module, AbiError> {
    let (mut module, nested) = creation_module(runtime);
    let mut abi = Abi::new(&mut module, options);
    let arguments = abi.constructor_arguments(types)?;
    let func = constructor(&mut abi)?;
    let signature = abi.check_target(func, types.len(), 0)?;
    let (mut code, _) = Code::new(ENTRY_NAME, 0, 0);
    if abi.uses_heap() {
        let initializer = abi.initializer();
        code.call(&initializer, &[]);
    }
    let words = code.call(&arguments, &[]);
    code.call(&AbiFn { func, signature }, &words);
    deploy(&mut module, code, nested, options);
    Ok(module)
}

/// A module around another one, and the name of that one.
fn creation_module(runtime: Module) -> (Module, Symbol) {
    let mut module = Module::new(format!("{}.creation", runtime.name));
    let nested = module.symbols.intern(&runtime.name);
    module.modules.push(runtime);
    (module, nested)
}

/// Ends the entry function `code` by returning the nested module.
fn deploy(module: &mut Module, mut code: Code, nested: Symbol, options: Options) {
    let start = code.scratch(options.reserved);
    let mut name = |op| code.builder().named(op, &[], nested).expect("invariant: the operation has a result");
    let (offset, size) = (name(Op::DataOffset), name(Op::DataSize));
    code.builder().push(Op::DataCopy, &[start, offset, size], Payload::None, &[]);
    code.effect(Opcode::RETURN, &[start, size]);
    let entry = module.funcs.push(code.finish());
    module.entry = Some(entry);
}

impl Abi<'_> {
    /// The signature of a function that takes and gives one word for each ABI value.
    pub(crate) fn check_target(
        &self,
        func: Func,
        params: usize,
        results: usize,
    ) -> Result<Signature, AbiError> {
        let target = &self.module.funcs[func];
        let found = (target.signature.params.len(), target.signature.results.len());
        if found != (params, results) {
            let func = target.name.clone();
            return Err(AbiError::Mismatch { func, expected: (params, results), found });
        }
        Ok(target.signature.clone())
    }
}

//! A small language on top of Cairn: parse, build EVM-IR, deploy, call.
//!
//! `(define (max a b) (if (> a b) a b))` becomes a contract with the method
//! `max(uint256,uint256)(uint256)`. Arithmetic that overflows reverts with Solidity's panic codes.
//! Formulas may call each other. The library `cairn` is all that is used.
//!
//! `cargo run --release -p calculator` prints what two formulas give, and their gas.

#[cfg(test)]
mod tests;

use cairn::abi::{Abi, AbiFn, Contract, Method, Options, Panic, Payment, creation};
use cairn::evm::{Opcode, U256, hex};
use cairn::exec::{Environment, Machine, Message, Outcome};
use cairn::ir::{Block, Func, FuncBuilder, Module, Op, Signature, Type, Value};
use std::collections::HashMap;
use std::error::Error;

const SOURCE: &str = "(define (square x) (* x x))
    (define (distance a b) (if (< a b) (- b a) (- a b)))
    (define (variance a b) (/ (square (distance a b)) 4))
    (define (factorial n) (if n (* n (factorial (- n 1))) 1))";

/// Lists in each other, at most.
const MAX_DEPTH: usize = 100;

#[allow(clippy::print_stdout, reason = "an example shows what it does")]
fn main() -> Result<(), Box<dyn Error>> {
    for (method, arguments) in [("variance(uint256,uint256)", vec![30, 10]), ("factorial(uint256)", vec![20])]
    {
        let outcome = run(SOURCE, method, &arguments)?;
        println!("{method} of {arguments:?}: {}, {} gas", shown(&outcome), outcome.gas.execution);
    }
    Ok(())
}

fn run(source: &str, method: &str, arguments: &[u64]) -> Result<Outcome, Box<dyn Error>> {
    let mut chain = Machine::new(Environment::default());
    let deployed = chain.deploy(&Message::new(compile(source)?))?;
    let address = deployed.created.ok_or("the contract was not deployed")?;
    let method: Method = method.parse()?;
    let words = arguments.iter().flat_map(|word| U256::from(*word).to_be_bytes::<32>());
    let data: Vec<u8> = method.selector().into_iter().chain(words).collect();
    Ok(chain.call(address, &Message::new(data))?)
}

fn shown(outcome: &Outcome) -> String {
    match outcome.output.len() {
        32 => U256::from_be_slice(&outcome.output).to_string(),
        _ => format!("{} {}", outcome.status, hex::encode(&outcome.output)),
    }
}

enum Expr<'a> {
    Atom(&'a str),
    List(Vec<Expr<'a>>),
}

/// The lists and words of a text.
fn parse<'a>(text: &mut &'a str, depth: usize) -> Result<Vec<Expr<'a>>, String> {
    let mut list = Vec::new();
    loop {
        *text = text.trim_start();
        if let Some(rest) = text.strip_prefix('(') {
            if depth == MAX_DEPTH {
                return Err("lists are nested too deeply".to_owned());
            }
            *text = rest;
            list.push(Expr::List(parse(text, depth + 1)?));
            *text = text.strip_prefix(')').ok_or("a list is not closed")?;
        } else if text.is_empty() || text.starts_with(')') {
            return Ok(list);
        } else {
            let end = text.find(|c: char| c.is_whitespace() || "()".contains(c)).unwrap_or(text.len());
            list.push(Expr::Atom(&text[..end]));
            *text = &text[end..];
        }
    }
}

/// Name, parameters and body of `(define (name parameters…) body)`.
fn definition<'e, 'a>(expr: &'e Expr<'a>) -> Option<(&'a str, Vec<&'a str>, &'e Expr<'a>)> {
    let Expr::List(parts) = expr else { return None };
    let [Expr::Atom("define"), Expr::List(head), body] = parts.as_slice() else { return None };
    let words = head.iter().map(|part| if let Expr::Atom(word) = part { Some(*word) } else { None });
    let mut words = words.collect::<Option<Vec<_>>>()?;
    (!words.is_empty()).then(|| (words.remove(0), words, body))
}

/// Creation code of a program.
fn compile(source: &str) -> Result<Vec<u8>, Box<dyn Error>> {
    let exprs = parse(&mut &*source, 0)?;
    let formulas: Option<Vec<_>> = exprs.iter().map(definition).collect();
    let formulas = formulas.ok_or("expected `(define (name parameters…) body)`")?;
    let mut runtime = Module::new("Formulas");
    let funcs: HashMap<&str, (Func, usize)> = formulas
        .iter()
        .map(|(name, params, _)| (*name, (runtime.declare(*name, signature(params.len())), params.len())))
        .collect();
    if funcs.len() < formulas.len() {
        return Err("a formula is defined twice".into());
    }
    let overflow = Abi::new(&mut runtime, Options::default()).panic(Panic::Overflow);
    let mut contract = Contract::new();
    for (name, params, body) in &formulas {
        let (func, mut result) = (funcs[name].0, Err(String::new()));
        runtime.define(func, |builder, values| {
            let variables = params.iter().copied().zip(values.iter().copied()).collect();
            let mut lowering = Lowering { builder, variables, funcs: &funcs, overflow: &overflow };
            result = lowering.expr(body).map(|value| lowering.builder.iret(&[value]));
        });
        result?;
        let method = format!("{name}({})(uint256)", vec!["uint256"; params.len()].join(","));
        contract = contract.method(method.parse()?, func, Payment::Refused);
    }
    Abi::new(&mut runtime, Options::default()).dispatch(&contract)?;
    let module = creation(runtime, Options::default());
    let compiled = cairn::compile_module(module, &cairn::Options::default())?;
    Ok(compiled.creation().bytes().to_vec())
}

fn signature(params: usize) -> Signature {
    Signature { params: vec![Type::U256; params], results: vec![Type::U256] }
}

/// Builds the code of one formula.
struct Lowering<'a, 'b> {
    builder: &'a mut FuncBuilder<'b>,
    variables: HashMap<&'a str, Value>,
    funcs: &'a HashMap<&'a str, (Func, usize)>,
    overflow: &'a AbiFn,
}

impl Lowering<'_, '_> {
    fn expr(&mut self, expr: &Expr<'_>) -> Result<Value, String> {
        match expr {
            Expr::Atom(word) => match (self.variables.get(word), word.parse()) {
                (Some(value), _) => Ok(*value),
                (None, Ok(number)) => Ok(self.builder.constant(number)),
                (None, Err(_)) => Err(format!("unknown variable `{word}`")),
            },
            Expr::List(parts) => match parts.as_slice() {
                [Expr::Atom("if"), condition, then, otherwise] => self.choose(condition, [then, otherwise]),
                [Expr::Atom(name), args @ ..] => {
                    let args = args.iter().map(|arg| self.expr(arg)).collect::<Result<Vec<_>, _>>()?;
                    self.apply(name, &args)
                }
                _ => Err("expected `(name arguments…)`".to_owned()),
            },
        }
    }

    fn choose(&mut self, condition: &Expr<'_>, arms: [&Expr<'_>; 2]) -> Result<Value, String> {
        let condition = self.expr(condition)?;
        let [then, otherwise, join]: [Block; 3] = std::array::from_fn(|_| self.builder.append_block());
        let result = self.builder.block_param(join, Type::U256);
        self.builder.cond_br(condition, then, otherwise);
        for (block, arm) in [then, otherwise].into_iter().zip(arms) {
            self.builder.switch_to(block);
            let value = self.expr(arm)?;
            self.builder.br(join, &[value]);
        }
        self.builder.switch_to(join);
        Ok(result)
    }

    fn apply(&mut self, name: &str, args: &[Value]) -> Result<Value, String> {
        let opcode = match (name, args.len()) {
            ("+", 2) => return Ok(self.checked(Op::Addo, args)),
            ("-", 2) => return Ok(self.checked(Op::Subo, args)),
            ("*", 2) => return Ok(self.checked(Op::Mulo, args)),
            ("/", 2) => Opcode::DIV,
            ("<", 2) => Opcode::LT,
            ("=", 2) => Opcode::EQ,
            _ => {
                let (func, params) =
                    *self.funcs.get(name).ok_or_else(|| format!("unknown formula `{name}`"))?;
                if params != args.len() {
                    return Err(format!("`{name}` takes {params} arguments"));
                }
                return Ok(self.builder.icall(func, &signature(params), args)[0]);
            }
        };
        Ok(self.builder.evm_value(opcode, args))
    }

    /// The first result of an operation whose second one says that it overflowed.
    fn checked(&mut self, op: Op, args: &[Value]) -> Value {
        let results = self.builder.values(op, args, &[Type::U256, Type::Bool]);
        let (bad, good) = (self.builder.append_block(), self.builder.append_block());
        self.builder.cond_br(results[1], bad, good);
        self.builder.switch_to(bad);
        self.overflow.end(self.builder, &[]);
        self.builder.switch_to(good);
        results[0]
    }
}

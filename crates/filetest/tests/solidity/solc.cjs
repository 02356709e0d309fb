// Compiles programs in Solidity with npm's package `solc`, one a line in JSON, as long as lines come.
//
// A program is compiled by way of IR without optimizer. Where that is too deep for the stack, the IR's
// variables go to memory, which asks for the least optimizer there is: unused code goes, nothing else.
"use strict";
const readline = require("readline");
const soljson = require(process.argv[2] + "/soljson.js");

// A request as a string argument would lie on WebAssembly's stack, which is small.
function compile(request) {
  const size = Buffer.byteLength(request) + 1;
  const text = soljson.cwrap("solidity_alloc", "number", ["number"])(size);
  soljson.stringToUTF8(request, text, size);
  const answer = soljson.cwrap("solidity_compile", "string", ["number", "number", "number"])(text, 0, 0);
  soljson.cwrap("solidity_reset", null, [])();
  return JSON.parse(answer);
}

const NONE = { enabled: false };
const LEAST = {
  enabled: false,
  details: { yul: true, yulDetails: { stackAllocation: true, optimizerSteps: "u:" } },
};

function request(program, optimizer) {
  const wanted = ["ir", "evm.methodIdentifiers"].concat(program.withCode ? ["evm.bytecode.object"] : []);
  return JSON.stringify({
    language: "Solidity",
    sources: { "a.sol": { content: program.text } },
    settings: {
      viaIR: true,
      optimizer,
      evmVersion: program.fork,
      libraries: { "a.sol": { Ext: program.library } },
      metadata: { appendCBOR: false, bytecodeHash: "none" },
      debug: { debugInfo: [] },
      outputSelection: { "a.sol": { Main: wanted, Ext: wanted } },
    },
  });
}

function answer(program) {
  let result = {};
  let errors = [];
  for (const optimizer of [NONE, LEAST]) {
    result = compile(request(program, optimizer));
    errors = (result.errors || []).filter((error) => error.severity === "error");
    if (!errors.some((error) => /too deep/.test(error.formattedMessage + error.message))) break;
  }
  if (errors.length > 0) return { error: errors[0].formattedMessage || errors[0].message };
  const contracts = result.contracts["a.sol"];
  const code = (contract) => (program.withCode ? contract.evm.bytecode.object : null);
  const part = (contract) =>
    contract && { ir: contract.ir, code: code(contract), selectors: contract.evm.methodIdentifiers };
  return { main: part(contracts.Main), library: part(contracts.Ext) };
}

readline.createInterface({ input: process.stdin }).on("line", (line) => {
  let result;
  try {
    result = answer(JSON.parse(line));
  } catch (fault) {
    result = { error: `solc ends: ${fault}` };
  }
  process.stdout.write(JSON.stringify(result) + "\n");
});

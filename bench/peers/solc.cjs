// Compiles a Yul file with the npm package `solc` as its best mode does: optimizer on, 200 runs.
// usage: node solc.cjs FILE.yul | --version; prints creation code in hex as the last line.
const fs = require("fs");
const solc = require("solc");

const argument = process.argv[2];
if (argument === "--version") {
  console.log(solc.version());
  process.exit(0);
}
const input = {
  language: "Yul",
  sources: { "input.yul": { content: fs.readFileSync(argument, "utf8") } },
  settings: {
    optimizer: { enabled: true, runs: 200, details: { yul: true } },
    outputSelection: { "*": { "*": ["evm.bytecode.object"] } },
  },
};
const output = JSON.parse(solc.compile(JSON.stringify(input)));
const errors = (output.errors || []).filter((error) => error.severity === "error");
if (errors.length > 0) {
  console.error(errors[0].formattedMessage || errors[0].message);
  process.exit(1);
}
const contracts = Object.values(output.contracts["input.yul"]);
console.log(contracts[0].evm.bytecode.object);

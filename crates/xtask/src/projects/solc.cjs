#!/usr/bin/env node
// solc's `--version` and `--standard-json`, on the soljson of npm's package `solc`.
"use strict";
const fs = require("fs");
const soljson = require("@FOLDER@/soljson.js");

// A request as a string argument would lie on WebAssembly's stack, which is too small for projects.
function compile(request) {
  const size = Buffer.byteLength(request) + 1;
  const text = soljson.cwrap("solidity_alloc", "number", ["number"])(size);
  soljson.stringToUTF8(request, text, size);
  return soljson.cwrap("solidity_compile", "string", ["number", "number", "number"])(text, 0, 0);
}

if (process.argv.includes("--version")) {
  const version = soljson.cwrap("solidity_version", "string", [])();
  console.log(`solc, the solidity compiler commandline interface\nVersion: ${version}`);
} else if (process.argv.includes("--standard-json")) {
  process.stdout.write(compile(fs.readFileSync(0, "utf8")));
} else {
  console.error("only --version and --standard-json");
  process.exitCode = 1;
}

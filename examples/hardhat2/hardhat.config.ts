import { execFileSync } from "node:child_process";
import { resolve } from "node:path";
import "@nomicfoundation/hardhat-chai-matchers";
import "@nomicfoundation/hardhat-ethers";
import { TASK_COMPILE_SOLIDITY_GET_SOLC_BUILD } from "hardhat/builtin-tasks/task-names";
import { subtask } from "hardhat/config";
import "hardhat-gas-reporter";
import "solidity-coverage";

// `cairn-solc` as this repository builds it; `SOLC` names another compiler, or a soljson.js.
const compilerPath = process.env.SOLC ?? resolve(__dirname, "../../target/release/cairn-solc");
const isSolcJs = compilerPath.endsWith(".js");

// What chooses Cairn.
subtask(TASK_COMPILE_SOLIDITY_GET_SOLC_BUILD, async (args: { solcVersion: string }) => {
  const said = isSolcJs ? "" : execFileSync(compilerPath, ["--version"], { encoding: "utf8" });
  const longVersion = /Version: (\S+)/.exec(said)?.[1] ?? args.solcVersion;
  return { compilerPath, isSolcJs, version: args.solcVersion, longVersion };
});

export default {
  solidity: {
    version: "0.8.37", // that of the solc in node_modules
    settings: { optimizer: { enabled: process.env.OPTIMIZE !== "0", runs: 200 } },
  },
  gasReporter: { enabled: process.env.GAS === "1", offline: true },
};

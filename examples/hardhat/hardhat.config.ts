import hardhatNodeTestRunner from "@nomicfoundation/hardhat-node-test-runner";
import hardhatViem from "@nomicfoundation/hardhat-viem";
import { defineConfig } from "hardhat/config";
import { fileURLToPath } from "node:url";

// `cairn-solc` as this repository builds it.
const built = fileURLToPath(new URL("../../target/release/cairn-solc", import.meta.url));

export default defineConfig({
  plugins: [hardhatViem, hardhatNodeTestRunner],
  solidity: {
    version: "0.8.37",
    // The one line that chooses Cairn.
    path: process.env.SOLC ?? built,
    settings: { optimizer: { enabled: true, runs: 200 } },
  },
});

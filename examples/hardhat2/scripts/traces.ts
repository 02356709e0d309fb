// Makes calls that fail and prints how Hardhat explains each: the reason and the frames in contracts.
import { ethers } from "hardhat";

async function main() {
  const [keeper, other] = await ethers.getSigners();
  const shares: any = await ethers.deployContract("Shares");
  const libraries = { Shares: await shares.getAddress() };
  const Vault = await ethers.getContractFactory("Vault", { libraries });
  const vault: any = await Vault.deploy(500, "first", keeper);
  const factory: any = await ethers.deployContract("Factory", { libraries });
  const prices: any = await ethers.deployContract("Prices");
  const plain: any = await ethers.deployContract("Plain");

  const price = (amount: number) => prices.interface.encodeFunctionData("price", [amount]);
  const send = (to: any, data: string, value = 0) => keeper.sendTransaction({ to, data, value });
  const calls: [string, () => Promise<any>][] = [
    ["a library's error", () => vault.put(0)],
    ["a private function's error", () => vault.put(501)],
    ["an internal function of a library", () => vault.mean([])],
    ["the first modifier", () => vault.connect(other).move(1)],
    ["the second modifier", () => vault.move(1000)],
    ["an enumeration", () => vault.move(5)],
    ["overflow", () => vault.twice(ethers.MaxUint256)],
    ["overflow after a call", () => vault.twice(ethers.MaxUint256 / 2n)],
    ["division", () => vault.share(1, 0)],
    ["pop", () => vault.unnote()],
    ["a getter's index", () => vault.notes(0)],
    ["memory", () => vault.room(ethers.MaxUint256)],
    ["an index", () => vault.third("0x1234")],
    ["recursion", () => vault.down(3)],
    ["no reason", () => vault.nothing()],
    ["money that is not taken", () => vault.pay(plain, 0)],
    ["an account without code", () => vault.tell(other, 1)],
    ["a receive function", () => send(vault, "0x", 13)],
    ["an unknown function", () => send(plain, "0x12345678")],
    ["value for who takes none", () => send(plain, plain.interface.encodeFunctionData("set", [1]), 1)],
    ["too few arguments", () => send(plain, plain.interface.encodeFunctionData("set", [1]).slice(0, 30))],
    ["a library called by a transaction", () => send(shares, "0x12345678")],
    ["forwarded", () => vault.forward(prices, price(1))],
    ["forwarded panic", () => vault.forward(prices, price(3))],
    ["a constructor", () => Vault.deploy(2_000_000, "", keeper)],
    ["a base's constructor", () => Vault.deploy(5, "", ethers.ZeroAddress)],
    ["a constructor of a created contract", () => factory.make(2_000_000, keeper)],
    ["a base of a created contract", () => factory.make(5, ethers.ZeroAddress)],
  ];
  for (const at of [prices, plain, other, vault]) {
    for (const amount of [1, 2, 3, 4, 5]) {
      calls.push([`priced ${amount}`, () => vault.priced(at, amount)]);
      calls.push([`tried ${amount}`, () => vault.tried(at, amount)]);
    }
  }
  for (const [name, call] of calls) {
    console.log(`# ${name}`);
    await call().then(
      () => console.log("no fault"),
      (fault) => {
        const [reason, ...frames] = String(fault.stack).split("\n");
        console.log([reason, ...frames.filter((frame) => frame.includes("contracts/"))].join("\n"));
      },
    );
  }
}

main().catch((fault) => {
  console.error(fault);
  process.exitCode = 1;
});

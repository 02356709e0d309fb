import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { network } from "hardhat";
import { parseEther } from "viem";

describe("Auction", async () => {
  const { viem } = await network.create();

  async function deploy(things = 2) {
    const ranking = await viem.deployContract("Ranking");
    const auction = await viem.deployContract("Auction", [3600n, things], {
      libraries: { "project/contracts/Ranking.sol:Ranking": ranking.address },
    });
    return auction;
  }

  it("keeps the highest bids and gives back the others", async () => {
    const auction = await deploy();
    const [, ann, bob, cas] = await viem.getWalletClients();
    const bid = (who: any, ether: string) =>
      auction.write.place({ account: who.account, value: parseEther(ether) });
    await bid(ann, "1");
    await bid(bob, "3");
    await bid(cas, "2");
    const ranking = await auction.read.ranking();
    assert.deepEqual(ranking.map((it: any) => it.amount), [parseEther("3"), parseEther("2")]);
    assert.equal(await auction.read.refunds([ann.account.address]), parseEther("1"));
    await auction.write.withdraw({ account: ann.account });
    assert.equal(await auction.read.refunds([ann.account.address]), 0n);
  });

  it("says why a bid is too low", async () => {
    const auction = await deploy(1);
    await auction.write.place({ value: 5n });
    await assert.rejects(auction.write.place({ value: 5n }), /TooLow/);
  });

  it("shows where a constructor reverts", async () => {
    let text = "";
    for (let fault: any = await deploy(0).catch((error) => error); fault; fault = fault.cause) {
      text += `${fault.message}\n${fault.stack}\n`;
    }
    assert.match(text, /nothing to sell/);
    assert.match(text, /Auction\.constructor \(contracts\/Auction\.sol:2[56]\)/); // the constructor, at -O0 the very line
  });

  it("lets only the seller close", async () => {
    const auction = await deploy();
    const [, ann] = await viem.getWalletClients();
    await assert.rejects(auction.write.close({ account: ann.account }), /NotSeller/);
  });
});

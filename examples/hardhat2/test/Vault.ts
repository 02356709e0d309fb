import { expect } from "chai";
import { ethers } from "hardhat";

describe("Vault", () => {
  async function deploy() {
    const [keeper, other] = await ethers.getSigners();
    const shares: any = await ethers.deployContract("Shares");
    const libraries = { Shares: await shares.getAddress() };
    const Vault = await ethers.getContractFactory("Vault", { libraries });
    const vault: any = await Vault.deploy(500, "first", keeper);
    const factory: any = await ethers.deployContract("Factory", { libraries });
    const prices: any = await ethers.deployContract("Prices");
    return { keeper, other, shares, Vault, vault, factory, prices };
  }

  it("issues shares by a linked library", async () => {
    const { keeper, other, shares, vault } = await deploy();
    await expect(vault.put(5)).to.emit(vault, "Put").withArgs(keeper.address, 5);
    await expect(vault.connect(other).put(7, { value: 1 })).to.changeEtherBalance(vault, 1);
    expect(await vault.total()).to.equal(12);
    await expect(vault.put(0)).to.be.revertedWithCustomError(shares, "Nothing").withArgs(2);
    await expect(vault.put(501)).to.be.revertedWithCustomError(vault, "Full").withArgs(501, 500);
  });

  it("has immutables", async () => {
    const { keeper, vault, factory, Vault } = await deploy();
    expect([await vault.most(), await vault.keeper()]).to.deep.equal([500n, keeper.address]);
    expect(await vault.tag()).to.equal(ethers.id("first").slice(0, 10));
    const [made] = (await (await factory.make(7, keeper)).wait()).logs;
    const second: any = Vault.attach(made.args[0]);
    expect([await second.name(), await second.most()]).to.deep.equal(["made", 7n]);
    await expect(factory.make(5, ethers.ZeroAddress)).to.be.revertedWith("no keeper");
    await expect(factory.make(2_000_000, keeper)).to.be.revertedWithCustomError(vault, "Full");
  });

  it("is guarded", async () => {
    const { other, vault } = await deploy();
    await vault.move(1);
    expect(await vault.state()).to.equal(1);
    await expect(vault.move(5)).to.be.revertedWithPanic(0x21);
    await expect(vault.move(1000)).to.be.revertedWith("limit");
    await expect(vault.connect(other).move(1)).to.be.revertedWithCustomError(vault, "NotKeeper");
    await expect(vault.twice(ethers.MaxUint256)).to.be.revertedWithPanic(0x11);
    await expect(vault.share(1, 0)).to.be.revertedWithPanic(0x12);
    await expect(vault.unnote()).to.be.revertedWithPanic(0x31);
    await expect(vault.mean([])).to.be.revertedWith("no amounts");
    expect(await vault.mean([1, 2, 9])).to.equal(4);
  });

  it("tells others", async () => {
    const { other, vault } = await deploy();
    const plain: any = await ethers.deployContract("Plain");
    await vault.tell(plain, 7);
    expect(await plain.value()).to.equal(7);
    await expect(vault.tell(other, 7)).to.be.revertedWithoutReason();
  });

  it("tries calls", async () => {
    const { vault, prices } = await deploy();
    expect(await vault.tried.staticCall(prices, 1)).to.equal("one");
    expect(await vault.tried.staticCall(prices, 4)).to.equal("raw");
    expect(await vault.tried.staticCall(prices, 6)).to.equal("fine");
    await expect(vault.tried(prices, 2)).to.be.revertedWith("unknown");
    await expect(vault.tried(prices, 5)).to.be.revertedWith("cheap");
    await expect(vault.priced(prices, 3)).to.be.revertedWithPanic(1);
    await expect(vault.forward(prices, "0x12345678")).to.be.reverted;
    await vault.tried(prices, 6);
  });
});

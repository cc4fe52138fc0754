import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Address, generateKeyPairSigner } from '@solana/kit'
import { TOKEN_PROGRAM_ADDRESS } from '@solana-program/token'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { decodeMint, TOKEN_2022_PROGRAM_ADDRESS } from '#adapters/solana/rpc/token-data.ts'
import { loadDemoWallet, loadMintAuthority, prepareDemoChain } from '#sandbox/chain/demo-chain.ts'
import { startEmbeddedChain } from '#sandbox/chain/embedded-chain.ts'
import { fundToken, moveChainClock } from '#sandbox/chain/faucet.ts'
import type { MintExtension } from '#sandbox/chain/mints.ts'
import { payFromWallet } from '#sandbox/chain/payment.ts'
import { hasSurfnetPackage } from '#sandbox/chain/surfnet.ts'
import * as extension from '../../support/chain.ts'
import { SOL, startTestChain, stopTestChain, type TestChain } from '../../support/chain.ts'

let chain: TestChain
let dataDir: string
beforeAll(async () => {
  chain = await startTestChain()
  dataDir = await mkdtemp(join(tmpdir(), 'demo-'))
})
afterAll(async () => {
  await stopTestChain(chain)
  await rm(dataDir, { recursive: true, force: true })
})

describe('a wallet', () => {
  it('that pays the same twice within a slot has paid twice', async () => {
    const [from, to] = await Promise.all([chain.wallet(), generateKeyPairSigner()])
    const payment = { to: to.address, amount: SOL / 4n, token: null }
    const signatures = await Promise.all([1, 2, 3].map(() => payFromWallet(chain.rpcUrl, from, payment)))
    expect(new Set(signatures).size).toBe(3)
    expect(await chain.solOf(to.address)).toBe(3n * payment.amount)
  })
})

describe('the demo chain', () => {
  it('has a fee payer that can pay, a buyer with money, and two tokens with a true supply', async () => {
    const feePayer = await generateKeyPairSigner()
    const demo = await prepareDemoChain({ rpcUrl: chain.rpcUrl, dataDir, feePayers: [feePayer.address] })
    const { buyer, mints } = demo
    expect(await chain.solOf(feePayer.address)).toBe(1000n * SOL)
    expect(await chain.solOf(buyer.address)).toBe(100n * SOL)
    expect([mints.usd.tokenProgram, mints.token2022.tokenProgram]).toEqual([
      TOKEN_PROGRAM_ADDRESS,
      TOKEN_2022_PROGRAM_ADDRESS,
    ])
    for (const mint of [mints.usd, mints.token2022]) {
      expect(await chain.tokensOf(buyer.address, mint)).toBe(100_000n * 10n ** BigInt(mint.decimals))
      const { value: supply } = await chain.rpc.getTokenSupply(mint.mint).send()
      expect(supply).toMatchObject({ amount: String(100_000n * 10n ** BigInt(mint.decimals)), decimals: mint.decimals })
    }
  })

  it('is prepared a second time without doing anything again', async () => {
    const feePayer = await generateKeyPairSigner()
    const onProgress = vi.fn()
    const options = { rpcUrl: chain.rpcUrl, dataDir, feePayers: [feePayer.address], onProgress }
    const first = await prepareDemoChain(options)
    onProgress.mockClear()
    const count = async () => (await chain.rpc.getSignaturesForAddress(first.mintAuthority.address).send()).length
    const before = await count()
    const second = await prepareDemoChain(options)
    expect(second.mints).toEqual(first.mints)
    expect(await chain.solOf(feePayer.address)).toBe(1000n * SOL)
    expect(await count()).toBe(before)
    expect(onProgress).not.toHaveBeenCalled()
  })

  it('keeps its keys where only their owner can read them, for the demo to find', async () => {
    const files = await readdir(join(dataDir, 'demo-keys'))
    expect(files).toHaveLength(4)
    for (const file of files) expect((await stat(join(dataDir, 'demo-keys', file))).mode & 0o777).toBe(0o600)
    const demo = await prepareDemoChain({
      rpcUrl: chain.rpcUrl,
      dataDir,
      feePayers: [(await generateKeyPairSigner()).address],
    })
    expect((await loadDemoWallet(dataDir)).address).toBe(demo.buyer.address)
    expect((await loadMintAuthority(dataDir)).address).toBe(demo.mintAuthority.address)
    await expect(loadDemoWallet(join(dataDir, 'nowhere'))).rejects.toThrow('start the service once')
  })
})

it('tokens come from their mint authority only', async () => {
  const mint = await chain.createMint({ decimals: 2 })
  const { address: owner } = await generateKeyPairSigner()
  await chain.fundToken(mint, owner, 500n)
  await chain.fundToken(mint, owner, 1n)
  expect(await chain.tokensOf(owner, mint)).toBe(501n)
  const stranger = await chain.wallet()
  const funding = { authority: stranger, owner, mint: mint.mint, amount: 1n }
  await expect(fundToken(chain.rpcUrl, funding)).rejects.toThrow()
  await expect(fundToken(chain.rpcUrl, { ...funding, mint: owner })).rejects.toThrow('is not a mint')
  expect(await chain.tokensOf(owner, mint)).toBe(501n)
})

it('the chain clock moves to the time that is asked, or two seconds beyond at most, and never back', async () => {
  const place = async () => {
    const slot = await chain.rpc.getSlot({ commitment: 'processed' }).send()
    return { slot, time: Number(await chain.rpc.getBlockTime(slot).send()) * 1000 }
  }
  for (const seconds of [1, 600, 40 * 86_400, 0, -600]) {
    const [before, started] = [await place(), performance.now()]
    const target = before.time + seconds * 1000
    const reached = (await moveChainClock(chain.rpcUrl, new Date(target))).getTime()
    const elapsed = performance.now() - started
    expect(reached).toBeGreaterThanOrEqual(Math.max(target, before.time))
    expect(reached).toBeLessThanOrEqual(Math.max(target, before.time) + 2000 + elapsed)
    expect((await place()).slot).toBeGreaterThanOrEqual(before.slot)
  }
  await chain.paySol(await chain.wallet(), (await generateKeyPairSigner()).address, SOL)
})

describe('a test mint', () => {
  const names: Readonly<Record<string, (authority: Address, mint: Address) => MintExtension>> = {
    'transfer-fee-config': (authority) => extension.transferFee(authority, 100, 5_000n),
    'mint-close-authority': (authority) => extension.mintCloseAuthority(authority),
    'default-account-state': () => extension.defaultFrozen(),
    'non-transferable': () => extension.nonTransferable(),
    'interest-bearing-config': (authority) => extension.interestBearing(authority, 500),
    'permanent-delegate': (authority) => extension.permanentDelegate(authority),
    'transfer-hook': (authority, mint) => extension.transferHook(authority, mint),
    'scaled-ui-amount': (authority) => extension.scaledUiAmount(authority, 2),
    pausable: (authority) => extension.pausable(authority),
  }

  it.each(Object.entries(names))('can have the extension %s', async (name, make) => {
    const { mint } = await chain.createMint({
      tokenProgram: TOKEN_2022_PROGRAM_ADDRESS,
      extensions: (authority, address) => [make(authority, address)],
    })
    const { value } = await chain.rpc.getAccountInfo(mint, { encoding: 'base64' }).send()
    const data = Buffer.from(value?.data[0] ?? '', 'base64')
    expect(decodeMint(mint, TOKEN_2022_PROGRAM_ADDRESS, data)?.extensions).toEqual([name])
  })

  it('with a transfer fee keeps back the fee from what arrives', async () => {
    const mint = await chain.createMint({
      tokenProgram: TOKEN_2022_PROGRAM_ADDRESS,
      extensions: (authority) => [extension.transferFee(authority, 100, 5_000n)],
    })
    const [payer, receiver] = await Promise.all([chain.wallet(), generateKeyPairSigner()])
    await chain.fundToken(mint, payer.address, 1_000n)
    await chain.payToken(payer, receiver.address, mint, 1_000n)
    expect(await chain.tokensOf(receiver.address, mint)).toBe(990n)
  })
})

it('where the native package is missing, the start says what to set instead', async () => {
  expect(hasSurfnetPackage('@solana/surfpool-amiga-68k')).toBe(false)
  const options = { dataDir, slotTimeMs: 10, nativePackage: '@solana/surfpool-amiga-68k' }
  await expect(startEmbeddedChain(options)).rejects.toThrow(
    /^The embedded Solana chain does not run here: .* Set SOLANA_RPC_URL and SOLANA_WS_URL to use another chain\.$/,
  )
})

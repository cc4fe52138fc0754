// What is final survives everything: an orderly stop, the death of the chain's process, the death of the service.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  type Address,
  createSolanaRpc,
  generateKeyPairSigner,
  getBase64EncodedWireTransaction,
  isSolanaError,
  type KeyPairSigner,
  lamports,
  type Signature,
} from '@solana/kit'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { associatedTokenAddress } from '#adapters/solana/keys/associated-token.ts'
import { TOKEN_2022_PROGRAM_ADDRESS } from '#adapters/solana/rpc/token-data.ts'
import { type EmbeddedChain, startEmbeddedChain } from '#sandbox/chain/embedded-chain.ts'
import { moveChainClock } from '#sandbox/chain/faucet.ts'
import { type ChainTools, chainTools, SOL, TEST_SLOT_MS } from '../../support/chain.ts'
import { signedTransfer } from '../../support/signing.ts'
import { until } from '../../support/until.ts'

// Each test starts several processes, which may have to share a busy machine.
vi.setConfig({ testTimeout: 60_000 })

const HOLDER = fileURLToPath(new URL('./holder.ts', import.meta.url))

let dataDir = ''
let running: EmbeddedChain[] = []

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'survival-'))
})
afterEach(async () => {
  await Promise.all(running.map((chain) => chain.stop()))
  running = []
  await rm(dataDir, { recursive: true, force: true })
})

async function start(): Promise<ChainTools> {
  const chain = await startEmbeddedChain({ dataDir, slotTimeMs: TEST_SLOT_MS })
  running.push(chain)
  return chainTools(chain)
}

async function kill(tools: ChainTools): Promise<void> {
  process.kill(tools.chain.pid, 'SIGKILL')
  await tools.chain.exited
}

const place = async ({ rpc }: ChainTools) => {
  const { absoluteSlot, blockHeight } = await rpc.getEpochInfo({ commitment: 'processed' }).send()
  const finalized = await rpc.getEpochInfo({ commitment: 'finalized' }).send()
  return {
    slot: absoluteSlot,
    height: blockHeight,
    finalSlot: finalized.absoluteSlot,
    finalHeight: finalized.blockHeight,
  }
}
const transactionOf = ({ rpc }: ChainTools, signature: Signature) =>
  rpc.getTransaction(signature, { commitment: 'finalized', encoding: 'json', maxSupportedTransactionVersion: 0 }).send()
const signaturesOf = async ({ rpc }: ChainTools, account: Address) =>
  (await rpc.getSignaturesForAddress(account, { commitment: 'finalized' }).send()).map(({ signature }) => signature)

/** The account's balance by its newest transaction; the chain's state must say the same. */
async function balanceByHistory(tools: ChainTools, account: Address): Promise<bigint> {
  const listed = await tools.rpc.getSignaturesForAddress(account, { commitment: 'confirmed' }).send()
  if (listed.length === 0) return 0n
  // Where slots meet the history keeps no order: the last of them all is the one that no other follows.
  const balances = await Promise.all(listed.map(({ signature }) => balancesOf(tools, account, signature)))
  const end = balances.find(({ after }) => !balances.some(({ before }) => before === after))
  return end?.after ?? -1n
}

async function balancesOf({ rpc }: ChainTools, account: Address, signature: Signature) {
  const config = { commitment: 'confirmed', encoding: 'json', maxSupportedTransactionVersion: 0 } as const
  const landed = await rpc.getTransaction(signature, config).send()
  const index = landed?.transaction.message.accountKeys.indexOf(account) ?? -1
  return { before: landed?.meta?.preBalances[index], after: landed?.meta?.postBalances[index] }
}

it('a chain that is stopped and started again is the same chain', async () => {
  const before = await start()
  const payer = await before.wallet(10n * SOL)
  const receiver = await generateKeyPairSigner()
  const mints = [
    await before.createMint(),
    await before.createMint({ tokenProgram: TOKEN_2022_PROGRAM_ADDRESS, decimals: 9 }),
  ]
  const signatures: Signature[] = [await before.paySol(payer, receiver.address, SOL)]
  for (const mint of mints) {
    await before.fundToken(mint, payer.address, 1_000n)
    signatures.push(await before.payToken(payer, receiver.address, mint, 400n))
  }
  for (const signature of signatures) await before.finalized(signature)
  const transactions = await Promise.all(signatures.map((signature) => transactionOf(before, signature)))
  const payerBalance = await before.solOf(payer.address)
  await before.chain.stop()

  const after = await start()
  expect(after.genesisHash).toBe(before.genesisHash)
  expect(await after.solOf(payer.address)).toBe(payerBalance)
  expect(await after.solOf(receiver.address)).toBe(SOL)
  for (const mint of mints) {
    expect(await after.tokensOf(payer.address, mint)).toBe(600n)
    expect(await after.tokensOf(receiver.address, mint)).toBe(400n)
    expect((await after.rpc.getTokenSupply(mint.mint).send()).value.amount).toBe('1000')
  }
  expect(await Promise.all(signatures.map((signature) => transactionOf(after, signature)))).toEqual(transactions)
  expect(await signaturesOf(after, receiver.address)).toEqual(signatures.toReversed())
  for (const [index, { mint, tokenProgram }] of mints.entries())
    expect(await signaturesOf(after, associatedTokenAddress(receiver.address, mint, tokenProgram))).toEqual([
      signatures[index + 1],
    ])
  const statuses = (await after.rpc.getSignatureStatuses(signatures, { searchTransactionHistory: true }).send()).value
  expect(statuses.map((status) => [status?.confirmationStatus, status?.confirmations, status?.err])).toEqual(
    signatures.map(() => ['finalized', null, null]),
  )
  // Money can still move, in every asset.
  for (const mint of mints) await after.payToken(payer, receiver.address, mint, 1n)
  await after.paySol(receiver, payer.address, 1_000_000n)
})

it('slots, block heights and block times never go back, over a stop and over a kill', async () => {
  const places: Awaited<ReturnType<typeof place>>[] = []
  const times: { newest: bigint; final: bigint }[] = []
  const look = async (tools: ChainTools): Promise<void> => {
    const at = await place(tools)
    places.push(at)
    const [newest, final] = [tools.rpc.getBlockTime(at.slot), tools.rpc.getBlockTime(at.finalSlot)]
    times.push({ newest: await newest.send(), final: await final.send() })
  }
  for (const end of [(tools: ChainTools) => tools.chain.stop(), kill, kill]) {
    const tools = await start()
    await look(tools)
    await until(async () => (await place(tools)).slot > (places.at(-1)?.slot ?? 0n) + 100n)
    await look(tools)
    await end(tools)
  }
  for (const [index, at] of places.slice(1).entries()) {
    const before = places[index]
    expect(at.slot).toBeGreaterThan(before?.slot ?? 0n)
    expect(at.height).toBeGreaterThan(before?.height ?? 0n)
    expect(at.finalSlot).toBeGreaterThanOrEqual(before?.finalSlot ?? 0n)
    expect(at.finalHeight).toBeGreaterThanOrEqual(before?.finalHeight ?? 0n)
    expect(at.finalHeight).toBeLessThanOrEqual(at.finalSlot)
    expect(times[index + 1]?.newest).toBeGreaterThanOrEqual(times[index]?.newest ?? 0n)
    expect(times[index + 1]?.final).toBeGreaterThanOrEqual(times[index]?.final ?? 0n)
  }
})

it('killed in the middle of payments, it has lost nothing final, and balances agree with history', async () => {
  const before = await start()
  const payers = await Promise.all(Array.from({ length: 4 }, () => before.wallet(10n * SOL)))
  const receivers = await Promise.all(Array.from({ length: 6 }, () => generateKeyPairSigner()))
  const sent: Signature[] = []
  let isKilled = false
  const pay = async (payer: KeyPairSigner): Promise<void> => {
    for (let count = 0; !isKilled; count += 1) {
      const receiver = receivers[count % receivers.length] ?? payer
      const { transaction, signature } = await signedTransfer(
        before.rpc,
        payer,
        receiver.address,
        1_000_000n + BigInt(count),
      )
      await before.rpc.sendTransaction(getBase64EncodedWireTransaction(transaction), { encoding: 'base64' }).send()
      sent.push(signature)
    }
  }
  const paying = Promise.allSettled(payers.map(pay))
  await until(() => sent.length > 60)
  const first = sent[0]
  if (first !== undefined) await before.finalized(first)
  const { value } = await before.rpc.getSignatureStatuses(sent.slice(0, 256)).send()
  const final = sent.filter((_, index) => value[index]?.confirmationStatus === 'finalized')
  isKilled = true
  await kill(before)
  await paying
  expect(final.length).toBeGreaterThan(0)

  const after = await start()
  for (const signature of final) expect((await transactionOf(after, signature))?.meta?.err).toBeNull()
  for (const { address } of [...payers, ...receivers])
    expect([address, await after.solOf(address)]).toEqual([address, await balanceByHistory(after, address)])
})

it('when its parent is killed, it keeps everything and ends by itself', async () => {
  const service = spawn(process.execPath, [HOLDER, dataDir, String(TEST_SLOT_MS)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = await once(service.stdout, 'data')
  const { rpcUrl } = z.object({ rpcUrl: z.string() }).parse(JSON.parse(String(line)))
  const wallet = await generateKeyPairSigner()
  const signature = await createSolanaRpc(rpcUrl).requestAirdrop(wallet.address, lamports(SOL)).send()
  service.kill('SIGKILL')
  // The next one starts immediately and waits for the other to end.
  const after = await start()
  await expect(fetch(rpcUrl)).rejects.toThrow()
  expect(await after.solOf(wallet.address)).toBe(SOL)
  await after.finalized(signature)
})

it.each([20, 100, 200, 400])(
  'when its parent is killed %i ms into its start, nothing keeps holding the data',
  async (ms) => {
    const service = spawn(process.execPath, [HOLDER, dataDir, String(TEST_SLOT_MS)], { stdio: 'ignore' })
    await new Promise((wake) => setTimeout(wake, ms))
    service.kill('SIGKILL')
    const after = await start()
    expect(await after.rpc.getHealth().send()).toBe('ok')
  },
)

it('a second start on the same data directory says who holds it', async () => {
  const first = await start()
  await expect(start()).rejects.toThrow(
    `The embedded Solana chain failed: the Solana chain in ${join(dataDir, 'chain')} is in use by process ${first.chain.pid}`,
  )
  expect(await first.rpc.getHealth().send()).toBe('ok')
})

it('what was signed in an earlier life never lands in a later one, sent or not, landed or not', async () => {
  const before = await start()
  const payer = await before.wallet(10n * SOL)
  const receiver = await generateKeyPairSigner()
  const landed = await signedTransfer(before.rpc, payer, receiver.address, SOL)
  const unsent = await signedTransfer(before.rpc, payer, receiver.address, 2n * SOL)
  await before.rpc.sendTransaction(getBase64EncodedWireTransaction(landed.transaction), { encoding: 'base64' }).send()
  await before.finalized(landed.signature)
  await kill(before)

  const after = await start()
  const { height } = await place(after)
  expect(height).toBeGreaterThan(unsent.lastValidBlockHeight + 32n)
  // Through more blocks than the runtime, which counts from one again, needs to come by the old place.
  const last = height + 400n
  while ((await place(after)).height < last)
    for (const { transaction } of [landed, unsent]) {
      const wire = getBase64EncodedWireTransaction(transaction)
      await after.rpc.sendTransaction(wire, { encoding: 'base64', skipPreflight: true }).send()
      await expect(after.rpc.sendTransaction(wire, { encoding: 'base64' }).send()).rejects.toSatisfy(isSolanaError)
    }
  expect(await after.solOf(receiver.address)).toBe(SOL)
})

it('a clock that was moved forward stays there', async () => {
  const before = await start()
  const payer = await before.wallet()
  const day = 86_400
  const target = new Date(Date.now() + 30 * day * 1000)
  const moved = await moveChainClock(before.rpcUrl, target)
  expect(moved.getTime()).toBeGreaterThanOrEqual(target.getTime())
  const receiver = await generateKeyPairSigner()
  const signature = await before.paySol(payer, receiver.address, SOL)
  await before.finalized(signature)
  expect(Number((await transactionOf(before, signature))?.blockTime)).toBeGreaterThanOrEqual(moved.getTime() / 1000)
  const { slot } = await place(before)
  await kill(before)

  const after = await start()
  const at = await place(after)
  expect(at.slot).toBeGreaterThan(slot)
  expect(Number(await after.rpc.getBlockTime(at.slot).send()) * 1000).toBeGreaterThanOrEqual(moved.getTime())
  const later = new Date(target.getTime() + day * 1000)
  expect((await moveChainClock(after.rpcUrl, later)).getTime()).toBeGreaterThanOrEqual(later.getTime())
  await after.paySol(payer, receiver.address, SOL)
})

it('accounts set by cheat code survive; a cheat code that could not is refused', async () => {
  const before = await start()
  const { address } = await generateKeyPairSigner()
  const cheat = (tools: ChainTools, method: string, params: readonly unknown[]) =>
    fetch(tools.rpcUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    }).then((reply) => reply.json())
  const mint = await before.createMint()
  await cheat(before, 'surfnet_setAccount', [address, { lamports: 12_345_678 }])
  await cheat(before, 'surfnet_setTokenAccount', [address, mint.mint, { amount: 77 }])
  expect(await cheat(before, 'surfnet_resetNetwork', [])).toMatchObject({ error: { code: -32601 } })
  await kill(before)

  const after = await start()
  expect(await after.solOf(address)).toBe(12_345_678n)
  expect(await after.tokensOf(address, mint)).toBe(77n)
})

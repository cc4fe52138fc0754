// A whole chain that costs next to nothing: Solana's own runtime in LiteSVM, a slot every 200 ms, one RPC node with its
// websocket. The embedded chain spends 30 ms of a core on a sweep, which on a small machine is all that would be measured.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { WebSocketServer } from 'ws'
import { ProviderFault } from '#adapters/solana/rpc/provider-fault.ts'
import { makeAddress } from '#core/chain/base58.ts'
import type { Address } from '#core/chain/types.ts'
import { createSimulatedChain, SLOT_MS, slotAt, timeOf } from '../../test/simulator/chain/chain.ts'
import type { Landed } from '../../test/simulator/chain/landed.ts'
import { createSimulatedNode } from '../../test/simulator/chain/node.ts'
import type { Founded } from './svm-node.ts'

const BEHIND = -32_016
const CLOCK = makeAddress('SysvarC1ock11111111111111111111111111111111')

const subscribers = new Map<Address, Set<() => void>>()
const bySlot = new Map<bigint, Landed[]>()
const chain = createSimulatedChain({
  fateOf: () => ({ afterSlots: 1n }),
  onSubmitted: () => {},
  onLanded(landed) {
    bySlot.set(landed.slot, [...(bySlot.get(landed.slot) ?? []), landed])
  },
})
chain.advance(slotAt(Date.now()))
const firstSlot = chain.tip
/** The blockhashes of the slots before: a transaction of another chain with the same slots lives here as well. */
const KNOWN_HASHES = 150n
const knowHashes = (first: bigint): void => {
  for (let slot = first; slot <= chain.tip; slot += 1n) chain.lifetimeAt(slot)
}
knowHashes(firstSlot - KNOWN_HASHES)
const node = createSimulatedNode(1, chain, { strikes: () => false, count: () => {} })

// ── HTTP ─────────────────────────────────────────────────────────────────────────────────────────────────────────

const newestFinal = (): bigint => chain.finalized

/**
 * Every slot has a block, as on mainnet. The simulated node would answer `getBlocks` and `getBlock` as well, but while nothing
 * happens its chain has a block in one of sixty slots, and the service would read that many fewer.
 */
function answer(method: string, params: readonly unknown[]): unknown {
  const slots = params.map((one) => (typeof one === 'number' ? BigInt(one) : 0n))
  const [first = 0n, last = 0n] = slots
  if (method === 'getFirstAvailableBlock') return firstSlot
  if (method === 'getBlock') return first <= newestFinal() ? blockOf(first) : null
  if (method === 'getBlocks') {
    const end = last < newestFinal() ? last : newestFinal()
    return Array.from({ length: Math.max(0, Number(end - first) + 1) }, (_, at) => first + BigInt(at))
  }
  return node.answer(method, params)
}

const blockOf = (slot: bigint) => ({
  blockhash: chain.lifetimeAt(slot).blockhash,
  previousBlockhash: chain.lifetimeAt(slot - 1n).blockhash,
  parentSlot: slot - 1n,
  blockHeight: slot,
  blockTime: Math.floor(timeOf(slot).getTime() / 1_000),
  transactions: (bySlot.get(slot) ?? []).map((landed) => ({
    transaction: {
      signatures: [landed.signature],
      accountKeys: landed.keys.map((pubkey, at) => ({ pubkey, signer: at < landed.signers })),
    },
    meta: {
      err: landed.error,
      fee: landed.fee,
      preBalances: landed.balances.map(({ before }) => before),
      postBalances: landed.balances.map(({ after }) => after),
      preTokenBalances: [],
      postTokenBalances: [],
    },
  })),
})

const textOf = (value: unknown): string =>
  JSON.stringify(value, (_key, one: unknown) => (typeof one === 'bigint' ? JSON.rawJSON(String(one)) : one))

const server = createServer(async (request, response) => {
  const { id, method, params = [] } = JSON.parse((await buffer(request)).toString())
  response.setHeader('content-type', 'application/json')
  try {
    response.end(textOf({ jsonrpc: '2.0', id, result: answer(method, params) }))
  } catch (error) {
    const code = error instanceof ProviderFault ? BEHIND : -32_601
    response.end(textOf({ jsonrpc: '2.0', id, error: { code, message: String(error) } }))
  }
})

// ── websocket ────────────────────────────────────────────────────────────────────────────────────────────────────

let subscriptions = 0

new WebSocketServer({ server }).on('connection', (socket) => {
  const ends = new Map<number, () => void>()
  const notify = (method: string, subscription: number, result: unknown): void =>
    socket.send(textOf({ jsonrpc: '2.0', method, params: { subscription, result } }))
  socket.on('message', (data) => {
    const { id, method, params = [] } = JSON.parse(String(data))
    subscriptions += 1
    const subscription = subscriptions
    if (method === 'accountSubscribe') {
      const account = makeAddress(params[0])
      const tell = (): void =>
        notify('accountNotification', subscription, { context: { slot: newestFinal() }, value: null })
      const tells = subscribers.get(account) ?? new Set()
      subscribers.set(account, tells.add(tell))
      ends.set(subscription, () => void tells.delete(tell))
    } else ends.get(params[0])?.()
    socket.send(textOf({ jsonrpc: '2.0', id, result: method.endsWith('Unsubscribe') ? true : subscription }))
  })
  socket.on('close', () => {
    for (const end of ends.values()) end()
  })
})

setInterval(() => {
  const [before, finalBefore] = [chain.tip, newestFinal()]
  chain.advance(slotAt(Date.now()))
  if (chain.tip === before) return
  knowHashes(before + 1n)
  const changed = new Set([CLOCK])
  for (let slot = finalBefore + 1n; slot <= newestFinal(); slot += 1n)
    for (const { before: accounts } of bySlot.get(slot) ?? []) for (const key of accounts.keys()) changed.add(key)
  for (const account of changed) for (const tell of subscribers.get(account) ?? []) tell()
}, SLOT_MS / 8)

process.once('message', (accounts: Founded) => {
  for (const [address, raw] of accounts) chain.found(address, raw)
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
})
// The measuring process is gone.
process.on('disconnect', () => process.exit())

// One RPC node over the chain: its slot, its pruned history, and its lies. It answers like Solana's JSON-RPC, so that
// the service's own adapters read it.

import { createHash } from 'node:crypto'
import {
  type Address,
  address,
  getBase58Decoder,
  getCompiledTransactionMessageDecoder,
  getTransactionDecoder,
  type Signature,
  SOLANA_ERROR__JSON_RPC__METHOD_NOT_FOUND,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_BLOCK_CLEANED_UP,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_BLOCK_NOT_AVAILABLE,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_LONG_TERM_STORAGE_SLOT_SKIPPED,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_SLOT_SKIPPED,
} from '@solana/kit'
import { ProviderFault } from '#adapters/solana/rpc/provider-fault.ts'
import type { Faults } from '../faults.ts'
import { type Block, heightOf, type SimulatedChain, timeOf } from './chain.ts'
import type { Landed } from './landed.ts'
import { clockData, holdingOf, SYSTEM_PROGRAM } from './raw.ts'

const CLOCK_SYSVAR = 'SysvarC1ock11111111111111111111111111111111'
const GENESIS = 'SimuLatedGenesis111111111111111111111111111'

const CERTIFICATE = {
  block: { slot: 1_000, blockId: Array.from({ length: 32 }, () => 7) },
  signature: { signature: Array.from({ length: 192 }, () => 7), bitmap: [1] },
}

/** Wrong answers of real nodes that the adapters must handle. */
export const LIES = [
  'lists transactions below the requested commitment',
  'returns transactions of the newest block as final in getTransaction',
  'forgets signatures',
  'ignores minContextSlot',
  'gives the height of a newer node',
  'has no block times',
  'omits the confirmation status',
  'calls every block final',
] as const
export type Lie = (typeof LIES)[number]

const TOO_SURE: readonly Lie[] = [
  'returns transactions of the newest block as final in getTransaction',
  'calls every block final',
]

/** A JSON-RPC error of a healthy node. */
export class NodeRefusal extends Error {
  readonly code: number

  constructor(code: number) {
    super(`refused with ${code}`)
    this.code = code
  }
}

/** Signatures in one answer, as of a real node. */
const MAX_SIGNATURES = 1_000

export type NodeState = {
  lag: bigint
  down: boolean
  /** The node has pruned everything before this slot. */
  prunedBelow: bigint
  lie: Lie | null
}

export type SimulatedNode = {
  readonly number: number
  readonly state: NodeState
  /** Throws ProviderFault or NodeRefusal. */
  answer(method: string, params: readonly unknown[]): unknown
}

export function createSimulatedNode(
  number: number,
  chain: SimulatedChain,
  faults: Pick<Faults, 'strikes' | 'count'>,
): SimulatedNode {
  const state: NodeState = { lag: 0n, down: false, prunedBelow: 0n, lie: null }
  const methods = { ...createMethods(chain, state), ...createBlockMethods(chain, state, faults) }
  return {
    number,
    state,
    answer(method, params) {
      if (state.down) throw new ProviderFault('http_error', { status: 503 })
      // The third node is older than the method.
      if (method === 'getAgGenesisCert' && number === 3) throw new NodeRefusal(SOLANA_ERROR__JSON_RPC__METHOD_NOT_FOUND)
      const answer = methods[method]
      if (answer === undefined) throw new Error(`not expected here: ${method}`)
      return answer(params)
    },
  }
}

type Config = { readonly commitment?: string; readonly minContextSlot?: bigint | number }
const configOf = (value: unknown): Config & Readonly<Record<string, unknown>> =>
  (value ?? {}) as Config & Record<string, unknown>

function createMethods(
  chain: SimulatedChain,
  state: NodeState,
): Readonly<Record<string, (params: readonly unknown[]) => unknown>> {
  const tip = (): bigint => chain.tip - state.lag
  // A call without a commitment means finalized; kit omits it.
  const final = (): bigint => chain.finalized - state.lag
  const isTower = chain.consensus === 'towerBft'
  const slotOf = (commitment: unknown): bigint =>
    commitment === 'processed' || (commitment === 'confirmed' && isTower) ? tip() : final()
  const context = (config: Config): bigint => {
    const slot = slotOf(config.commitment)
    if (config.minContextSlot !== undefined && slot < BigInt(config.minContextSlot)) {
      if (state.lie !== 'ignores minContextSlot') throw new ProviderFault('behind')
    }
    return slot
  }
  const levelOf = ({ slot }: Landed) => (slot <= final() ? 'finalized' : isTower ? 'confirmed' : 'processed')
  const knows = (one: Landed): boolean => one.slot <= tip() && one.slot >= state.prunedBelow
  /** A node that calls every block final shows transactions of skipped blocks as well. */
  const isSure = (): boolean => state.lie === 'calls every block final'
  const find = (signature: Signature): Landed | null =>
    chain.landed(signature) ?? (isSure() ? chain.skipped(signature) : null)
  const all = (): readonly Landed[] =>
    isSure() ? [...chain.all(), ...chain.allSkipped()].toSorted((a, b) => Number(a.slot - b.slot)) : chain.all()

  return {
    getGenesisHash: () => GENESIS,
    getAgGenesisCert: () => (isTower ? null : CERTIFICATE),
    getSlot: ([config]) => slotOf(configOf(config).commitment),
    getBlockHeight: ([config]) => heightOf(slotOf(configOf(config).commitment)),
    getEpochInfo([config]) {
      const ahead = state.lie === 'gives the height of a newer node' ? state.lag : 0n
      const slot = slotOf(configOf(config).commitment) + ahead
      return { absoluteSlot: slot, blockHeight: heightOf(slot), epoch: 0, slotIndex: 0, slotsInEpoch: 432_000 }
    },
    getMinimumBalanceForRentExemption: ([bytes]) => chain.rentOf(BigInt(Number(bytes))),
    getLatestBlockhash([config]) {
      const slot = context(configOf(config))
      return { context: { slot }, value: chain.lifetimeAt(slot) }
    },
    getMultipleAccounts([accounts, config]) {
      const slot = context(configOf(config))
      return { context: { slot }, value: (accounts as Address[]).map((account) => accountAnswer(chain, account, slot)) }
    },
    getAccountInfo([account, config]) {
      const slot = context(configOf(config))
      return { context: { slot }, value: accountAnswer(chain, account as Address, slot) }
    },
    getTokenAccountsByOwner([owner, filter, config]) {
      const slot = context(configOf(config))
      const { programId } = filter as { programId: Address }
      const named = chain
        .all()
        .flatMap(({ keys, tokens }) =>
          tokens.after.flatMap((one) => (one.owner === owner ? (keys[one.accountIndex] ?? []) : [])),
        )
      const value = [...new Set(named)].flatMap((pubkey) => {
        const isOwned = holdingOf(chain.accountAt(pubkey, slot))?.owner === owner
        const account = accountAnswer(chain, pubkey, slot)
        return isOwned && account?.owner === programId ? [{ pubkey, account }] : []
      })
      return { context: { slot }, value }
    },
    getSignatureStatuses([signatures]) {
      const value = (signatures as Signature[]).map((signature) => {
        const one = find(signature)
        if (one === null || !knows(one) || isForgotten(state, signature)) return null
        const level = isSure() ? 'finalized' : levelOf(one)
        const named = state.lie === 'omits the confirmation status' ? null : level
        return {
          slot: one.slot,
          confirmations: level === 'finalized' ? null : 3,
          confirmationStatus: named,
          err: one.error,
        }
      })
      return { context: { slot: tip() }, value }
    },
    getSignaturesForAddress([account, given]) {
      const config = configOf(given)
      const slot = context(config)
      const sees = state.lie === 'lists transactions below the requested commitment' ? tip() : slot
      const found: unknown[] = []
      const limit = Number(config.limit ?? MAX_SIGNATURES)
      // An unknown signature limits nothing.
      let isPast = config.before === undefined || find(config.before as Signature) === null
      for (const one of all().toReversed()) {
        if (one.signature === config.until || found.length === limit) break
        if (!isPast) {
          isPast = one.signature === config.before
          continue
        }
        if (one.slot > sees || one.slot < state.prunedBelow || !one.keys.includes(account as Address)) continue
        const { signature, slot: landedAt, error: err } = one
        const confirmationStatus = isSure() ? 'finalized' : levelOf(one)
        found.push({ signature, slot: landedAt, err, memo: null, blockTime: null, confirmationStatus })
      }
      return found
    },
    getTransaction([signature, given]) {
      const one = find(signature as Signature)
      const sure = state.lie !== null && TOO_SURE.includes(state.lie)
      const slot = sure ? tip() : slotOf(configOf(given).commitment)
      if (one === null || one.slot > slot || !knows(one)) return null
      return transactionAnswer(one, state.lie === 'has no block times')
    },
    getBlockTime: ([slot]) => secondsOf(BigInt(Number(slot))),
    sendTransaction([wire]) {
      return chain.submit(Uint8Array.from(Buffer.from(String(wire), 'base64')))
    },
  }
}

/** Blocks exist only for final slots here, because no caller requests others. */
function createBlockMethods(
  chain: SimulatedChain,
  state: NodeState,
  faults: Pick<Faults, 'strikes' | 'count'>,
): Readonly<Record<string, (params: readonly unknown[]) => unknown>> {
  const newest = (): bigint => chain.finalized - state.lag
  const list = (from: bigint, to: bigint): readonly bigint[] => {
    const end = to < newest() ? to : newest()
    const slots = chain.slotsWithBlocks(from < state.prunedBelow ? state.prunedBelow : from, end)
    return slots.filter(() => !faults.strikes('block left out'))
  }
  return {
    getFirstAvailableBlock: () => state.prunedBelow,
    getBlocks: ([first, last]) => list(BigInt(Number(first)), BigInt(Number(last))),
    getBlocksWithLimit: ([first, limit]) => list(BigInt(Number(first)), newest()).slice(0, Number(limit)),
    getBlock([asked]) {
      const slot = BigInt(Number(asked))
      if (slot > newest()) throw new NodeRefusal(SOLANA_ERROR__JSON_RPC__SERVER_ERROR_BLOCK_NOT_AVAILABLE)
      if (slot < state.prunedBelow) throw new NodeRefusal(SOLANA_ERROR__JSON_RPC__SERVER_ERROR_BLOCK_CLEANED_UP)
      const block = chain.blockAt(slot)
      if (block === null) {
        faults.count('skipped slot asked for')
        throw new NodeRefusal(SOLANA_ERROR__JSON_RPC__SERVER_ERROR_SLOT_SKIPPED)
      }
      if (faults.strikes('block missing'))
        throw new NodeRefusal(SOLANA_ERROR__JSON_RPC__SERVER_ERROR_LONG_TERM_STORAGE_SLOT_SKIPPED)
      faults.count('block read')
      return blockAnswer(block, slot, state.lie === 'has no block times')
    },
  }
}

const secondsOf = (slot: bigint): bigint => BigInt(Math.floor(timeOf(slot).getTime() / 1_000))

/** A node that forgets does not know a third of the signatures. */
const isForgotten = ({ lie }: NodeState, signature: Signature): boolean =>
  lie === 'forgets signatures' && (createHash('sha256').update(signature).digest()[0] ?? 0) % 3 === 0

function accountAnswer(chain: SimulatedChain, account: Address, slot: bigint) {
  const clock = account === address(CLOCK_SYSVAR)
  const raw = clock
    ? { lamports: 1n, owner: SYSTEM_PROGRAM, data: clockData(slot, secondsOf(slot)) }
    : chain.accountAt(account, slot)
  if (raw === null) return null
  return {
    lamports: raw.lamports,
    owner: raw.owner,
    data: [Buffer.from(raw.data).toString('base64'), 'base64'],
    executable: false,
    space: raw.data.length,
  }
}

const tokenBalance = ({ accountIndex, mint, owner, amount }: Landed['tokens']['before'][number]) => ({
  accountIndex,
  mint,
  owner,
  uiTokenAmount: { amount: amount.toString(), decimals: 6, uiAmountString: '0' },
})

const metaAnswer = (one: Landed) => ({
  err: one.error,
  fee: one.fee,
  preBalances: one.balances.map(({ before }) => before),
  postBalances: one.balances.map(({ after }) => after),
  preTokenBalances: one.tokens.before.map(tokenBalance),
  postTokenBalances: one.tokens.after.map(tokenBalance),
})

/** A block with `transactionDetails: accounts`. */
function blockAnswer(block: Block, slot: bigint, timeless: boolean): unknown {
  return {
    blockhash: block.blockhash,
    previousBlockhash: block.parentBlockhash,
    parentSlot: block.parentSlot,
    blockHeight: heightOf(slot),
    blockTime: timeless ? null : secondsOf(slot),
    transactions: block.transactions.map((one) => ({
      transaction: {
        signatures: [one.signature],
        accountKeys: one.keys.map((pubkey, at) => ({ pubkey, signer: at < one.signers, writable: true })),
      },
      meta: metaAnswer(one),
    })),
  }
}

function instructionsOf({ wire }: Landed): readonly unknown[] {
  const message = getCompiledTransactionMessageDecoder().decode(getTransactionDecoder().decode(wire).messageBytes)
  if (message.version === 1) throw new Error('not simulated: a transaction of version 1')
  return message.instructions.map(({ programAddressIndex, data = new Uint8Array() }) => ({
    programIdIndex: programAddressIndex,
    data: getBase58Decoder().decode(data),
  }))
}

function transactionAnswer(one: Landed, timeless: boolean): unknown {
  return {
    slot: one.slot,
    blockTime: timeless ? null : secondsOf(one.slot),
    transaction: {
      signatures: [one.signature],
      message: {
        accountKeys: one.keys,
        header: { numRequiredSignatures: one.signers },
        instructions: instructionsOf(one),
      },
    },
    meta: { ...metaAnswer(one), loadedAddresses: { writable: [], readonly: [] } },
  }
}

// Answers the history of the chain, over all its lives: transactions, statuses, signatures and blocks, from disk and by
// commitment, as a node does. (The runtime itself knows only its own life, and no commitments.)
import { createHash } from 'node:crypto'
import { getBase58Decoder } from '@solana/kit'
import { z } from 'zod'
import { type ChainClock, reachedBlock } from './chain-clock.ts'
import { type Block, blockHeight, blockTime, DEPTH, parentSlot, slotsWithBlocks } from './eras.ts'
import {
  addressParam,
  type Commitment,
  configured,
  parseExactJson,
  type ReadConfig,
  RPC_CODES,
  RpcFailure,
  type RpcMethods,
  readConfig,
  readParams,
  signatureParam,
  slotParam,
  stringifyExactJson,
  withContext,
} from './json-rpc.ts'
import type { LandedTransaction, LedgerStore, Touch } from './ledger-store.ts'
import type { WriteQueue } from './write-queue.ts'

export type HistoryDependencies = {
  readonly ledger: Pick<LedgerStore, 'status' | 'transaction' | 'transactionsIn' | 'touches'>
  readonly queue: Pick<WriteQueue<unknown>, 'settled'>
  readonly chainClock: Pick<ChainClock, 'at' | 'eras'>
  readonly genesisHash: string
}

const encoding = z.enum(['json', 'jsonParsed', 'base58', 'base64'])
type Encoding = z.output<typeof encoding>
const versionLimit = z.union([z.literal('legacy'), z.number().int()]).optional()

const transactionConfig = readConfig.extend({
  encoding: encoding.default('json'),
  maxSupportedTransactionVersion: versionLimit,
})
/** An old form of the parameter is the encoding alone. */
const bareEncoding = encoding.transform((bare) => transactionConfig.parse({ encoding: bare }))
const transactionParams = z.tuple([signatureParam, configured(z.union([transactionConfig, bareEncoding]))])
/** Nothing said means every status that there is, the newest as well. */
const statusConfig = readConfig.extend({ commitment: readConfig.shape.commitment.unwrap().default('processed') })
const statusParams = z.tuple([z.array(signatureParam).max(256), configured(statusConfig)])
const addressConfig = readConfig.extend({
  before: signatureParam.nullish(),
  until: signatureParam.nullish(),
  limit: z.number().int().min(1).max(1000).nullish(),
})
const addressParams = z.tuple([addressParam, configured(addressConfig)])
const blockConfig = readConfig.extend({
  encoding: encoding.default('json'),
  transactionDetails: z.enum(['full', 'accounts', 'signatures', 'none']).default('full'),
  maxSupportedTransactionVersion: versionLimit,
})
const blockParams = z.tuple([slotParam, configured(blockConfig)])
const blocksParams = z.tuple([slotParam]).rest(z.unknown())
const MAX_BLOCKS = 500_000

const versionOf = z.object({ version: z.union([z.literal('legacy'), z.number()]).default('legacy') })
const wholeTransaction = z.record(z.string(), z.unknown())

export function createHistoryMethods(dependencies: HistoryDependencies): RpcMethods {
  return { ...createTransactionMethods(dependencies), ...createBlockMethods(dependencies) }
}

function createTransactionMethods({ ledger, queue, chainClock }: HistoryDependencies): RpcMethods {
  /** Returns the newest block that counts; whatever was executed up to it is on disk by then. */
  const reach = async (config: ReadConfig): Promise<Block> => {
    const block = await reachedBlock(chainClock, config)
    await queue.settled()
    return block
  }
  return {
    async getTransaction(params) {
      const [signature, config] = readParams(transactionParams, params)
      const { slot } = await reach(config)
      const landed = ledger.transaction(signature)
      if (landed === null || landed.slot > slot) return 'null'
      return encodeLanded(landed, config.encoding, config.maxSupportedTransactionVersion)
    },

    async getSignatureStatuses(params) {
      const [signatures, config] = readParams(statusParams, params)
      const counted = await reach(config)
      const newest = await chainClock.at('processed')
      const eras = chainClock.eras()
      const value = signatures.map((signature) => {
        const touch = ledger.status(signature)
        if (touch === null || touch.slot > counted.slot) return 'null'
        const confirmations = newest.height - (blockHeight(eras, touch.slot) ?? 0)
        const isFinal = confirmations >= DEPTH.finalized
        const level: Commitment = isFinal ? 'finalized' : 'processed'
        const status = touch.error === 'null' ? '{"Ok":null}' : `{"Err":${touch.error}}`
        return `{"confirmationStatus":"${level}","confirmations":${isFinal ? null : confirmations},"err":${touch.error},"slot":${touch.slot},"status":${status}}`
      })
      return withContext(counted.slot, `[${value.join(',')}]`)
    },

    async getSignaturesForAddress(params) {
      const [account, config] = readParams(addressParams, params)
      const { slot } = await reach(config)
      const final = await chainClock.at('finalized')
      const range = {
        before: config.before ?? undefined,
        until: config.until ?? undefined,
        maxSlot: slot,
        limit: config.limit ?? 1000,
      }
      const describe = (touch: Touch): string => {
        const level: Commitment = touch.slot <= final.slot ? 'finalized' : 'processed'
        return `{"blockTime":${blockTime(chainClock.eras(), touch.slot)},"confirmationStatus":"${level}","err":${touch.error},"memo":null,"signature":"${touch.signature}","slot":${touch.slot}}`
      }
      return `[${ledger.touches(account, range).map(describe).join(',')}]`
    },
  }
}

function createBlockMethods({ ledger, queue, chainClock, genesisHash }: HistoryDependencies): RpcMethods {
  /** Refuses a slot that is not there yet, or never will be. */
  const requireBlock = async (slot: number, commitment: Commitment): Promise<number> => {
    const newest = await chainClock.at(commitment)
    await queue.settled()
    if (slot > newest.slot) throw new RpcFailure(RPC_CODES.blockNotAvailable, `Block not available for slot ${slot}`)
    const height = blockHeight(chainClock.eras(), slot)
    if (height === null)
      throw new RpcFailure(RPC_CODES.slotSkipped, `Slot ${slot} was skipped, or missing due to ledger jump`)
    return height
  }
  const hashOf = (slot: number): string =>
    getBase58Decoder().decode(createHash('sha256').update(`block ${genesisHash} ${slot}`).digest())
  const blocksUpTo = async (first: number, last: number, limit: number, config: unknown): Promise<string> => {
    const { commitment } = readParams(configured(readConfig), config)
    const newest = await chainClock.at(commitment)
    return JSON.stringify(slotsWithBlocks(chainClock.eras(), first, Math.min(last, newest.slot), limit))
  }

  return {
    async getBlock(params) {
      const [slot, config] = readParams(blockParams, params)
      const height = await requireBlock(slot, config.commitment)
      const parent = parentSlot(chainClock.eras(), slot)
      const details = detailsOf(ledger.transactionsIn(slot), config)
      return `{"blockHeight":${height},"blockTime":${blockTime(chainClock.eras(), slot)},"blockhash":"${hashOf(slot)}","parentSlot":${parent},"previousBlockhash":"${hashOf(parent)}","rewards":[]${details}}`
    },

    async getBlockTime(params) {
      const [slot] = readParams(z.tuple([slotParam]), params)
      await requireBlock(slot, 'processed')
      return JSON.stringify(blockTime(chainClock.eras(), slot))
    },

    async getBlocks(params) {
      const [first, second, third] = readParams(blocksParams, params)
      const hasEnd = typeof second === 'number'
      return blocksUpTo(first, hasEnd ? second : Number.MAX_SAFE_INTEGER, MAX_BLOCKS, hasEnd ? third : second)
    },

    async getBlocksWithLimit(params) {
      const [first, limit, config] = readParams(
        z.tuple([slotParam, slotParam.max(MAX_BLOCKS)]).rest(z.unknown()),
        params,
      )
      return blocksUpTo(first, Number.MAX_SAFE_INTEGER, limit, config)
    },

    getFirstAvailableBlock: async () => JSON.stringify(chainClock.eras()[0]?.firstSlot ?? 0),
    minimumLedgerSlot: async () => JSON.stringify(chainClock.eras()[0]?.firstSlot ?? 0),
  }
}

/** Returns what a block says of its transactions: one more member of its JSON, or none. */
function detailsOf(landed: readonly LandedTransaction[], config: z.output<typeof blockConfig>): string {
  if (config.transactionDetails === 'none') return ''
  if (config.transactionDetails === 'signatures')
    return `,"signatures":${JSON.stringify(landed.map(({ signature }) => signature))}`
  const { encoding: as, maxSupportedTransactionVersion: limit } = config
  const entries = landed.map((one) =>
    config.transactionDetails === 'accounts' ? withAccountsOnly(one, limit) : inBlock(one, as, limit),
  )
  return `,"transactions":[${entries.join(',')}]`
}

/** Returns a transaction as an entry of its block: the same without slot and time. */
function inBlock(landed: LandedTransaction, as: Encoding, limit: z.output<typeof versionLimit>): string {
  const {
    slot: _slot,
    blockTime: _time,
    ...entry
  } = wholeTransaction.parse(parseExactJson(encodeLanded(landed, as, limit)))
  return stringifyExactJson(entry)
}

const accountsOf = z.object({
  version: z.unknown().optional(),
  transaction: z.object({ signatures: z.unknown(), message: z.object({ accountKeys: z.unknown() }) }),
  meta: z
    .object({ err: z.unknown(), status: z.unknown(), fee: z.unknown() })
    .extend({ preBalances: z.unknown(), postBalances: z.unknown() })
    .extend({ preTokenBalances: z.unknown(), postTokenBalances: z.unknown() }),
})

/** Returns what a transaction did to the balances of its accounts, without its instructions and logs. */
function withAccountsOnly(landed: LandedTransaction, limit: z.output<typeof versionLimit>): string {
  const { transaction, ...rest } = accountsOf.parse(parseExactJson(encodeLanded(landed, 'jsonParsed', limit)))
  const { signatures, message } = transaction
  return stringifyExactJson({ ...rest, transaction: { signatures, accountKeys: message.accountKeys } })
}

function encodeLanded(landed: LandedTransaction, as: Encoding, limit: z.output<typeof versionLimit>): string {
  const { version } = versionOf.parse(parseExactJson(landed.json))
  if (version !== 'legacy' && (typeof limit !== 'number' || limit < version))
    throw new RpcFailure(
      RPC_CODES.versionUnsupported,
      `Transaction version (${version}) is not supported by the requesting client. Please try the request again with the following configuration parameter: "maxSupportedTransactionVersion": ${version}`,
    )
  if (as === 'json' || as === 'jsonParsed') return landed[as]
  const wire =
    as === 'base64'
      ? Buffer.from(landed.wire).toString('base64')
      : getBase58Decoder().decode(Uint8Array.from(landed.wire))
  return stringifyExactJson({ ...wholeTransaction.parse(parseExactJson(landed.json)), transaction: [wire, as] })
}

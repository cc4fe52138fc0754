// Reads final blocks from the providers. A block that one provider lacks is asked of the next. That a slot was skipped
// is never concluded from an answer, only from the block after it.
import {
  MAX_SUPPORTED_TRANSACTION_VERSION,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_BLOCK_CLEANED_UP,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_BLOCK_NOT_AVAILABLE,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_BLOCK_STATUS_NOT_AVAILABLE_YET,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_LONG_TERM_STORAGE_SLOT_SKIPPED,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_SLOT_SKIPPED,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_TRANSACTION_HISTORY_NOT_AVAILABLE,
} from '@solana/kit'
import { faultInAnswer } from '#adapters/solana/rpc/answer-faults.ts'
import type { Question } from '#adapters/solana/rpc/provider.ts'
import { ProviderFault } from '#adapters/solana/rpc/provider-fault.ts'
import type { RpcPool } from '#adapters/solana/rpc/rpc-pool.ts'
import { ServiceError } from '#core/errors.ts'
import { fieldOf } from '#lib/values.ts'
import type { BlockSource, ScannedBlock } from '#ports/blocks.ts'
import type { BlockMatcher } from './block-matcher.ts'

/** `accounts` contains the balances, at a fraction of a whole block's size. */
const BLOCK_CONFIG = {
  commitment: 'finalized',
  encoding: 'json',
  transactionDetails: 'accounts',
  maxSupportedTransactionVersion: MAX_SUPPORTED_TRANSACTION_VERSION,
  rewards: false,
} as const

/** The errors of a healthy provider that does not have the block: skipped, not there yet, or dropped. */
const LACKING: ReadonlySet<unknown> = new Set([
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_BLOCK_CLEANED_UP,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_BLOCK_NOT_AVAILABLE,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_BLOCK_STATUS_NOT_AVAILABLE_YET,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_LONG_TERM_STORAGE_SLOT_SKIPPED,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_SLOT_SKIPPED,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_TRANSACTION_HISTORY_NOT_AVAILABLE,
])

export function createBlockSource(pool: Pick<RpcPool, 'ask' | 'askEach'>, matcher: BlockMatcher): BlockSource {
  const read = (slot: bigint): Question<ScannedBlock | null> =>
    async function ask({ raw }) {
      const matched = await matcher.match(slot, await raw('getBlock', [Number(slot), BLOCK_CONFIG]))
      if (matched.kind === 'block') return matched.block
      if (matched.kind === 'none') return null
      if (matched.kind === 'malformed') throw new ProviderFault('malformed')
      if (LACKING.has(Number(fieldOf(matched.error, 'code')))) return null
      throw faultInAnswer({ error: matched.error }) ?? new ProviderFault('malformed')
    }

  return {
    watch: (addresses) => matcher.watch(addresses),
    get watched() {
      return matcher.watched
    },
    finalSlots(after, span, insist) {
      const [first, last] = [after + 1n, after + BigInt(span)]
      return pool.ask(
        'getBlocks',
        ({ rpc, abortSignal }) => rpc.getBlocks(first, last, { commitment: 'finalized' }).send({ abortSignal }),
        (slots) => !insist || slots.length > 0,
      )
    },
    nextFinalSlots: (after, limit) =>
      pool.ask(
        'getBlocksWithLimit',
        ({ rpc, abortSignal }) =>
          rpc.getBlocksWithLimit(after + 1n, limit, { commitment: 'finalized' }).send({ abortSignal }),
        (slots) => slots.length > 0,
      ),
    newestFinalSlot: () =>
      pool.ask('getSlot', ({ rpc, abortSignal }) => rpc.getSlot({ commitment: 'finalized' }).send({ abortSignal })),
    finalBlock: (slot) => pool.ask('getBlock', read(slot), (block) => block !== null),
    async oldestSlot() {
      const answers = await Promise.all(
        pool.askEach('getFirstAvailableBlock', ({ rpc, abortSignal }) =>
          rpc.getFirstAvailableBlock().send({ abortSignal }),
        ),
      )
      const slots = answers.flatMap((answer) => ('answer' in answer ? [answer.answer] : []))
      const [first] = slots
      if (first === undefined) throw new ServiceError('chain_unavailable', { method: 'getFirstAvailableBlock' })
      return slots.reduce((oldest, slot) => (slot < oldest ? slot : oldest), first)
    },
    close: () => matcher.close(),
  }
}

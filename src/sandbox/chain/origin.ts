// Stands in for a chain that the runtime continues: an empty chain at a given slot. The runtime has no setting for its
// first slot, but takes slot, epoch and genesis hash from a chain that it continues.
import { z } from 'zod'
import { RPC_CODES, type RpcCall, RpcFailure, readParams, withContext } from './json-rpc.ts'

export const SLOTS_PER_EPOCH = 432_000

export type Origin = { readonly slot: number; readonly genesisHash: string }

const several = z.tuple([z.array(z.unknown())]).rest(z.unknown())

/** Returns the result as JSON text. Throws RpcFailure on a method that such a chain has no answer to. */
export function answerAsOrigin({ slot, genesisHash }: Origin, { method, params }: RpcCall): string {
  switch (method) {
    case 'getEpochInfo':
      return JSON.stringify({
        absoluteSlot: slot,
        // The runtime counts blocks from zero whatever is said here.
        blockHeight: 0,
        epoch: Math.floor(slot / SLOTS_PER_EPOCH),
        slotIndex: slot % SLOTS_PER_EPOCH,
        slotsInEpoch: SLOTS_PER_EPOCH,
        transactionCount: 0,
      })
    case 'getEpochSchedule':
      return JSON.stringify({
        firstNormalEpoch: 0,
        firstNormalSlot: 0,
        leaderScheduleSlotOffset: SLOTS_PER_EPOCH,
        slotsPerEpoch: SLOTS_PER_EPOCH,
        warmup: false,
      })
    case 'getGenesisHash':
      return JSON.stringify(genesisHash)
    case 'getMultipleAccounts':
      return withContext(slot, JSON.stringify(readParams(several, params)[0].map(() => null)))
    case 'getAccountInfo':
      return withContext(slot, 'null')
    case 'getTokenAccountsByOwner':
    case 'getTokenAccountsByDelegate':
    case 'getTokenLargestAccounts':
    case 'getLargestAccounts':
      return withContext(slot, '[]')
    case 'getProgramAccounts':
    case 'getSignaturesForAddress':
    case 'getBlocks':
      return '[]'
    case 'getTransaction':
    case 'getBlock':
      return 'null'
    default:
      throw new RpcFailure(RPC_CODES.methodNotFound, 'Method not found')
  }
}

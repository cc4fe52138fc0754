// The only holder of private keys. It reads every message for itself before it signs.
import { sign } from 'node:crypto'
import { getBase58Decoder, signature } from '@solana/kit'
import { createKeyTree } from '#adapters/solana/keys/key-tree.ts'
import { publicHalf, signingKey } from '#adapters/solana/keys/slip10.ts'
import { addressOfBytes } from '#core/chain/public-key.ts'
import { type KeyPath, MOST_PRIORITY_FEE, type TransactionPlan } from '#core/transfers/plan.ts'
import type { Signer } from '#ports/signer.ts'
import { checkMessage, type MessageLimits, MessageMismatch } from './message-check.ts'

const DEFAULT_LIMITS: MessageLimits = { maxPriorityFeeLamports: MOST_PRIORITY_FEE }

/** `seed` is the 64 bytes of `loadMasterSeed`. The keys of both networks follow from it. */
export function createSigner(seed: Uint8Array, limits: MessageLimits = DEFAULT_LIMITS): Signer {
  const tree = createKeyTree(seed)
  // The address is the signing library's own word: another one gave it out.
  const keyOf = (path: KeyPath) => {
    const key = signingKey(tree.nodeOf(path))
    return { key, address: addressOfBytes(publicHalf(key)) }
  }
  const keysFor = async (plan: TransactionPlan, message: Uint8Array) => {
    const payer = keyOf({ network: plan.network, branch: 'fee_payer' })
    const source = keyOf(plan.sourceKey)
    if (plan.sourceKey.network !== plan.network || source.address !== plan.source)
      throw new MessageMismatch('the plan’s key is not its source’s')
    await checkMessage(plan, message, payer.address, limits)
    return { payer, source }
  }
  return {
    async sign(plan, message) {
      const keys = await keysFor(plan, message).catch(asRefusal)
      if ('refused' in keys) return keys
      const { payer, source } = keys
      const first = sign(null, message, payer.key)
      const second = sign(null, message, source.key)
      return {
        wire: Uint8Array.from(Buffer.concat([Uint8Array.of(2), first, second, message])),
        // The fee payer's signature comes first and is the transaction's name.
        signature: signature(getBase58Decoder().decode(first)),
      }
    },
  }
}

/** Whatever keeps a message from being read as its plan does so each time. */
const asRefusal = (error: unknown) => ({ refused: error instanceof Error ? error.message : String(error) })

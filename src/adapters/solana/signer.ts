// The only holder of private keys. It reads every message for itself before it signs.
import { sign } from 'node:crypto'
import { getBase58Decoder, signature } from '@solana/kit'
import type { KeyPath } from '#core/transfers/plan.ts'
import type { Signer } from '#ports/signer.ts'
import { createKeyTree } from './key-tree.ts'
import { checkMessage, type MessageLimits, MessageMismatch } from './message-check.ts'
import { signingKey } from './slip10.ts'

/** More than a thousandth of a SOL for getting a transaction in sooner is a mistake, not a price. */
const DEFAULT_LIMITS: MessageLimits = { maxPriorityFeeLamports: 1_000_000n }

/** `seed` is the 64 bytes of `loadMasterSeed`. The keys of both networks follow from it. */
export function createSigner(seed: Uint8Array, limits: MessageLimits = DEFAULT_LIMITS): Signer {
  const tree = createKeyTree(seed)
  const keyOf = (path: KeyPath) => ({ key: signingKey(tree.nodeOf(path)), address: tree.addressOf(path) })
  return {
    async sign(plan, message) {
      const payer = keyOf({ network: plan.network, branch: 'fee_payer' })
      const source = keyOf(plan.sourceKey)
      if (plan.sourceKey.network !== plan.network || source.address !== plan.source)
        throw new MessageMismatch('the plan’s key is not its source’s')
      await checkMessage(plan, message, payer.address, limits)
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

// The only owner of private keys. It decodes every message independently before it signs.
import { type KeyObject, sign } from 'node:crypto'
import { type Address, getBase58Decoder, signature } from '@solana/kit'
import { createKeyTree } from '#adapters/solana/keys/key-tree.ts'
import { publicHalf, signingKey } from '#adapters/solana/keys/slip10.ts'
import type { Authority } from '#core/chain/keys.ts'
import { addressOfBytes } from '#core/chain/public-key.ts'
import { MAX_PRIORITY_FEE, signersOf, type TransactionPlan } from '#core/transfers/plan.ts'
import type { Signer } from '#ports/signer.ts'
import { checkMessage, type MessageLimits, MessageMismatch } from './message-check.ts'

const DEFAULT_LIMITS: MessageLimits = { maxPriorityFeeLamports: MAX_PRIORITY_FEE }
/** The placeholder for a signature that another wallet makes. */
const UNSIGNED = new Uint8Array(64)

type Key = { readonly key: KeyObject; readonly address: Address }

/** `seed` is the 64 bytes of `loadMasterSeed`. The keys of both networks follow from it. */
export function createSigner(seed: Uint8Array, limits: MessageLimits = DEFAULT_LIMITS): Signer {
  const tree = createKeyTree(seed)
  // The address comes from the signing library: another library derived the deposit address.
  const keyOf = (path: Authority['key']): Key => {
    const key = signingKey(tree.nodeOf(path))
    return { key, address: addressOfBytes(publicHalf(key)) }
  }
  const keysFor = (plan: TransactionPlan): readonly Key[] => {
    const path = { network: plan.network, branch: 'fee_payer' } as const
    const feePayer = keyOf(path)
    return signersOf(plan, { address: feePayer.address, key: path }).map(({ address, key }) => {
      const own = keyOf(key)
      if (key.network !== plan.network || own.address !== address)
        throw new MessageMismatch('the plan names a key that is not its signer’s')
      return own
    })
  }
  const check = async (plan: TransactionPlan, message: Uint8Array, others: readonly Address[]) => {
    const keys = keysFor(plan)
    const signers = [...keys.map(({ address }) => address), ...others]
    return { keys, inOrder: await checkMessage(plan, message, signers, limits) }
  }
  return {
    async sign(plan, message, others = []) {
      const checked = await check(plan, message, others).catch(asRefusal)
      if ('refused' in checked) return checked
      const keys = new Map(checked.keys.map(({ address, key }) => [address, key]))
      const signatures = checked.inOrder.map((address) => {
        const key = keys.get(address)
        return key === undefined ? UNSIGNED : sign(null, message, key)
      })
      return {
        wire: Uint8Array.from(Buffer.concat([Uint8Array.of(signatures.length), ...signatures, message])),
        // The fee payer's signature comes first and identifies the transaction.
        signature: signature(getBase58Decoder().decode(signatures[0] ?? UNSIGNED)),
        missing: checked.inOrder.filter((address) => !keys.has(address)),
      }
    },
  }
}

/** Returns a refusal for a message that does not match its plan. A repeat gives the same result. */
const asRefusal = (error: unknown) => ({ refused: error instanceof Error ? error.message : String(error) })

// The only owner of private keys. It decodes every message independently before it signs.
import { type KeyObject, sign } from 'node:crypto'
import { type Address, getBase58Decoder, signature } from '@solana/kit'
import { createKeyTree } from '#adapters/solana/keys/key-tree.ts'
import { publicHalf, signingKey } from '#adapters/solana/keys/slip10.ts'
import type { SponsoredPlan } from '#core/billing/approve.ts'
import { type KeyPath, SERVICE_KEYS } from '#core/chain/keys.ts'
import { addressOfBytes } from '#core/chain/public-key.ts'
import { MAX_PRIORITY_FEE, signersOf, type TransactionPlan } from '#core/transfers/plan.ts'
import type { Refusal, Signer } from '#ports/transactions.ts'
import { type Expected, MessageMismatch } from './demands.ts'
import { checkMessage, type MessageLimits } from './message-check.ts'
import { demandsOf } from './plan-demands.ts'
import { sponsoredDemands } from './token-demands.ts'

const DEFAULT_LIMITS: MessageLimits = { maxPriorityFeeLamports: MAX_PRIORITY_FEE }
/** The placeholder for a signature that another wallet makes. */
const UNSIGNED = new Uint8Array(64)

type Key = { readonly key: KeyObject; readonly address: Address }
type Keys = (path: KeyPath) => Key
/** The keys that sign, and all that the message may do. */
type Mandate = { readonly keys: readonly Key[]; readonly expected: Expected }

/** `seed` is the 64 bytes of `loadMasterSeed`. The keys of both networks follow from it. */
export function createSigner(seed: Uint8Array, limits: MessageLimits = DEFAULT_LIMITS): Signer {
  const tree = createKeyTree(seed)
  // The address comes from the signing library: another library derived the deposit address.
  const derive: Keys = (path) => {
    const key = signingKey(tree.nodeOf(path))
    return { key, address: addressOfBytes(publicHalf(key)) }
  }
  const own = new Map<string, Key>()
  /** The service's own keys sign almost every message, so they are derived once. */
  const keyOf: Keys = (path) => {
    if (path.branch === 'deposit') return derive(path)
    const name = `${path.network} ${path.branch}`
    const key = own.get(name) ?? derive(path)
    own.set(name, key)
    return key
  }
  return {
    sign: (plan, message) => signAs(() => mandateOfPlan(keyOf, plan), message, limits),
    sponsor: (plan, message) => signAs(() => mandateOfSponsored(keyOf, plan), message, limits),
  }
}

async function mandateOfPlan(keyOf: Keys, plan: TransactionPlan): Promise<Mandate> {
  const path = { network: plan.network, branch: 'fee_payer' } as const
  const feePayer = keyOf(path)
  const keys = signersOf(plan, { address: feePayer.address, key: path }).map(({ address, key }) => {
    const own = keyOf(key)
    if (key.network !== plan.network || own.address !== address)
      throw new MessageMismatch('the plan names a key that is not its signer’s')
    return own
  })
  const demands = await demandsOf(plan, feePayer.address)
  return { keys, expected: { lifetime: plan.lifetime, signers: keys.map(({ address }) => address), demands } }
}

/** The fee payer signs alone; the owner signs elsewhere. */
async function mandateOfSponsored(keyOf: Keys, plan: SponsoredPlan): Promise<Mandate> {
  const { network } = plan
  if (SERVICE_KEYS.some((branch) => keyOf({ network, branch }).address === plan.owner))
    throw new MessageMismatch('the service has no allowance of its own')
  const [feePayer, delegate] = [keyOf({ network, branch: 'fee_payer' }), keyOf({ network, branch: 'delegate' })]
  const demands = await sponsoredDemands(plan, delegate.address)
  return { keys: [feePayer], expected: { lifetime: plan.lifetime, signers: [feePayer.address, plan.owner], demands } }
}

/** Signs a message that does exactly what the mandate says. Returns a refusal otherwise; a repeat gives the same result. */
async function signAs(mandateOf: () => Promise<Mandate>, message: Uint8Array, limits: MessageLimits) {
  try {
    const { keys, expected } = await mandateOf()
    const inOrder = checkMessage(expected, message, limits)
    return signed(message, inOrder, keys)
  } catch (error) {
    return asRefusal(error)
  }
}

function signed(message: Uint8Array, inOrder: readonly Address[], keys: readonly Key[]) {
  const byAddress = new Map(keys.map(({ address, key }) => [address, key]))
  const signatures = inOrder.map((address) => {
    const key = byAddress.get(address)
    return key === undefined ? UNSIGNED : sign(null, message, key)
  })
  return {
    wire: Uint8Array.from(Buffer.concat([Uint8Array.of(signatures.length), ...signatures, message])),
    // The fee payer's signature comes first and identifies the transaction.
    signature: signature(getBase58Decoder().decode(signatures[0] ?? UNSIGNED)),
  }
}

const asRefusal = (error: unknown): Refusal => ({ refused: error instanceof Error ? error.message : String(error) })

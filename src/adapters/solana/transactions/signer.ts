// The only owner of private keys. It decodes every message independently before it signs.

import { type KeyObject, sign } from 'node:crypto'
import { type Address, address, getBase58Decoder, signature } from '@solana/kit'
import { createKeyTree } from '#adapters/solana/keys/key-tree.ts'
import { publicHalf, signingKey } from '#adapters/solana/keys/slip10.ts'
import type { SponsoredPlan } from '#core/billing/approval.ts'
import { type KeyPath, SERVICE_KEYS } from '#core/chain/keys.ts'
import { addressOfBytes } from '#core/chain/public-key.ts'
import { MAX_PRIORITY_FEE, signersOf, type TransactionPlan } from '#core/transfers/plan.ts'
import type { Refusal, Signer } from '#ports/transactions.ts'
import {
  type Demanded,
  type Demands,
  demandsOf,
  type Expected,
  type Found,
  MessageMismatch,
  sponsoredDemands,
} from './demands.ts'
import { readMessage } from './message-bytes.ts'

// The signer's check of a compiled message: compares what is demanded with the bytes, instruction by instruction. It has its
// own layouts of the programs instead of the compiler's builders, so that one mistake does not affect both.

const COMPUTE_BUDGET_PROGRAM = address('ComputeBudget111111111111111111111111111111')

type MessageLimits = { readonly maxPriorityFeeLamports: bigint }

/**
 * Throws MessageMismatch unless `message` is a version-0 message that does exactly what is expected: the instructions in their
 * order, and nothing else but a bounded priority fee. It has the lifetime, and no other signers. Returns the signers in the message's order.
 */
function checkMessage(
  { lifetime, signers, demands }: Expected,
  message: Uint8Array,
  limits: MessageLimits,
): readonly Address[] {
  const { accounts, signers: inOrder, writable, lifetime: blockhash, instructions } = readMessage(message)
  const [feePayer] = signers
  if (feePayer === undefined) throw new MessageMismatch('a plan without signers')
  if (blockhash !== lifetime.blockhash) throw new MessageMismatch('another lifetime than the plan’s')

  const [limit, price, ...rest] = instructions
  checkPriorityFee(limit, price, limits)
  const due = checkSequence(rest, demands)

  if (inOrder[0] !== feePayer) throw new MessageMismatch('another fee payer')
  checkSame('signer', inOrder, signers)
  const named = due.flatMap(({ program, accounts }) => [program, ...accounts])
  checkSame('account', accounts, [...signers, COMPUTE_BUDGET_PROGRAM, ...named])
  checkSame('writable account', writable, [feePayer, ...due.flatMap(({ writable }) => writable)])
  return inOrder
}

function checkSame(what: string, found: readonly Address[], demanded: readonly Address[]): void {
  const [there, due] = [new Set(found), new Set(demanded)]
  if (there.size !== found.length) throw new MessageMismatch(`one ${what} twice`)
  for (const one of there.symmetricDifference(due)) throw new MessageMismatch(`${one} as ${what}`)
}

function checkPriorityFee(limit: Found | undefined, price: Found | undefined, limits: MessageLimits): void {
  const units = computeBudgetValue(limit, 2, 4)
  const microLamports = computeBudgetValue(price, 3, 8)
  if (units * microLamports > limits.maxPriorityFeeLamports * 1_000_000n)
    throw new MessageMismatch('a priority fee above the limit')
}

/** Returns the number in a compute-budget instruction: after a tag of one byte, `bytes` bytes, the lowest first. */
function computeBudgetValue(instruction: Found | undefined, tag: number, bytes: 4 | 8): bigint {
  if (instruction?.program !== COMPUTE_BUDGET_PROGRAM || instruction.accounts.length > 0 || instruction.data[0] !== tag)
    throw new MessageMismatch('no compute budget in its place')
  const { data } = instruction
  if (data.length !== 1 + bytes) throw new MessageMismatch('no compute budget in its place')
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength)
  return bytes === 4 ? BigInt(view.getUint32(1, true)) : view.getBigUint64(1, true)
}

/** Returns the demands that were found, in order. */
function checkSequence(found: readonly Found[], { mayComeFirst, mustFollow }: Demands): readonly Demanded[] {
  const matched: Demanded[] = []
  for (const optional of mayComeFirst) if (isSame(found[matched.length], optional)) matched.push(optional)
  for (const demanded of mustFollow) {
    if (!isSame(found[matched.length], demanded))
      throw new MessageMismatch(`instruction ${matched.length + 3} is not the plan’s`)
    matched.push(demanded)
  }
  if (matched.length !== found.length) throw new MessageMismatch('more instructions than the plan’s')
  return matched
}

const isSame = (found: Found | undefined, demanded: Demanded): boolean =>
  found !== undefined &&
  found.program === demanded.program &&
  found.accounts.length === demanded.accounts.length &&
  found.accounts.every((account, index) => account === demanded.accounts[index]) &&
  Buffer.from(found.data).equals(Buffer.from(demanded.data))

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

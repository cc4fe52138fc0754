// Sponsored transactions for tests: an approve and a revocation with their owner, and the stored message with the fee payer's signature.

import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import {
  type Blockhash,
  blockhash,
  createNoopSigner,
  getAddressDecoder,
  getBase58Encoder,
  getCompiledTransactionMessageDecoder,
} from '@solana/kit'
import { getTransferSolInstruction } from '@solana-program/system'
import { getRevokeInstruction, TOKEN_PROGRAM_ADDRESS } from '@solana-program/token'
import { createDepositKeys } from '#adapters/solana/keys/deposit-keys.ts'
import { createCompiler } from '#adapters/solana/transactions/compiler.ts'
import { createSigner } from '#adapters/solana/transactions/signer.ts'
import type { ApprovePlan, RevokePlan, SponsoredMessage, SponsoredPlan } from '#core/billing/approval.ts'
import type { ServiceKey } from '#core/chain/keys.ts'
import { addressOfBytes } from '#core/chain/public-key.ts'
import type { Address, Signature } from '#core/chain/types.ts'
import { makeBaseUnits } from '#core/money/amounts.ts'
import { createDice, type Dice } from '../simulator/dice.ts'
import { only } from './only.ts'
import { forgeMessage } from './signing.ts'

// Altered transactions in the place of a prepared approve: what a buggy or hostile wallet could return. Each has every signature that an
// attacker can make: the owner's of any message, and a copy of the fee payer's.

const MESSAGE_AT = 129

type Sign = (message: Uint8Array) => Promise<Uint8Array>

export type AlteredApproves = {
  /** The prepared transaction with the signature of its owner. */
  readonly good: Uint8Array
  readonly owner: Address
  /** The token account of the approve. */
  readonly account: Address
  readonly sign: Sign
  readonly strangerSigns: Sign
  /** Another prepared transaction, with the signature of the owner of the good one. */
  readonly twin: Uint8Array
}

type Alterations = Readonly<Record<string, () => Uint8Array | Promise<Uint8Array>>>

/** Yields altered transactions of every kind, each with the name of its kind. The same seed yields the same. */
export async function* alteredApproves(approve: AlteredApproves, { seed, count }: { seed: number; count: number }) {
  const dice = createDice(String(seed))
  const alterations = Object.entries(await alterationsOf(approve, dice))
  for (let done = 0; done < count; ) {
    const [kind, alter] = dice.pick(alterations)
    const wire = await alter()
    // An even number of flips may undo itself.
    if (Buffer.compare(wire, approve.good) === 0) continue
    done += 1
    yield { kind, wire, kinds: alterations.length }
  }
}

async function alterationsOf(approve: AlteredApproves, dice: Dice): Promise<Alterations> {
  const { good, sign, twin } = approve
  const message = good.subarray(MESSAGE_AT)
  const below = (limit: number): number => dice.between(0, limit - 1)
  const signedAgain = async (other: Uint8Array) =>
    Uint8Array.of(...good.subarray(0, 65), ...(await sign(other)), ...other)
  const others = [...(await Promise.all(otherMessages(approve).map(signedAgain))), twin]
  const strangers = await approve.strangerSigns(message)

  const flipped = (bytes: Uint8Array, from = 0, to = bytes.length): Uint8Array => {
    const changed = Uint8Array.from(bytes)
    for (let times = 1 + below(3); times > 0; times -= 1) {
      const at = from + below(to - from)
      changed[at] = (changed[at] ?? 0) ^ (1 << below(8))
    }
    return changed
  }
  const withBytes = (bytes: Uint8Array, at: number): Uint8Array => {
    const changed = Uint8Array.from(good)
    changed.set(bytes, at)
    return changed
  }
  return {
    'flips bits anywhere': () => flipped(good),
    'flips bits of the owner’s signature': () => flipped(good, 65, MESSAGE_AT),
    'flips bits of the fee payer’s signature': () => flipped(good, 1, 65),
    'flips bits of the message, and the owner signs again': () => signedAgain(flipped(message)),
    'writes random bytes over a part': () => {
      const at = below(good.length)
      const length = Math.min(good.length - at, 1 + below(40))
      return withBytes(
        Uint8Array.from({ length }, () => below(256)),
        at,
      )
    },
    truncates: () => good.subarray(0, below(good.length)),
    'adds trailing bytes': () => Uint8Array.of(...good, ...Array.from({ length: 1 + below(80) }, () => below(256))),
    'removes a byte': () => {
      const at = below(good.length)
      return Uint8Array.of(...good.subarray(0, at), ...good.subarray(at + 1))
    },
    'inserts a byte': () => {
      const at = below(good.length + 1)
      return Uint8Array.of(...good.subarray(0, at), below(256), ...good.subarray(at))
    },
    'exchanges two parts': () => {
      const length = 1 + below(32)
      const first = below(good.length - 2 * length)
      const second = first + length + below(good.length - first - 2 * length + 1)
      const changed = withBytes(good.subarray(second, second + length), first)
      changed.set(good.subarray(first, first + length), second)
      return changed
    },
    'exchanges the signatures': () =>
      flipped(
        Uint8Array.of(2, ...good.subarray(65, MESSAGE_AT), ...good.subarray(1, 65), ...message),
        0,
        1 + below(good.length),
      ),
    'states another number of signatures': () => {
      const count = below(4)
      const signatures = Array.from({ length: count }, () => dice.pick([good.subarray(1, 65), good.subarray(65, 129)]))
      return Uint8Array.of(
        count,
        ...signatures.flatMap((one) => [...one]),
        ...(count === 2 ? flipped(message) : message),
      )
    },
    'has the signature of another wallet': () => {
      const changed = withBytes(below(2) === 0 ? strangers : new Uint8Array(64), 65)
      return below(2) === 0 ? changed : flipped(changed, 0, 65)
    },
    'is another message that the owner has signed': () => {
      const other = dice.pick(others)
      return below(2) === 0 ? other : flipped(other)
    },
    'has the owner’s signature of another message': () => withBytes(dice.pick(others).subarray(65, MESSAGE_AT), 65),
    'has the fee payer’s signature of another message': () => withBytes(twin.subarray(1, 65), 1),
  }
}

/** Messages with another effect, or without a part of it. */
function otherMessages({ good, owner, account }: AlteredApproves): readonly Uint8Array[] {
  const message = good.subarray(MESSAGE_AT)
  const authority = createNoopSigner(owner)
  const [feePayer = owner] = getCompiledTransactionMessageDecoder().decode(message).staticAccounts
  const gift = getTransferSolInstruction({ source: createNoopSigner(feePayer), destination: owner, amount: 1n })
  return [
    forgeMessage(message, (all) => all, { version: 'legacy' }),
    forgeMessage(message, (all) => all, { feePayer: owner }),
    forgeMessage(message, (all) => all, { blockhash: account as string as Blockhash }),
    forgeMessage(message, (all) => all.toReversed()),
    forgeMessage(message, (all) => all.slice(0, 2)),
    forgeMessage(message, (all) => [...all, getRevokeInstruction({ source: account, owner: authority })]),
    forgeMessage(message, (all) => [...all, gift]),
  ]
}

const seed = new Uint8Array(64).fill(17)
export const keys = createDepositKeys(seed)
export const signer = createSigner(seed)
export const serviceKey = (branch: ServiceKey): Address => keys.addressOf({ network: 'live', branch })
export const FEE_PAYER = serviceKey('fee_payer')
export const DELEGATE = serviceKey('delegate')
export const compiler = createCompiler({
  network: 'live',
  depositKeys: keys,
  computeUnitPrice: 10_000n,
  accounts: only('accounts', {}),
})

export type Person = { readonly address: Address; readonly privateKey: KeyObject }
export function newPerson(): Person {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const { x = '' } = publicKey.export({ format: 'jwk' })
  return { privateKey, address: addressOfBytes(Buffer.from(x, 'base64url')) }
}
export const OWNER = newPerson()
export const addressOf = (fill: number): Address => getAddressDecoder().decode(new Uint8Array(32).fill(fill))

export const REVOKE: RevokePlan = {
  kind: 'revoke',
  network: 'live',
  owner: OWNER.address,
  token: { mint: addressOf(4), tokenProgram: TOKEN_PROGRAM_ADDRESS, decimals: 6 },
  lifetime: { blockhash: blockhash(addressOf(9)), lastValidBlockHeight: 500n },
}
export const APPROVE: ApprovePlan = { ...REVOKE, kind: 'approve', total: makeBaseUnits(119_880_000n) }

export const messageOf = (plan: SponsoredPlan): Uint8Array => compiler.compileSponsored(plan).message

export async function sponsored(plan: SponsoredPlan): Promise<SponsoredMessage & { readonly wire: Uint8Array }> {
  const message = messageOf(plan)
  const signing = await signer.sponsor(plan, message)
  if ('refused' in signing) throw new Error(signing.refused)
  return { message, owner: plan.owner, feePayerSignature: bytesOf(signing.signature), wire: signing.wire }
}

export const bytesOf = (signature: Signature): Uint8Array => Uint8Array.from(getBase58Encoder().encode(signature))

export const signatureBy = (person: Person, message: Uint8Array): Uint8Array =>
  Uint8Array.from(sign(null, message, person.privateKey))

/** Returns what a wallet sends back: its signature takes the place of the zero bytes. */
export const signedBy = (person: Person, { wire, message }: { wire: Uint8Array; message: Uint8Array }): Uint8Array =>
  Uint8Array.of(...wire.subarray(0, 65), ...signatureBy(person, message), ...wire.subarray(129))

// A sponsored transaction: by an approve the owner of a token account lets the service pull from it, and by a revocation the
// owner ends that. The fee payer signs it first, so the owner needs no SOL. docs/billing.md, "Sponsored transactions".
import type { Address, Lifetime, Network, Signature } from '#core/chain/types.ts'
import type { BaseUnits } from '#core/money/amounts.ts'
import type { TokenDetails } from '#core/transfers/plan.ts'

/** What a sponsored transaction does to the associated token account of `owner`. */
export type SponsoredPlan = ApprovePlan | RevokePlan

type OwnersPlan = {
  readonly network: Network
  readonly owner: Address
  readonly token: TokenDetails
  readonly lifetime: Lifetime
}

/** Sets the allowance of the network's delegate. */
export type ApprovePlan = OwnersPlan & {
  readonly kind: 'approve'
  /** The new allowance, which replaces the old one. Base units. */
  readonly total: BaseUnits
}

/** Removes the delegate with its allowance. */
export type RevokePlan = OwnersPlan & { readonly kind: 'revoke' }

/** The stored message of a sponsored transaction, with its signature by the fee payer, which is the id of the transaction. */
export type SponsoredMessage = {
  readonly message: Uint8Array
  readonly owner: Address
  readonly feePayerSignature: Uint8Array
}

export type OwnerSigned = { readonly wire: Uint8Array } | { readonly refused: string }

/** Returns whether `signature` is the wallet's Ed25519 signature of `message`. */
export type VerifySignature = (wallet: Address, message: Uint8Array, signature: Uint8Array) => boolean

const SIGNATURE_BYTES = 64
/** The fee payer and the owner. */
const SIGNERS = 2
const MESSAGE_AT = 1 + SIGNERS * SIGNATURE_BYTES

/**
 * Accepts the transaction that a wallet returns: the stored message, byte for byte, with the stored signature of the fee
 * payer and a valid signature of the owner, and nothing else. Then the transaction has the effect that was stored, whatever
 * the wallet did. Refuses with a reason for people.
 */
export function acceptOwnerSigned(
  { message, owner, feePayerSignature }: SponsoredMessage,
  wire: Uint8Array,
  verify: VerifySignature,
): OwnerSigned {
  if (wire[0] !== SIGNERS) return { refused: 'The transaction does not have two signatures.' }
  if (!isSame(wire.subarray(MESSAGE_AT), message))
    return { refused: 'The transaction is not the one that was prepared.' }
  if (!isSame(wire.subarray(1, 1 + SIGNATURE_BYTES), feePayerSignature))
    return { refused: 'The signature of the fee payer was changed.' }
  if (!verify(owner, message, wire.subarray(1 + SIGNATURE_BYTES, MESSAGE_AT)))
    return { refused: 'The wallet has not signed the transaction.' }
  return { wire }
}

/** Returns the message of a transaction with two signatures; no bytes when it is shorter than its signatures. */
export const messageOf = (wire: Uint8Array): Uint8Array => wire.subarray(MESSAGE_AT)

/** Returns the first signature of a transaction, which is that of the fee payer. */
export const feePayerSignatureOf = (wire: Uint8Array): Uint8Array => wire.subarray(1, 1 + SIGNATURE_BYTES)

const isSame = (a: Uint8Array, b: Uint8Array): boolean => a.length === b.length && a.every((byte, at) => byte === b[at])

/** The transaction for the wallet: it has the fee payer's signature, and 64 zero bytes in place of the owner's. */
export type SponsoredTransaction = { readonly wire: Uint8Array; readonly signature: Signature }

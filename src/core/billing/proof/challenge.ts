// A challenge: the text that a wallet signs to prove what it wants. docs/billing.md, "Wallet proofs".
import type { Consent, ProofPurpose, Terms } from '#core/billing/proof/consent.ts'
import { statementOf } from '#core/billing/proof/consent.ts'
import type { SignInInput } from '#core/billing/proof/sign-in.ts'
import { clusterOf } from '#core/chain/known-networks.ts'
import type { Address, Network } from '#core/chain/types.ts'

/** How long a challenge can be answered. */
export const CHALLENGE_MS = 10 * 60_000
/** After this many wrong answers, a challenge cannot be answered. */
export const MAX_FAILURES = 5
/** The most challenges for one wallet in a minute, at a page of one token. Others cannot use up what the owner of a link has. */
export const MAX_A_MINUTE = 5
export const MINUTE_MS = 60_000

/** Where a proof is valid: one page of one token, and what it is for. */
export type ProofPlace = {
  readonly purpose: ProofPurpose
  readonly network: Network
  readonly wallet: Address
  /** The checkout or the subscription; null for a recovery of links. */
  readonly subjectId: string | null
  /** The hash of the hosted token; null for a page without one. */
  readonly tokenHash: Uint8Array | null
}

/** A challenge as it is stored. Its nonce is only in the message. */
export type StoredChallenge = ProofPlace & {
  readonly message: string
  readonly termsHash: Uint8Array
  readonly failures: number
  readonly expiresAt: Date
  readonly usedAt: Date | null
}

export type NewChallenge = ProofPlace & {
  readonly nonceHash: Uint8Array
  readonly message: string
  readonly terms: Terms
  readonly termsHash: Uint8Array
  readonly createdAt: Date
  readonly expiresAt: Date
}

/** A verified answer. It takes effect when it is stored, together with what it is a proof for. */
export type WalletProof = {
  readonly nonceHash: Uint8Array
  readonly signature: Uint8Array
  /** The bytes that the wallet signed, where they are not those of the message. */
  readonly signedMessage: Uint8Array | null
  readonly at: Date
}

const PATHS: Readonly<Record<Consent['purpose'], string>> = {
  checkout: '/s',
  change: '/m',
  renew: '/m',
  recover: '/manage',
  log_in: '/dashboard',
  add_login: '/dashboard',
  prove: '/dashboard',
}

/** Returns the id of what a text is about, if it is about one thing. */
function subjectOf(consent: Consent): string {
  switch (consent.purpose) {
    case 'recover':
      return ''
    case 'log_in':
    case 'add_login':
    case 'prove':
      return consent.memberId
    default:
      return consent.subscriptionId
  }
}

/**
 * Returns the structured form of a challenge. `payUrl` is the address of the hosted pages, or that of the service for a login; the path of the page is named
 * without its token, because the text is stored and the token is a credential.
 */
export function signInOf(
  consent: Consent,
  given: {
    readonly payUrl: string
    readonly genesisHash: string
    readonly nonce: string
    readonly requestId: string
    /** In hexadecimal digits. */
    readonly termsHash: string
    readonly now: Date
  },
): SignInInput {
  const subject = subjectOf(consent)
  return {
    domain: new URL(given.payUrl).host,
    address: consent.wallet,
    statement: statementOf(consent),
    uri: `${given.payUrl}${PATHS[consent.purpose]}`,
    version: '1',
    chainId: chainIdOf(given.genesisHash),
    nonce: given.nonce,
    issuedAt: given.now.toISOString(),
    expirationTime: new Date(given.now.getTime() + CHALLENGE_MS).toISOString(),
    requestId: given.requestId,
    resources: [...(subject === '' ? [] : [`urn:uuid:${subject}`]), `urn:sha256:${given.termsHash}`],
  }
}

const CHAIN_IDS: Readonly<Record<string, string>> = { 'mainnet-beta': 'mainnet', devnet: 'devnet', testnet: 'testnet' }

/** Returns the chain id of Sign In With Solana: a name, or the form of CAIP-2 for any other chain. */
export const chainIdOf = (genesisHash: string): string =>
  CHAIN_IDS[clusterOf(genesisHash)] ?? `solana:${genesisHash.slice(0, 32)}`

export type ChallengeFault = 'used' | 'expired' | 'too_many_failures' | 'elsewhere' | 'other_terms'

/** Returns why an answer cannot be a proof for this place and these terms; null when its signature decides. */
export function faultOf(
  challenge: StoredChallenge,
  place: ProofPlace,
  termsHash: Uint8Array,
  now: Date,
): ChallengeFault | null {
  if (challenge.usedAt !== null) return 'used'
  if (challenge.failures >= MAX_FAILURES) return 'too_many_failures'
  if (challenge.expiresAt <= now) return 'expired'
  const { purpose, network, wallet, subjectId } = challenge
  const isHere =
    purpose === place.purpose && network === place.network && wallet === place.wallet && subjectId === place.subjectId
  if (!isHere || !isSameBytes(challenge.tokenHash, place.tokenHash)) return 'elsewhere'
  return isSameBytes(challenge.termsHash, termsHash) ? null : 'other_terms'
}

/** Returns whether both are the same bytes, or both are null. */
export const isSameBytes = (a: Uint8Array | null, b: Uint8Array | null): boolean =>
  a === null || b === null ? a === b : a.length === b.length && a.every((byte, at) => byte === b[at])

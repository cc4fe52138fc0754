// Proofs by wallets: issues challenges, and verifies the answers. docs/billing.md, "Wallet proofs".
import { hash } from 'node:crypto'
import type { VerifySignature } from '#core/billing/approval.ts'
import {
  CHALLENGE_MS,
  type ChallengeFault,
  faultOf,
  isSameBytes,
  MAX_A_MINUTE,
  MINUTE_MS,
  type NewChallenge,
  type ProofPlace,
  type StoredChallenge,
  signInOf,
  type WalletProof,
} from '#core/billing/proof/challenge.ts'
import { type Consent, canonicalTerms, type PageConsent, termsOf } from '#core/billing/proof/consent.ts'
import { isSameSignIn, readSignIn, type SignInInput, signInText, textOfSigned } from '#core/billing/proof/sign-in.ts'
import type { Network } from '#core/chain/types.ts'
import { ServiceError } from '#core/errors.ts'
import type { Clock } from '#ports/clock.ts'
import type { ChallengeLimit, ChallengeStore } from '#ports/portal.ts'
import type { Random } from '#ports/random.ts'
import type { Secrets } from '#ports/secrets.ts'

export type WalletProofDeps = {
  readonly challenges: ChallengeStore
  readonly secrets: Pick<Secrets, 'hash'>
  readonly random: Pick<Random, 'bytes' | 'uuid'>
  readonly verify: VerifySignature
  /** The address of the hosted pages, as browsers show it. */
  readonly payUrl: string
  readonly genesisHashOf: (network: Network) => Promise<string>
  readonly clock: Clock
}

/** The page that asks: its token, and the checkout or subscription that it shows. */
export type ProofPage = { readonly token: string; readonly subjectId: string }

export type Challenge = {
  readonly nonce: string
  /** For wallets with only `signMessage`. */
  readonly message: string
  /** For wallets with `signIn`. */
  readonly input: SignInInput
  readonly expiresAt: Date
}

const NONCE_BYTES = 16
const MAX_SIGNED_MESSAGE = 8_192
const SIGNATURE_BYTES = 64

/** Returns a new challenge. Throws ServiceError('rate_limited') after five for the wallet at this page within a minute. */
export async function issueChallenge(deps: WalletProofDeps, page: ProofPage, consent: PageConsent): Promise<Challenge> {
  const { challenges, random, clock } = deps
  const now = clock.now()
  const nonce = Buffer.from(random.bytes(NONCE_BYTES)).toString('hex')
  const challenge = await challengeOf(deps, consent, { nonce, requestId: random.uuid(), now })
  const oldest = await challenges.issue(
    newChallenge(deps, placeOf(deps, page, consent), consent, challenge),
    limitAt(now),
  )
  if (oldest !== null) {
    const freeAt = oldest.getTime() + MINUTE_MS
    throw new ServiceError('rate_limited', { retry_after_seconds: Math.ceil((freeAt - now.getTime()) / 1_000) })
  }
  return challenge
}

/** Returns the text for a nonce. The same parts always give the same text. */
export async function challengeOf(
  { payUrl, genesisHashOf }: Pick<WalletProofDeps, 'payUrl' | 'genesisHashOf'>,
  consent: Consent,
  given: { readonly nonce: string; readonly requestId: string; readonly now: Date },
): Promise<Challenge> {
  const genesisHash = await genesisHashOf(consent.network)
  const termsHash = Buffer.from(hashOf(consent)).toString('hex')
  const input = signInOf(consent, { ...given, payUrl, genesisHash, termsHash })
  const expiresAt = new Date(given.now.getTime() + CHALLENGE_MS)
  return { nonce: given.nonce, message: signInText(input), input, expiresAt }
}

/** Returns a challenge as it is stored. */
export const newChallenge = (
  { secrets }: Pick<WalletProofDeps, 'secrets'>,
  place: ProofPlace,
  consent: Consent,
  { nonce, message, expiresAt }: Challenge,
): NewChallenge => ({
  ...place,
  nonceHash: secrets.hash(nonce),
  message,
  terms: termsOf(consent),
  termsHash: hashOf(consent),
  createdAt: new Date(expiresAt.getTime() - CHALLENGE_MS),
  expiresAt,
})

const limitAt = (now: Date): ChallengeLimit => ({ count: MAX_A_MINUTE, since: new Date(now.getTime() - MINUTE_MS) })

/** What the wallet sends: base58 or base64, and the signed bytes in base64 when the wallet changed the text. */
export type ProofAnswer = {
  readonly nonce: string
  readonly signature: string
  readonly signedMessage: string | null
}

/** The parts of an answer as a caller sends them. */
export type GivenAnswer = { readonly [Part in keyof ProofAnswer]?: string | null | undefined }

/** Returns null when there is no answer at all. Throws `incomplete_proof` when the nonce or the signature is missing. */
export function answerOf({ nonce, signature, signedMessage }: GivenAnswer): ProofAnswer | null {
  if (!nonce && !signature && !signedMessage) return null
  if (!nonce || !signature) throw new ServiceError('incomplete_proof')
  return { nonce, signature, signedMessage: signedMessage ?? null }
}

/** Faults of a challenge that nothing answers any more. A further wrong answer writes nothing. */
const OVER: ReadonlySet<ChallengeFault> = new Set(['used', 'expired', 'too_many_failures'])

export type ProofFault = ChallengeFault | 'unknown' | 'not_signed' | 'other_text'

/**
 * Verifies an answer with the key of the stored wallet. `consent` is what the page asks for now: the proof is refused when
 * it was given for other terms. Writes nothing on success: the proof is used up together with its effect.
 */
export async function verifyAnswer(
  deps: WalletProofDeps,
  page: ProofPage,
  consent: PageConsent,
  answer: ProofAnswer,
): Promise<WalletProof | { readonly refused: ProofFault }> {
  const nonceHash = deps.secrets.hash(answer.nonce)
  const challenge = await deps.challenges.find(nonceHash)
  if (challenge === null) return { refused: 'unknown' }
  const now = deps.clock.now()
  const fault = faultOf(challenge, placeOf(deps, page, consent), hashOf(consent), now)
  const signed = fault === null ? readSigned(deps.verify, challenge, answer) : { refused: fault }
  if ('refused' in signed) {
    if (fault === null || !OVER.has(fault)) await deps.challenges.countFailure(nonceHash)
    return signed
  }
  return { ...signed, nonceHash, at: now }
}

/** Returns whether the nonce is that of a proof which this page has used up: the request is a repeat of one that succeeded. */
export async function isUsedHere(
  { challenges, secrets }: Pick<WalletProofDeps, 'challenges' | 'secrets'>,
  { token, subjectId }: ProofPage,
  nonce: string,
): Promise<boolean> {
  const challenge = await challenges.find(secrets.hash(nonce))
  if (challenge === null || challenge.usedAt === null || challenge.subjectId !== subjectId) return false
  return isSameBytes(challenge.tokenHash, secrets.hash(token))
}

/** Returns when the wallet got the newest text of the page that it has answered and that has not expired; null without one. */
export const provenAt = async (deps: WalletProofDeps, page: ProofPage, consent: PageConsent): Promise<Date | null> =>
  await deps.challenges.answeredAt(placeOf(deps, page, consent), deps.clock.now())

/** Returns the signature of an answer to a text, and the signed bytes where they are not those of the text. */
export function readSigned(
  verify: VerifySignature,
  { message, wallet }: Pick<StoredChallenge, 'message' | 'wallet'>,
  { signature, signedMessage }: ProofAnswer,
): Pick<WalletProof, 'signature' | 'signedMessage'> | { readonly refused: ProofFault } {
  const own = new TextEncoder().encode(message)
  const bytes = signedMessage === null ? own : changedBytes(message, wallet, signedMessage)
  if (bytes === null) return { refused: 'other_text' }
  const valid = signaturesIn(signature).find((one) => verify(wallet, bytes, one))
  if (valid === undefined) return { refused: 'not_signed' }
  return { signature: valid, signedMessage: Buffer.compare(bytes, own) === 0 ? null : bytes }
}

/** Returns the bytes of a changed text that states everything that the challenge states, and nothing else; otherwise null. */
function changedBytes(message: string, wallet: StoredChallenge['wallet'], signedMessage: string): Uint8Array | null {
  const bytes = signedMessage.length > MAX_SIGNED_MESSAGE ? null : readBase64(signedMessage)
  const text = bytes === null ? null : textOfSigned(bytes, wallet)
  const [challenge, signed] = [readSignIn(message), text === null ? null : readSignIn(text)]
  if (challenge === null) throw new Error('a challenge is a text of Sign In With Solana')
  return signed !== null && isSameSignIn(challenge, signed) ? bytes : null
}

/** Returns the signatures that a text may contain: a text may be base58 and base64, and then both readings are tried. */
const signaturesIn = (text: string): readonly Uint8Array[] =>
  [readBase58(text, SIGNATURE_BYTES), readBase64(text)]
    .filter((bytes) => bytes !== null)
    .filter(({ length }) => length === SIGNATURE_BYTES)

const placeOf = ({ secrets }: Pick<WalletProofDeps, 'secrets'>, page: ProofPage, consent: PageConsent): ProofPlace => ({
  purpose: consent.purpose,
  network: consent.network,
  wallet: consent.wallet,
  subjectId: page.subjectId,
  tokenHash: secrets.hash(page.token),
})

const hashOf = (consent: Consent): Uint8Array =>
  Uint8Array.from(hash('sha256', canonicalTerms(termsOf(consent)), 'buffer'))

// Reads bytes from text that other programs wrote: base58, and base64 in both alphabets, padded or not.

const BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'

/** Returns the bytes; null when the text is not base58 of exactly `length` bytes. */
function readBase58(text: string, length: number): Uint8Array | null {
  // Each byte takes at most 1.37 digits.
  if (text.length > Math.ceil(length * 1.37) || !/^[1-9A-HJ-NP-Za-km-z]+$/.test(text)) return null
  let number = 0n
  for (const digit of text) number = number * 58n + BigInt(BASE58.indexOf(digit))
  const zeros = /^1*/.exec(text)?.[0].length ?? 0
  const digits = number === 0n ? '' : number.toString(16)
  const bytes = Uint8Array.from(Buffer.from(digits.padStart(digits.length + (digits.length % 2), '0'), 'hex'))
  return zeros + bytes.length === length ? Uint8Array.of(...new Uint8Array(zeros), ...bytes) : null
}

/** Returns the bytes; null when the text is not base64, or has bits that belong to no byte. */
function readBase64(text: string): Uint8Array | null {
  if (!/^[A-Za-z0-9+/_-]*={0,2}$/.test(text)) return null
  const bytes = Buffer.from(text, 'base64url')
  const plain = text.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
  return bytes.toString('base64url') === plain ? Uint8Array.from(bytes) : null
}

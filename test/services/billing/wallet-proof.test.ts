// Proofs by wallets: each works once, for one page, wallet, action and amount, and is verified with the stored wallet's key.
import { randomBytes, randomUUID, sign } from 'node:crypto'
import { getBase58Decoder } from '@solana/kit'
import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createChallengeStore, useChallenge } from '#adapters/prisma/billing/challenge-store.ts'
import type { Database } from '#adapters/prisma/engine/database.ts'
import { verifyWalletSignature } from '#adapters/solana/transactions/wallet-transactions.ts'
import type { WalletProof } from '#core/billing/proof/challenge.ts'
import type { ChargeConsent, PageConsent } from '#core/billing/proof/consent.ts'
import { readSignIn, signInText } from '#core/billing/proof/sign-in.ts'
import { MAINNET_GENESIS_HASH } from '#core/chain/known-networks.ts'
import { makeBaseUnits, makeUsdCents } from '#core/money/amounts.ts'
import { createExpiredRemover } from '#services/billing/remove-expired.ts'
import {
  issueChallenge,
  type ProofAnswer,
  type ProofPage,
  verifyAnswer,
  type WalletProofDeps,
} from '#services/billing/wallet-proof.ts'
import { newPerson, type Person } from '../../support/approves.ts'
import { emptyTables, openTestDatabase } from '../../support/database.ts'
import { createTestSecrets } from '../../support/keys.ts'
import { addressNo, NOW } from '../../support/payment.ts'

let db: Database
let now = NOW
let deps: WalletProofDeps
beforeAll(async () => {
  db = await openTestDatabase()
  const random = { bytes: (length: number) => Uint8Array.from(randomBytes(length)), uuid: randomUUID }
  deps = {
    challenges: createChallengeStore(db),
    secrets: createTestSecrets(random),
    random,
    verify: verifyWalletSignature,
    payUrl: 'https://pay.example.com/pay',
    genesisHashOf: async () => MAINNET_GENESIS_HASH,
    clock: { now: () => now },
  }
})
afterAll(() => db.close())
beforeEach(async () => {
  now = NOW
  await emptyTables(db, 'wallet_challenges')
})

const PAGE: ProofPage = { token: 'st_abc', subjectId: '0b8a4a1e-52c2-4c6b-9a53-3f1d5f5fd1a1' }
const owner = newPerson()
const CONSENT: ChargeConsent = {
  purpose: 'checkout',
  network: 'live',
  wallet: owner.address,
  subscriptionId: '0b8a4a1e-52c2-4c6b-9a53-3f1d5f5fd1a1',
  accountId: '1b8a4a1e-52c2-4c6b-9a53-3f1d5f5fd1a1',
  merchant: 'Corner Shop',
  tierId: '2b8a4a1e-52c2-4c6b-9a53-3f1d5f5fd1a1',
  mint: addressNo(2),
  decimals: 6,
  priceUsdCents: makeUsdCents(999),
  unitAmount: makeBaseUnits(9_990_000n),
  interval: 'month',
  intervalCount: 1,
  periods: 12,
  discountedPeriods: 0,
  discountedPriceUsdCents: makeUsdCents(999),
  total: makeBaseUnits(119_880_000n),
  trialDays: 0,
}

const base58 = (bytes: Uint8Array): string => getBase58Decoder().decode(bytes)
const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')
const signatureOf = (text: string | Uint8Array, by: Person = owner): Uint8Array =>
  Uint8Array.from(sign(null, Buffer.from(text), by.privateKey))

async function challenge(consent: PageConsent = CONSENT, page = PAGE) {
  const { nonce, message, ...rest } = await issueChallenge(deps, page, consent)
  const answer: ProofAnswer = { nonce, signature: base58(signatureOf(message)), signedMessage: null }
  return { nonce, message, answer, ...rest }
}
const verify = (answer: ProofAnswer, consent: PageConsent = CONSENT, page = PAGE) =>
  verifyAnswer(deps, page, consent, answer)
const failuresOf = async () => (await db.prisma.walletChallenge.findFirstOrThrow()).failures

const use = (proof: WalletProof): Promise<boolean> => useChallenge(db.prisma, proof)

async function proofOf(answer: ProofAnswer): Promise<WalletProof> {
  const proof = await verify(answer)
  if ('refused' in proof) throw new Error(proof.refused)
  return proof
}

test('a signature of the message is a proof, in base58 and in base64, and the signed text is kept', async () => {
  const { answer, message, nonce } = await challenge()
  const bytes = signatureOf(message)
  for (const signature of [base58(bytes), base64(bytes), Buffer.from(bytes).toString('base64url')])
    expect(await verify({ ...answer, signature })).toMatchObject({ signature: bytes, signedMessage: null })
  expect(await use(await proofOf(answer))).toBe(true)
  const stored = await db.prisma.walletChallenge.findFirstOrThrow()
  expect(stored).toMatchObject({
    message,
    usedAt: NOW,
    signedMessage: null,
    purpose: 'checkout',
    wallet: owner.address,
  })
  expect(stored.signature && base58(stored.signature)).toBe(answer.signature)
  expect(stored.terms).toMatchObject({ total: '119880000', merchant: 'Corner Shop' })
  expect(Buffer.from(stored.nonceHash).toString()).not.toContain(nonce)
})

test('the structured form and the message are the same text', async () => {
  const { message, input, nonce } = await challenge()
  expect(signInText(input)).toBe(message)
  expect(readSignIn(message)).toEqual(input)
  expect(input.nonce).toBe(nonce)
  expect(nonce).toMatch(/^[0-9a-f]{32}$/)
})

test('a proof works once, also when two requests use it at the same time', async () => {
  const { answer } = await challenge()
  const proof = await proofOf(answer)
  const used = await Promise.all([use(proof), use(proof)])
  expect(used.toSorted()).toEqual([false, true])
  expect(await verify(answer)).toEqual({ refused: 'used' })
})

test('a proof that is used in a transaction which fails can be used again', async () => {
  const { answer } = await challenge()
  const proof = await proofOf(answer)
  const broken = db.prisma.$transaction(async (tx) => {
    expect(await useChallenge(tx, proof)).toBe(true)
    throw new Error('the change failed')
  })
  await expect(broken).rejects.toThrow('the change failed')
  expect(await use(proof)).toBe(true)
})

test('a challenge can be answered for ten minutes', async () => {
  const { answer, expiresAt } = await challenge()
  expect(expiresAt).toEqual(new Date(NOW.getTime() + 600_000))
  now = new Date(NOW.getTime() + 599_999)
  const proof = await proofOf(answer)
  now = expiresAt
  expect(await verify(answer)).toEqual({ refused: 'expired' })
  expect(await use({ ...proof, at: now })).toBe(false)
})

test('the fifth failure burns a challenge, also for the right signature', async () => {
  const { answer } = await challenge()
  const proof = await proofOf(answer)
  const wrong = { ...answer, signature: base58(signatureOf('another text')) }
  for (const failures of [1, 2, 3, 4]) {
    expect(await verify(wrong)).toEqual({ refused: 'not_signed' })
    expect(await failuresOf()).toBe(failures)
  }
  expect(await verify(answer)).toMatchObject({ signedMessage: null })
  expect(await verify(wrong)).toEqual({ refused: 'not_signed' })
  for (const given of [answer, wrong]) expect(await verify(given)).toEqual({ refused: 'too_many_failures' })
  expect(await failuresOf()).toBe(5)
  expect(await use(proof)).toBe(false)
})

const OTHERS: readonly (readonly [what: string, consent: Partial<ChargeConsent>, page: Partial<ProofPage>])[] = [
  ['another action', { purpose: 'renew' }, {}],
  ['another network', { network: 'test' }, {}],
  ['another wallet', { wallet: addressNo(9) }, {}],
  ['a higher amount', { unitAmount: makeBaseUnits(9_990_001n) }, {}],
  ['another total', { total: makeBaseUnits(119_880_001n) }, {}],
  ['another interval', { interval: 'week' }, {}],
  ['another number of periods', { periods: 13 }, {}],
  ['another tier', { tierId: '9b8a4a1e-52c2-4c6b-9a53-3f1d5f5fd1a1' }, {}],
  ['another mint', { mint: addressNo(3) }, {}],
  ['another business', { accountId: '9b8a4a1e-52c2-4c6b-9a53-3f1d5f5fd1a1' }, {}],
  ['another subscription', { subscriptionId: '9b8a4a1e-52c2-4c6b-9a53-3f1d5f5fd1a1' }, {}],
  ['the page of another token', {}, { token: 'st_other' }],
  ['another subject', {}, { subjectId: '9b8a4a1e-52c2-4c6b-9a53-3f1d5f5fd1a1' }],
]

test.each(OTHERS)('a signature for one thing is no proof for %s, and counts as a failure', async (_, consent, page) => {
  const { answer } = await challenge()
  expect(await verify(answer, { ...CONSENT, ...consent }, { ...PAGE, ...page })).toHaveProperty('refused')
  expect(await failuresOf()).toBe(1)
  expect(await verify(answer)).toMatchObject({ signedMessage: null })
})

test('an unknown nonce is no proof', async () => {
  const { answer } = await challenge()
  expect(await verify({ ...answer, nonce: 'f'.repeat(32) })).toEqual({ refused: 'unknown' })
})

test('another wallet’s signature of the text is no proof, whatever address it puts into a text of its own', async () => {
  const { answer, message, input } = await challenge()
  const thief = newPerson()
  expect(await verify({ ...answer, signature: base58(signatureOf(message, thief)) })).toEqual({ refused: 'not_signed' })
  const own = signInText({ ...input, address: thief.address })
  const forged = { ...answer, signature: base58(signatureOf(own, thief)), signedMessage: base64(Buffer.from(own)) }
  expect(await verify(forged)).toEqual({ refused: 'other_text' })
})

describe('a text that the wallet changed', () => {
  const signed = (text: string | Uint8Array, answer: ProofAnswer): ProofAnswer => ({
    ...answer,
    signature: base64(signatureOf(text)),
    signedMessage: base64(Buffer.from(text)),
  })

  test('is a proof when it states the same, and its exact bytes are kept', async () => {
    const { answer, message } = await challenge()
    const plain = message.replace('.000Z', 'Z')
    expect(plain).not.toBe(message)
    expect(await verify(signed(plain, answer))).toMatchObject({ signedMessage: Uint8Array.from(Buffer.from(plain)) })
    const length = Buffer.alloc(2)
    length.writeUInt16LE(message.length)
    const mark = Buffer.concat([Buffer.of(0xff), Buffer.from('solana offchain'), Buffer.of(0, 0), length])
    const enveloped = Buffer.concat([mark, Buffer.from(message)])
    const proof = await verify(signed(enveloped, answer))
    if ('refused' in proof) throw new Error(proof.refused)
    expect(proof.signedMessage).toEqual(Uint8Array.from(enveloped))
    expect(await use(proof)).toBe(true)
    const stored = await db.prisma.walletChallenge.findFirstOrThrow()
    expect(Buffer.compare(stored.signedMessage ?? Buffer.of(), enveloped)).toBe(0)
  })

  test('is a proof without being kept when it is the text itself', async () => {
    const { answer, message } = await challenge()
    expect(await verify(signed(message, answer))).toMatchObject({ signedMessage: null })
  })

  test('is no proof when any field differs, although the wallet has signed it', async () => {
    const { answer, message, input } = await challenge()
    const changes = [
      { domain: 'evil.example' },
      { statement: input.statement.replace('9.99', '0.01') },
      { uri: 'https://pay.example.com/pay/m' },
      { chainId: 'devnet' },
      { nonce: 'a'.repeat(32) },
      { expirationTime: new Date(NOW.getTime() + 700_000).toISOString() },
      { requestId: randomUUID() },
      { resources: input.resources.slice(1) },
      { resources: [...input.resources, 'urn:uuid:1'] },
    ]
    for (const change of changes) {
      const text = signInText({ ...input, ...change })
      expect(await verify(signed(text, answer)), JSON.stringify(change)).toHaveProperty('refused')
      await db.query('UPDATE wallet_challenges SET failures = 0')
    }
    expect(await verify(signed(`${message}\n`, answer))).toEqual({ refused: 'other_text' })
  })

  test('is no proof when it is not base64, or too long', async () => {
    const { answer } = await challenge()
    for (const signedMessage of ['', 'not base64!', 'A'.repeat(9_000)])
      expect(await verify({ ...answer, signedMessage })).toEqual({ refused: 'other_text' })
  })
})

test('no altered answer is a proof', async () => {
  const { answer, message } = await challenge()
  const bytes = signatureOf(message)
  await fc.assert(
    fc.asyncProperty(fc.nat(63), fc.integer({ min: 1, max: 255 }), fc.boolean(), async (at, flip, as58) => {
      const altered = bytes.with(at, (bytes[at] ?? 0) ^ flip)
      const signature = as58 ? base58(altered) : base64(altered)
      await db.query('UPDATE wallet_challenges SET failures = 0')
      expect(await verify({ ...answer, signature })).toEqual({ refused: 'not_signed' })
    }),
    { numRuns: 40 },
  )
  for (const signature of [
    '',
    '1',
    base58(bytes.subarray(1)),
    `${base58(bytes)}1`,
    base64(Uint8Array.of(...bytes, 0)),
  ]) {
    await db.query('UPDATE wallet_challenges SET failures = 0')
    expect(await verify({ ...answer, signature })).toEqual({ refused: 'not_signed' })
  }
})

test('a wallet gets five challenges a minute, and no more when it asks for several at the same time', async () => {
  const asked = await Promise.allSettled(Array.from({ length: 8 }, () => challenge()))
  expect(asked.filter(({ status }) => status === 'fulfilled')).toHaveLength(5)
  const limited = { code: 'rate_limited', context: { retry_after_seconds: 60 } }
  for (const one of asked) if (one.status === 'rejected') expect(one.reason).toMatchObject(limited)
  now = new Date(NOW.getTime() + 59_000)
  await expect(challenge()).rejects.toMatchObject({ code: 'rate_limited', context: { retry_after_seconds: 1 } })
  expect(await challenge({ ...CONSENT, wallet: newPerson().address })).toHaveProperty('nonce')
  now = new Date(NOW.getTime() + 60_000)
  expect(await challenge()).toHaveProperty('nonce')
})

test('challenges at another page are counted apart', async () => {
  for (let asked = 0; asked < 5; asked += 1) await challenge()
  await expect(challenge()).rejects.toMatchObject({ code: 'rate_limited' })
  const other = { ...PAGE, token: 'a link of the owner' }
  expect(await issueChallenge(deps, other, CONSENT)).toHaveProperty('nonce')
})

test('the regular job removes more than one batch of expired challenges, and no other', async () => {
  const removed: number[] = []
  const left = [1_000, 1_000, 7]
  const removeExpired = async (before: Date, limit: number): Promise<number> => {
    expect(before).toEqual(NOW)
    const count = Math.min(limit, left.shift() ?? 0)
    removed.push(count)
    return count
  }
  const remove = createExpiredRemover(removeExpired, { clock: { now: () => NOW } })
  expect(await remove()).toEqual({ again: false })
  expect(removed).toEqual([1_000, 1_000, 7])
  left.push(...Array<number>(21).fill(1_000))
  expect(await remove()).toEqual({ again: true })
})

test('unused challenges are removed after they have expired, and the record of a consent never is', async () => {
  const [used] = [await challenge(), await challenge(), await challenge()]
  await use(await proofOf(used.answer))
  const later = new Date(NOW.getTime() + 700_000)
  expect(await deps.challenges.removeExpired(NOW, 10)).toBe(0)
  expect(await deps.challenges.removeExpired(later, 1)).toBe(1)
  expect(await deps.challenges.removeExpired(later, 10)).toBe(1)
  expect(await db.prisma.walletChallenge.findMany({ select: { usedAt: true } })).toEqual([{ usedAt: NOW }])
})

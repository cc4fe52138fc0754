// Every clause of the proof has a test that would get a wrong proof without the clause.

import { getBase58Decoder, type Signature, signature } from '@solana/kit'
import { expect, test } from 'vitest'
import { createChain } from '#adapters/solana/chain.ts'
import { createDepositKeys } from '#adapters/solana/keys/deposit-keys.ts'
import { makeBlockhash } from '#core/chain/base58.ts'
import { type Answers, deadUrl, inContext, movableClock, startFakeProvider } from '../fake-provider.ts'

const depositKeys = createDepositKeys(new Uint8Array(64))
const aSignature = (n: number): Signature => signature(getBase58Decoder().decode(new Uint8Array(64).fill(n)))
const SUSPECT = aSignature(1)
const KNOWN = aSignature(2)
const LAST_VALID = 1000n

/** A provider that proves SUSPECT expired. Each part of its answer can be changed. */
type Witness = {
  height?: number
  epochHeight?: number
  slot?: number
  searchedSlot?: number
  /** The newest final slot of the node that searches. */
  finalSearchedSlot?: number
  suspect?: object | null
  known?: object | null
}
const status = { slot: 900, confirmations: null, confirmationStatus: 'finalized', err: null, status: { Ok: null } }
const witness = ({
  height = 1002,
  epochHeight = height,
  slot = 5000,
  searchedSlot = 5032,
  finalSearchedSlot = searchedSlot,
  suspect = null,
  known = status,
}: Witness = {}): Answers => ({
  getBlockHeight: ([config]) => ({ result: commitmentOf(config) === 'finalized' ? height : height + 32 }),
  getEpochInfo: ([config]) => ({
    result: {
      absoluteSlot: slot,
      blockHeight: commitmentOf(config) === 'finalized' ? epochHeight : epochHeight + 32,
      epoch: 1,
      slotIndex: 1,
      slotsInEpoch: 432_000,
      transactionCount: 1,
    },
  }),
  getSignatureStatuses: ([asked, config]) => {
    const { searchTransactionHistory = false, commitment } = config as {
      searchTransactionHistory?: boolean
      commitment?: string
    }
    const statuses = new Map([
      [SUSPECT, suspect],
      [KNOWN, known],
    ])
    return inContext(
      commitment === 'finalized' ? finalSearchedSlot : searchedSlot,
      (asked as Signature[]).map((one) => (searchTransactionHistory ? (statuses.get(one) ?? null) : null)),
    )
  },
})
/** Kit leaves out the server's default. */
const commitmentOf = (config: unknown): string =>
  (config as { commitment?: string } | undefined)?.commitment ?? 'finalized'

async function proveExpired(...witnesses: Answers[]) {
  const providers = await Promise.all(witnesses.map((answers) => startFakeProvider(answers)))
  return prove(providers.map(({ url }) => url))
}
const prove = (rpcUrls: readonly string[], timeoutMs = 10_000) =>
  createChain({ network: 'live', rpcUrls, depositKeys, clock: movableClock(), timeoutMs }).proveExpired({
    signature: SUSPECT,
    lifetime: { blockhash: makeBlockhash(KNOWN.slice(0, 32)), lastValidBlockHeight: LAST_VALID },
    knownSignature: KNOWN,
  })

test('a transaction has expired when every provider is final past its life, knows its past, and does not know it', async () => {
  expect(await proveExpired(witness({ height: 1040 }), witness())).toEqual({
    expired: true,
    providers: 2,
  })
  expect(await proveExpired(witness())).toEqual({ expired: true, providers: 1 })
})

test('one block after the last valid height it is too early, on any provider: a block may still contain it', async () => {
  expect(await proveExpired(witness({ height: 1001 }))).toMatchObject({ expired: false, because: 'not_yet' })
  expect(await proveExpired(witness(), witness({ height: 1001 }))).toMatchObject({ expired: false, because: 'not_yet' })
})

test('the lower of two heights counts when a provider contradicts itself', async () => {
  expect(await proveExpired(witness({ height: 1001, epochHeight: 1064 }))).toMatchObject({ because: 'not_yet' })
  expect(await proveExpired(witness({ height: 1064, epochHeight: 1001 }))).toMatchObject({ because: 'not_yet' })
})

test('one provider that saw it land outweighs all others, and a provider that is away', async () => {
  const saw = witness({ suspect: { ...status, slot: 950 } })
  expect(await proveExpired(witness(), saw)).toMatchObject({ expired: false, because: 'landed' })
  expect(await proveExpired({ getBlockHeight: { http: 500 } }, saw)).toMatchObject({ because: 'landed' })
})

test('it has landed also when it failed, is only processed, or the height is not yet reached', async () => {
  const failed = { ...status, err: { InstructionError: [0, { Custom: 1 }] } }
  expect(await proveExpired(witness({ suspect: failed }))).toMatchObject({ because: 'landed' })
  expect(await proveExpired(witness({ suspect: { ...status, confirmationStatus: 'processed' } }))).toMatchObject({
    because: 'landed',
  })
  expect(await proveExpired(witness({ suspect: status, height: 900 }))).toMatchObject({ because: 'landed' })
})

test('a provider that does not know the known signature leaves it unproven', async () => {
  expect(await proveExpired(witness(), witness({ known: null }))).toMatchObject({ expired: false, because: 'unproven' })
})

test('a provider that is away leaves it unproven, whatever the others answer', async () => {
  const providers = await Promise.all([witness(), witness()].map((answers) => startFakeProvider(answers)))
  const urls = [...providers.map(({ url }) => url), await deadUrl()]
  const proof = await prove(urls)
  expect(proof).toMatchObject({ expired: false, because: 'unproven', detail: expect.stringContaining('provider 3') })
})

test.each(['getBlockHeight', 'getEpochInfo', 'getSignatureStatuses'])(
  'a provider that cannot answer %s leaves it unproven',
  async (method) => {
    const hanging = { ...witness(), [method]: 'hang' as const }
    const providers = await Promise.all([witness(), hanging].map((answers) => startFakeProvider(answers)))
    const proof = await prove(
      providers.map(({ url }) => url),
      600,
    )
    expect(proof).toMatchObject({ because: 'unproven', detail: 'provider 2: unreachable (timeout)' })
  },
)

test('a search in a bank older than the height leaves it unproven: one URL may lead to many nodes', async () => {
  expect(await proveExpired(witness({ slot: 5000, searchedSlot: 4999 }))).toMatchObject({
    expired: false,
    because: 'unproven',
  })
})

test('a search in a bank that is not final leaves it unproven: another bank of a slot may have it', async () => {
  const proof = await proveExpired(witness({ slot: 5000, searchedSlot: 5032, finalSearchedSlot: 4990 }))
  expect(proof).toMatchObject({ expired: false, because: 'unproven' })
})

test('an answer for fewer signatures than asked leaves it unproven', async () => {
  const curt = { ...witness(), getSignatureStatuses: inContext(5032, [null]) }
  expect(await proveExpired(curt)).toMatchObject({ expired: false, because: 'unproven' })
})

test('the height is asked before the signature, or it could land in between', async () => {
  const provider = await startFakeProvider(witness())
  await prove([provider.url])
  expect(provider.asked.map(({ method }) => method).at(-1)).toBe('getSignatureStatuses')
  expect(provider.asked).toHaveLength(3)
})

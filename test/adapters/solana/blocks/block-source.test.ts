// Final blocks from several providers: a block that one lacks is asked of the next.
import { getAddressDecoder } from '@solana/kit'
import { expect, onTestFinished, test } from 'vitest'
import { createChain } from '#adapters/solana/chain.ts'
import { createDepositKeys } from '#adapters/solana/keys/deposit-keys.ts'
import { anAddress } from '../chain-data.ts'
import { type Answers, movableClock, startFakeProvider } from '../fake-provider.ts'

const depositKeys = createDepositKeys(new Uint8Array(64))
const hashNo = (number: number): string => getAddressDecoder().decode(new Uint8Array(32).fill(number))
const [PAYER, DEPOSIT, STRANGER] = await Promise.all([anAddress(), anAddress(), anAddress()])

async function open(...all: Answers[]) {
  const providers = await Promise.all(all.map((answers) => startFakeProvider(answers)))
  const rpcUrls = providers.map(({ url }) => url)
  const clock = movableClock()
  const chain = createChain({ network: 'live', rpcUrls, depositKeys, clock, timeoutMs: 5_000, waitMs: 100 })
  const blocks = chain.openBlocks()
  onTestFinished(() => blocks.close())
  return { chain, blocks, providers, askedFor: (at: number) => providers[at]?.asked.map(({ method }) => method) }
}

const payment = (to: string) => ({
  version: 0,
  transaction: {
    signatures: ['5'.repeat(88)],
    accountKeys: [PAYER, to].map((pubkey, at) => ({ pubkey, signer: at === 0, writable: true, source: 'transaction' })),
  },
  meta: {
    err: null,
    fee: 5,
    preBalances: [100, 0],
    postBalances: [85, 10],
    preTokenBalances: [],
    postTokenBalances: [],
  },
})
const block = (slot: number, ...transactions: object[]) => ({
  result: {
    blockhash: hashNo(slot),
    previousBlockhash: hashNo(slot - 1),
    parentSlot: slot - 1,
    blockTime: 1_790_000_000,
    transactions,
  },
})
const lacks = (code: number) => ({ error: { code, message: 'Slot 7 was skipped, or missing due to ledger jump' } })

test('a block is asked for as final, without rewards, with every supported transaction version', async () => {
  const { blocks, providers } = await open({ getBlock: block(7) })
  expect(await blocks.finalBlock(7n)).toMatchObject({ slot: 7n, parentSlot: 6n, blockhash: hashNo(7), notices: [] })
  expect(providers[0]?.asked[0]?.params).toEqual([
    7,
    {
      commitment: 'finalized',
      encoding: 'json',
      transactionDetails: 'accounts',
      maxSupportedTransactionVersion: expect.any(Number),
      rewards: false,
    },
  ])
})

test('a block is searched for every address that is watched by then', async () => {
  const { blocks } = await open({ getBlock: block(7, payment(DEPOSIT), payment(STRANGER)) })
  expect((await blocks.finalBlock(7n))?.notices).toEqual([])
  expect(blocks.watch([DEPOSIT])).toEqual([DEPOSIT])
  expect((await blocks.finalBlock(7n))?.notices).toMatchObject([{ owners: [DEPOSIT] }])
  expect(blocks.watch([DEPOSIT, STRANGER])).toEqual([STRANGER])
  expect(blocks.watched).toBe(2)
  expect((await blocks.finalBlock(7n))?.notices).toHaveLength(2)
})

test.each([
  ['was skipped', -32007],
  ['is not there yet', -32004],
  ['was cleaned up', -32001],
  ['is missing in long-term storage', -32009],
])('a block that %s at one provider is taken from the next, without a fault of the first', async (_, code) => {
  const { blocks, chain } = await open({ getBlock: lacks(code) }, { getBlock: block(7) })
  expect(await blocks.finalBlock(7n)).toMatchObject({ slot: 7n })
  expect(chain.rpc.health()).toMatchObject([
    { faults: 0, resting: false },
    { faults: 0, resting: false },
  ])
})

test('a block that no provider has is null, and is asked for again', async () => {
  const answers: Answers = { getBlock: lacks(-32007) }
  const { blocks, askedFor } = await open(answers, { getBlock: { result: null } })
  expect(await blocks.finalBlock(7n)).toBeNull()
  answers.getBlock = block(7)
  expect(await blocks.finalBlock(7n)).toMatchObject({ slot: 7n })
  expect(askedFor(0)).toEqual(['getBlock', 'getBlock'])
})

test.each([
  ['makes no sense', { result: { transactions: 7 } }],
  ['is an error', { error: { code: -32603, message: 'internal' } }],
  ['is no answer', { http: 503 }],
] satisfies [string, Answers[string]][])('when an answer %s, the next provider takes over', async (_, answer) => {
  const { blocks, chain } = await open({ getBlock: answer }, { getBlock: block(7) })
  expect(await blocks.finalBlock(7n)).toMatchObject({ slot: 7n })
  expect(chain.rpc.health()[0]).toMatchObject({ faults: 1, resting: true })
})

test('when every provider is away the error says so', async () => {
  const { blocks } = await open({ getBlock: { http: 503 } })
  await expect(blocks.finalBlock(7n)).rejects.toMatchObject({ code: 'chain_unavailable' })
})

test('slots are listed after the given slot, and with insist an empty list is asked of the next provider', async () => {
  const { blocks, providers } = await open({ getBlocks: { result: [] } }, { getBlocks: { result: [8, 9] } })
  expect(await blocks.finalSlots(7n, 200, false)).toEqual([])
  expect(await blocks.finalSlots(7n, 200, true)).toEqual([8n, 9n])
  // Kit leaves out the default: finalized.
  expect(providers[1]?.asked[0]?.params).toEqual([8, 207])
})

test('the next slots are listed without an end, and an empty list is asked of the next provider', async () => {
  const { blocks, providers } = await open(
    { getBlocksWithLimit: { result: [] } },
    { getBlocksWithLimit: { result: [900_000, 900_001] } },
  )
  expect(await blocks.nextFinalSlots(7n, 200)).toEqual([900_000n, 900_001n])
  expect(providers[1]?.asked[0]?.params).toEqual([8, 200])
})

test('the oldest slot is the oldest of all providers', async () => {
  const { blocks } = await open(
    { getFirstAvailableBlock: { result: 700 } },
    { getFirstAvailableBlock: { result: 300 } },
  )
  expect(await blocks.oldestSlot()).toBe(300n)
})

test('every block counts as one call', async () => {
  const { blocks, chain } = await open({ getBlock: block(7) })
  await blocks.finalBlock(7n)
  await blocks.finalBlock(7n)
  expect(chain.rpc.calls.get('getBlock')).toBe(2)
})

test('a call after closing is refused, not left pending', async () => {
  const { blocks } = await open({ getBlock: block(7) })
  await blocks.finalBlock(7n)
  await blocks.close()
  await expect(blocks.finalBlock(7n)).rejects.toThrow()
})

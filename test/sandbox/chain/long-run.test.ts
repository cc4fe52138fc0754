import { generateKeyPairSigner } from '@solana/kit'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { SOL, startTestChain, stopTestChain, type TestChain } from '../../support/chain.ts'
import { until } from '../../support/until.ts'

let chain: TestChain
beforeAll(async () => {
  chain = await startTestChain({ slotTimeMs: 2 })
})
afterAll(() => stopTestChain(chain))

it('a chain takes payments after two thousand slots as on the first day', async () => {
  const payer = await chain.wallet()
  const receiver = await generateKeyPairSigner()
  const slot = async () => chain.rpc.getSlot({ commitment: 'processed' }).send()
  const first = await slot()
  await until(async () => (await slot()) > first + 2_200n)
  const signature = await chain.paySol(payer, receiver.address, SOL)
  await chain.finalized(signature)
  expect(await chain.solOf(receiver.address)).toBe(SOL)
})

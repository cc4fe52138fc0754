import { afterEach, expect, test } from 'vitest'
import { type AddressDeriver, createAddressDeriver } from '#adapters/solana/address-deriver.ts'
import { createDepositKeys } from '#adapters/solana/deposit-keys.ts'
import type { KeyPath } from '#core/transfers/plan.ts'

const seed = new Uint8Array(64).fill(7)
const keys = createDepositKeys(seed)
const pathNo = (intent: number): KeyPath => ({ network: 'live', branch: 'deposit', account: 3, intent })
const numbers = (from: number, count: number) => Array.from({ length: count }, (_, at) => from + at)
const expected = (wanted: readonly number[]) => wanted.map((intent) => keys.addressOf(pathNo(intent)))
const ask = (deriver: AddressDeriver, wanted: readonly number[]) =>
  Promise.all(wanted.map((intent) => deriver.addressOf(pathNo(intent))))

/** Derives here only what is asked for here, so that a test sees who did the work. */
function derive() {
  const here: number[] = []
  const deriver = createAddressDeriver(seed, {
    addressOf(path) {
      if (path.branch === 'deposit') here.push(path.intent)
      return keys.addressOf(path)
    },
  })
  open.push(deriver)
  return { deriver, here }
}
const open: AddressDeriver[] = []
afterEach(() => Promise.all(open.splice(0).map((deriver) => deriver.close())))

test('each of a burst gets its own address, derived on the thread', async () => {
  const { deriver, here } = derive()
  const [first, second] = [numbers(1, 50), numbers(51, 7)]
  const bursts = Promise.all([ask(deriver, first), new Promise(setImmediate).then(() => ask(deriver, second))])
  expect(await bursts).toEqual([expected(first), expected(second)])
  expect(here).toEqual([])
})

test('a few are derived at once, without a thread', async () => {
  const { deriver, here } = derive()
  expect(await ask(deriver, [1, 2, 3])).toEqual(expected([1, 2, 3]))
  expect(here).toEqual([1, 2, 3])
})

test('one that cannot be derived fails alone, and the next burst is well', async () => {
  const { deriver, here } = derive()
  const wanted = [1, 2, 0, 4, 5, 6]
  const outcomes = await Promise.allSettled(wanted.map((intent) => deriver.addressOf(pathNo(intent))))
  expect(outcomes.map(({ status }) => status === 'fulfilled')).toEqual(wanted.map((intent) => intent !== 0))
  expect(here).toEqual(wanted)
  expect(await ask(deriver, numbers(10, 20))).toEqual(expected(numbers(10, 20)))
  expect(here).toEqual(wanted)
})

test('what is asked while it closes, and after, is answered all the same', async () => {
  const { deriver } = derive()
  await ask(deriver, numbers(1, 10))
  const late = ask(deriver, numbers(11, 10))
  await new Promise(setImmediate)
  await deriver.close()
  expect(await late).toEqual(expected(numbers(11, 10)))
  expect(await ask(deriver, numbers(21, 10))).toEqual(expected(numbers(21, 10)))
})

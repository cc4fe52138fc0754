// Lookups of credentials: how many of strangers run, and who waits for them.
import { expect, it } from 'vitest'
import { ServiceError } from '#core/errors.ts'
import { createHeavyWork } from '#graphql/heavy-work.ts'
import { createLimits, DEFAULT_RATE_LIMITS, NO_LIMITS } from '#graphql/limits.ts'
import { createLookups, createProofs, LOOKUP_LIMITS } from '#graphql/proofs.ts'

const ADDRESS = '203.0.113.7'
const OTHER_ADDRESS = '203.0.113.8'
const asker = (address = ADDRESS) => ({ address, lookups: createLookups() })
const found = async () => 'found'
const settle = async () => {
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate)
}

/** Returns what each of so many calls answers, or the code of its refusal. */
const outcomesOf = async (count: number, call: (at: number) => Promise<string>): Promise<readonly string[]> =>
  (await Promise.allSettled(Array.from({ length: count }, (_, at) => call(at)))).map((one) =>
    one.status === 'fulfilled' ? one.value : one.reason.code,
  )

/** Lookups that wait until the test answers them. */
function world({ limits = NO_LIMITS, isKnown = (credential: string) => !credential.startsWith('wrong') } = {}) {
  const looked: { credential: string; answer: () => void }[] = []
  const { prove, proveWallet } = createProofs({
    limits,
    turns: createHeavyWork(LOOKUP_LIMITS),
    async requireIssued(_kind, credential) {
      await new Promise<void>((answer) => looked.push({ credential, answer }))
      if (!isKnown(credential)) throw new ServiceError('checkout_not_found')
    },
  })
  const answerAll = async () => {
    for (let answered = 0; answered < looked.length; await settle())
      for (; answered < looked.length; answered++) looked[answered]?.answer()
  }
  return { prove, proveWallet, looked, answerAll }
}

it('an address has at most 20 lookups in flight, and another address does not wait for them', async () => {
  const { prove, looked, answerAll } = world()
  const wrong = outcomesOf(1_000, (at) => prove('checkoutToken', `wrong ${at}`, asker(), found))
  const valid = prove('checkoutToken', 'valid', asker(OTHER_ADDRESS), found)
  await settle()
  expect(looked.map(({ credential }) => credential)).toEqual([
    ...Array.from({ length: LOOKUP_LIMITS.atOncePerCaller }, (_, at) => `wrong ${at}`),
    'valid',
  ])
  await answerAll()
  expect(await valid).toBe('found')
  expect(new Set(await wrong)).toEqual(new Set(['checkout_not_found']))
})

it('all addresses together have at most 200 lookups in flight', async () => {
  const { prove, looked, answerAll } = world()
  const all = outcomesOf(300, (at) => prove('key', `key ${at}`, asker(`192.0.2.${at % 250}`), found))
  await settle()
  expect(looked).toHaveLength(LOOKUP_LIMITS.atOnce)
  await answerAll()
  expect(new Set(await all)).toEqual(new Set(['found']))
})

it('a credential that was found before waits for no lookup', async () => {
  const { prove, looked, answerAll } = world()
  const first = prove('clientSecret', 'valid', asker(), found)
  await settle()
  await answerAll()
  await first
  const strangers = outcomesOf(100, (at) => prove('clientSecret', `wrong ${at}`, asker(), found))
  expect(await prove('clientSecret', 'valid', asker(), found)).toBe('found')
  expect(looked.filter(({ credential }) => credential === 'valid')).toHaveLength(1)
  await settle()
  await answerAll()
  await strangers
})

it('a credential that proves nothing any more is looked up again', async () => {
  const { prove, looked, answerAll } = world()
  const revoked = async (): Promise<string> => {
    throw new ServiceError('unauthenticated')
  }
  for (let time = 0; time < 2; time++) {
    const asked = prove('key', 'key', asker(), revoked)
    await Promise.all([expect(asked).rejects.toMatchObject({ code: 'unauthenticated' }), settle().then(answerAll)])
  }
  expect(looked).toHaveLength(2)
})

it('an operation looks up one credential after the other, and no further one once its address is over the limit', async () => {
  const limits = createLimits({ ...DEFAULT_RATE_LIMITS, publicAddressPerMinute: 3 })
  const { prove, looked, answerAll } = world({ limits })
  const operation = asker()
  const aliases = outcomesOf(15, (at) => prove('checkoutToken', `wrong ${at}`, operation, found))
  await settle()
  expect(looked).toHaveLength(1)
  await answerAll()
  expect(await aliases).toEqual([...Array(3).fill('checkout_not_found'), ...Array(12).fill('rate_limited')])
  expect(looked).toHaveLength(4)
  // A valid credential of the same address is found all the same.
  const valid = prove('checkoutToken', 'valid', asker(), found)
  await settle()
  await answerAll()
  expect(await valid).toBe('found')
})

it('each refused credential of an operation keeps a place for 50 ms, also without a lookup', async () => {
  const limits = createLimits({ ...DEFAULT_RATE_LIMITS, publicAddressPerMinute: 1 })
  const { prove, answerAll } = world({ limits })
  const operation = asker()
  const began = performance.now()
  const aliases = outcomesOf(6, (at) => prove('checkoutToken', `wrong ${at}`, operation, found))
  await settle()
  await answerAll()
  expect(await aliases).toEqual(['checkout_not_found', ...Array(5).fill('rate_limited')])
  // A timer may end up to a millisecond early.
  expect(performance.now() - began).toBeGreaterThan(5 * 49)
})

it('texts that prove no wallet take the same places as lookups', async () => {
  const { proveWallet } = world()
  let asked = 0
  const ends: (() => void)[] = []
  const ask = async (): Promise<string> => {
    asked += 1
    await new Promise<void>((end) => ends.push(end))
    throw new ServiceError('invalid_signature')
  }
  const sent = outcomesOf(50, () => proveWallet(asker(), ask))
  await settle()
  expect(asked).toBe(LOOKUP_LIMITS.atOncePerCaller)
  for (let end = ends.shift(); end !== undefined; end = ends.shift()) {
    end()
    await settle()
  }
  expect(await sent).toEqual(Array(50).fill('invalid_signature'))
})

// RPC calls in the whole life of an intent, from its create to the last of its money moved: the real service on a real
// runtime, with everything that it asks of its chain counted on the way.
import { payFromWallet } from '#sandbox/chain/payment.ts'
import { LAP_EVERY_MS } from '#services/detection/polling/watch-list.ts'
import { until } from '../harness/until.ts'
import type { BenchResult } from '../result.ts'
import { openPayment, openPlace, type Place, type Token } from './place.ts'

const INTENTS = 100

export async function benchLife(progress: (line: string) => void): Promise<readonly BenchResult[]> {
  await using cleanup = new AsyncDisposableStack()
  progress('starting a chain with slots of 200 ms, and the service')
  const place = await openPlace(cleanup)
  const results: BenchResult[] = []
  for (const token of [null, place.token]) {
    const name = token === null ? 'SOL' : 'a token'
    progress(`${INTENTS} payments in ${name} at once, from create to swept`)
    place.counter.counts.clear()
    await payAll(place, token)
    results.push(resultOf(name, place.counter.counts, token === null ? 6 : 8))
  }
  return results
}

/** Ends when all of it is swept and, for a token, the rent of the emptied accounts is back. */
async function payAll(place: Place, token: Token | null): Promise<void> {
  const paid = await Promise.all(Array.from({ length: INTENTS }, () => payOne(place, token)))
  for (const index of paid) {
    await until(async () => (await place.asShop('GET', `/status?index=${index}`)).status === 'swept')
  }
  // Asked of the database alone: the operator's status would ask the chain as well, and be counted.
  const unfinished = '{ planned: transfers(status: planned) { id } begun: transfers(status: in_progress) { id } }'
  await until(async () => {
    const { planned, begun } = await place.asOperator(unfinished)
    return planned.length + begun.length === 0
  })
}

async function payOne(place: Place, token: Token | null): Promise<number> {
  const { index, address, amount } = await openPayment(place, token)
  await payFromWallet(place.rpcUrl, place.buyer, { to: address, amount, token })
  return index
}

function resultOf(name: string, counts: ReadonlyMap<string, number>, atMost: number): BenchResult {
  const calls = [...counts.values()].reduce((sum, count) => sum + count, 0) / INTENTS
  const methods = [...counts]
    .sort(([, a], [, b]) => b - a)
    .map(([method, count]) => `${method} ${(count / INTENTS).toFixed(1)}`)
  return {
    name: `RPC calls in an intent's life, ${name}`,
    ours: calls,
    baseline: null,
    unit: 'calls',
    ratio: calls,
    target: { atMost },
    detail: `${INTENTS} at once, shared polling included: ${methods.join(', ')}; watched afterwards: ${afterlife()}`,
  }
}

/** What the first day after the end costs for each account of an intent, a hundred to a call. */
function afterlife(): string {
  const [closing, day] = [10 * 60_000, 24 * 3_600_000]
  const sweeps = closing / LAP_EVERY_MS.closing + (day - closing) / LAP_EVERY_MS.ended
  return `${(sweeps / 100).toFixed(1)} an account in the first day`
}

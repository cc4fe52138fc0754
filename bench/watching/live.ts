// From a deposit in a block to the live status in a browser: the real service on a real runtime, with account notices and without.
import { loadavg } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { createSolanaRpc, getBase64EncodedWireTransaction } from '@solana/kit'
import { signedTransfer } from '../../test/support/signing.ts'
import { until } from '../harness/until.ts'
import type { BenchResult } from '../result.ts'
import { openPayment, openPlace, type Payment, type Place } from './place.ts'

const PAYMENTS = 40
/** Not a multiple of a slot, so that deposits come at any time within one. */
const BETWEEN_MS = 470

export async function benchLive(progress: (line: string) => void): Promise<readonly BenchResult[]> {
  const measure = async (how: string, hasNotices: boolean): Promise<readonly number[]> => {
    await using cleanup = new AsyncDisposableStack()
    const place = await openPlace(cleanup, hasNotices)
    progress(`${PAYMENTS} deposits, one after the other, ${how}`)
    return await latencies(place)
  }
  const ours = await measure('with account notices', true)
  const baseline = await measure('polled', false)
  const median = (sorted: readonly number[]): number => sorted[Math.floor(sorted.length / 2)] ?? 0
  return [
    {
      name: 'from a deposit in a block to the live status in a browser, median',
      ours: median(ours),
      baseline: median(baseline),
      unit: 's',
      ratio: median(ours) / median(baseline),
      target: { atMost: 0.5 },
      judged: 'ours',
      detail: `slowest ${ours.at(-1)?.toFixed(2)} s; a block is final two slots of 200 ms after it began; chain, database and service on one machine; the baseline polls every two seconds; load ${loadavg()[0]?.toFixed(1)}`,
    },
  ]
}

/** In seconds, ascending. */
async function latencies(place: Place): Promise<readonly number[]> {
  const payments = await Promise.all(Array.from({ length: PAYMENTS }, () => openPayment(place, null)))
  const paidAt = new Map<string, number>()
  const ends = new AbortController()
  for (const payment of payments) void follow(place, payment, paidAt, ends.signal)
  // The service watches them, and has read each after its notices began.
  await sleep(10_000)
  const sentAt = new Map<string, number>()
  const rpc = createSolanaRpc(place.rpcUrl)
  for (const { address, amount } of payments) {
    const { transaction } = await signedTransfer(rpc, place.buyer, address, amount)
    await rpc.sendTransaction(getBase64EncodedWireTransaction(transaction), { encoding: 'base64' }).send()
    // The chain has executed it by now.
    sentAt.set(address, performance.now())
    await sleep(BETWEEN_MS)
  }
  await until(async () => paidAt.size === payments.length)
  ends.abort()
  return payments
    .map(({ address }) => ((paidAt.get(address) ?? Number.NaN) - (sentAt.get(address) ?? Number.NaN)) / 1_000)
    .sort((a, b) => a - b)
}

/** Notes when the page of a buyer learns that the payment is no longer pending. */
async function follow(
  { url }: Place,
  payment: Payment,
  paidAt: Map<string, number>,
  signal: AbortSignal,
): Promise<void> {
  const query = 'subscription ($secret: String!) { checkoutUpdated(clientSecret: $secret) { status } }'
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { accept: 'text/event-stream', 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables: { secret: payment.clientSecret } }),
    signal,
  })
  try {
    for await (const part of response.body?.pipeThrough(new TextDecoderStream()) ?? [])
      if (!paidAt.has(payment.address) && /"status":"(?!pending)/i.test(part))
        paidAt.set(payment.address, performance.now())
  } catch (error) {
    if (!signal.aborted) throw error
  }
}

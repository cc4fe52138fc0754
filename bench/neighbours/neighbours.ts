// What one client can do to another: the latency of a business that asks for one payment thirty times a second, before
// and while another client asks for as much as the service lets it.
import { setTimeout as sleep } from 'node:timers/promises'
import { EVERY_FIELD } from '../../test/support/wire.ts'
import { median } from '../harness/duel.ts'
import { openShop } from '../harness/shop.ts'
import { openWorkplace } from '../harness/workplace.ts'
import type { BenchResult } from '../result.ts'
import { type Attack, startAttacker } from './attacker.ts'
import { writePayments } from './rows.ts'

const PAYMENTS = 200
const ROUNDS = 3
const CALM_SECONDS = 4
const ATTACK_SECONDS = 6
const ASK_EVERY_MS = 33
/** The latency of others may grow to so many times itself. */
const MAX = 5

type Kind = Omit<Attack, 'port' | 'seconds'>

const JSON_TYPE = { 'content-type': 'application/json' }
const health = (times: number) => `query Q######## { health { ${'status '.repeat(times)} } }`
const page = (size: number) => `{ paymentIntents(first: ${size}) { edges { node { ${EVERY_FIELD} } } } }`

const anonymous = (query: string): Kind => ({ connections: 32, headers: JSON_TYPE, query })
const byKey = (apiKey: string, connections: number, query: string): Kind => ({
  connections,
  headers: { ...JSON_TYPE, authorization: `Bearer ${apiKey}` },
  query,
})

const attacksOf = (apiKey: string): Readonly<Record<string, Kind>> => ({
  'the same costly document': anonymous(health(240).replace('Q########', 'Same')),
  'costly documents, each new': anonymous(health(240)),
  'costly documents of a key, each new': byKey(apiKey, 32, health(240)),
  'small documents, each new': anonymous(health(1)),
  'pages of 100 whole payments of a key': byKey(apiKey, 16, page(100)),
  'pages of 5 whole payments of a key': byKey(apiKey, 16, page(5)),
})

export async function benchNeighbours(progress: (line: string) => void): Promise<readonly BenchResult[]> {
  const place = await openWorkplace()
  const attacker = startAttacker()
  try {
    progress(`starting PostgreSQL ${place.postgres.version} and a server`)
    const url = await place.postgres.createDatabase('neighbours')
    const shop = await openShop(url)
    const indexes = await writePayments(url, shop.accountId, PAYMENTS)
    const other = await openShop(url, { withTokens: false })
    await writePayments(url, other.accountId, PAYMENTS)
    const { port } = await place.startServer('neighbours', 'bench/neighbours/server.ts', { DATABASE_URL: url })
    const ask = (seconds: number) => latencies(port, indexes, shop.apiKey, seconds)
    await ask(CALM_SECONDS)
    const results: BenchResult[] = []
    for (const [name, kind] of Object.entries(attacksOf(other.apiKey))) {
      const rounds: Round[] = []
      for (let round = 0; round < ROUNDS; round += 1) {
        const calm = await ask(CALM_SECONDS)
        const answers = attacker.run({ ...kind, port, seconds: ATTACK_SECONDS })
        const attacked = await ask(ATTACK_SECONDS - 1)
        rounds.push({ calm, attacked, answers: await answers })
      }
      const result = resultOf(name, rounds)
      progress(`${name}: p99 ${result.baseline?.toFixed(1)} ms, then ${result.ours.toFixed(1)} ms; ${result.detail}`)
      results.push(result)
    }
    return results
  } finally {
    attacker.stop()
    await place.close()
  }
}

/** p99 in milliseconds, and how often each answer was given. */
type Round = { readonly calm: number; readonly attacked: number; readonly answers: Readonly<Record<string, number>> }

const resultOf = (name: string, rounds: readonly Round[]): BenchResult => ({
  name: `p99 of others during ${name}`,
  ours: median(rounds.map(({ attacked }) => attacked)),
  baseline: median(rounds.map(({ calm }) => calm)),
  unit: 'ms',
  ratio: median(rounds.map(({ calm, attacked }) => attacked / calm)),
  target: { atMost: MAX },
  detail: `answered ${JSON.stringify(rounds[0]?.answers ?? {})} in ${ATTACK_SECONDS} s`,
})

/** Asks at a steady pace, whether or not answers come, and returns the p99 in milliseconds. */
async function latencies(port: number, indexes: readonly number[], apiKey: string, seconds: number): Promise<number> {
  const end = performance.now() + seconds * 1_000
  const asked: Promise<number>[] = []
  for (let at = 0; performance.now() < end; at += 1) {
    asked.push(statusOf(port, indexes[at % indexes.length] ?? 0, apiKey))
    await sleep(ASK_EVERY_MS)
  }
  const times = (await Promise.all(asked)).sort((a, b) => a - b)
  return times[Math.floor(times.length * 0.99)] ?? Number.NaN
}

async function statusOf(port: number, index: number, apiKey: string): Promise<number> {
  const started = performance.now()
  const headers = { authorization: `Bearer ${apiKey}` }
  const response = await fetch(`http://127.0.0.1:${port}/status?index=${index}`, { headers })
  await response.text()
  if (!response.ok) throw new Error(`the other business was answered ${response.status}`)
  return performance.now() - started
}

// Some of the cheap attacks for a few seconds each, on one service. npm run abuse runs all attacks for longer.
import { randomInt } from 'node:crypto'
import { expect, it } from 'vitest'
import { ATTACKS } from './attacks/attacks.ts'
import { againIfOnlySlow, BOUNDS, brokenBy, runAbuse, SHORT } from './run.ts'

const CHEAP = ['pings', 'churn', 'selections', 'stream-readers', 'hosts', 'logins', 'shared-keys']
/** Each run of the tests leaves two of them out, other ones by chance: three neighbours in a ring. */
const FIRST = randomInt(CHEAP.length)
const NAMES = [...CHEAP, ...CHEAP].slice(FIRST, FIRST + 3)
const PACE = { ...SHORT, warmUpMs: 1_000, beforeMs: 1_000, duringMs: 2_000 }
/**
 * Tests share the machine, so the shop may be slow without an attack. Attacks without bounds delayed it by 14 seconds
 * and more.
 */
const FLOOR_MS = 1_000
/** A shared machine may also stop for seconds. It hardly does so in both measurements of one attack. */
const MEASUREMENTS = 2

it.runIf(process.platform === 'linux')(
  `a shop is served under each attack, and the attack leaves nothing behind: ${NAMES.join(', ')}`,
  {
    timeout: 240_000,
  },
  async () => {
    const attacks = ATTACKS.filter(({ name }) => NAMES.includes(name))
    const bounds = { ...BOUNDS, floorMs: FLOOR_MS, webhookMs: BOUNDS.slower * FLOOR_MS }
    const outcomes = await runAbuse(attacks, {
      pace: PACE,
      bounds,
      engine: 'embedded',
      measurements: MEASUREMENTS,
      onOutcome: () => {},
    })
    expect(outcomes.map(({ name }) => name).toSorted()).toEqual(NAMES.toSorted())
    expect(outcomes.filter(({ broken }) => broken.length > 0)).toEqual([])
  },
)

it.each([
  { count: 0, broken: ['the attack did nothing'] },
  { count: 1, broken: [] },
])('an attack of which $count requests reached the service: $broken', ({ count, broken }) => {
  const seen = { p99: 1, webhookMs: 1, createdMs: 1, memory: 1, failures: [] }
  const left = { streams: 0, websockets: 0, sockets: 0 }
  const deed = { count, did: '', faults: 0 }
  const measured = { name: '', deed, before: seen, during: seen, keptBefore: 1, keptAfter: 1, left, recoveredAfter: 0 }
  expect(brokenBy(measured, BOUNDS)).toEqual(broken)
})

it.each([
  { before: 300, during: 492, broken: [] },
  { before: 300, during: 493, broken: ['memory grew 1.64 times'] },
  { before: 500, during: 750, broken: [] },
  { before: 500, during: 751, broken: ['memory grew 1.50 times'] },
])('memory of $before MiB that becomes $during MiB: $broken', ({ before, during, broken }) => {
  const seen = { p99: 1, webhookMs: 1, createdMs: 1, failures: [] }
  const left = { streams: 0, websockets: 0, sockets: 0 }
  const memory = { before: { ...seen, memory: before * 2 ** 20 }, during: { ...seen, memory: during * 2 ** 20 } }
  const deed = { count: 1, did: '', faults: 0 }
  const measured = { name: '', deed, ...memory, keptBefore: 1, keptAfter: 1, left, recoveredAfter: 0 }
  expect(brokenBy(measured, BOUNDS)).toEqual(broken)
})

it.each([
  { broken: ['p99'], slow: ['p99'], meetings: 2 },
  { broken: [], slow: [], meetings: 1 },
  { broken: ['3 sockets left'], slow: [], meetings: 1 },
  { broken: ['p99', '3 sockets left'], slow: ['p99'], meetings: 1 },
])('an attack with $broken broken is measured at most twice: $meetings', async ({ meetings, ...outcome }) => {
  let met = 0
  const meetOnce = async () => {
    met += 1
    return outcome
  }
  expect(await againIfOnlySlow(meetOnce, MEASUREMENTS)).toBe(outcome)
  expect(met).toBe(meetings)
})

// An instance may die at every call of every flow of recurring billing, and its successor as well. The next instance charges
// what is due, once. Every call and every pair: npm run crash-points -- --flow NAME.
import { randomInt } from 'node:crypto'
import { expect, test } from 'vitest'
import { survey, type Thoroughness } from '../survey.ts'
import { BILLING_FLOWS, billingCourseOf } from './flows.ts'

/** Each run of the tests tries other calls. */
const FIRST = randomInt(1, 14)
const SAMPLE: Thoroughness = { first: FIRST, singleStride: 41, pairStride: null, paces: 'one in turn' }
/** Pairs are tried in one flow: each run of a flow takes a third of a second. */
const IN_PAIRS = 'the charge of a period'
const TIMEOUT_MS = 240_000

test.each(BILLING_FLOWS.map((flow) => [flow.name, flow] as const))(
  '%s ends as stated wherever instances die',
  async (_, flow) => {
    const { calls, singles, pairs, problems } = await survey(billingCourseOf(flow), {
      ...SAMPLE,
      pairStride: flow.name === IN_PAIRS ? 150 : null,
    })
    process.stdout.write(
      `${flow.name}: ${calls} calls, from call ${FIRST} survived ${singles.survived} crashes and ${pairs.survived} pairs\n`,
    )
    expect(problems).toEqual([])
    expect(singles.tried).toBeGreaterThan(1)
    expect(singles.survived).toBe(singles.tried)
    expect(pairs.survived).toBe(pairs.tried)
  },
  TIMEOUT_MS,
)

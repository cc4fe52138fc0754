// An instance may die at every call of every flow of money: before the call has its effect, or after it, when the
// answer is lost. Its successor may die as well. The next instance moves the money to the right place, once. Every call and
// every pair: npm run crash-points.
import { randomInt } from 'node:crypto'
import { expect, test } from 'vitest'
import { courseOf, type Flow, type Step } from './flow.ts'
import { FLOWS } from './flows.ts'
import { survey, type Thoroughness } from './survey.ts'
import { PEOPLE } from './world.ts'

/** Each run of the tests begins with another call. */
const FIRST = randomInt(1, 5)
const SAMPLE: Thoroughness = { first: FIRST, singleStride: 4, pairStride: 31, paces: 'one in turn' }
const EVERY_CALL: Thoroughness = { pairStride: null, paces: 'one in turn' }
const TIMEOUT_MS = 60_000

test.each(FLOWS.map((flow) => [flow.name, flow] as const))(
  '%s ends as stated wherever instances die',
  async (_, flow) => {
    const { calls, singles, pairs, problems } = await survey(courseOf(flow), SAMPLE)
    process.stdout.write(
      `${flow.name}: ${calls} calls, from call ${FIRST} survived ${singles.survived} crashes and ${pairs.survived} pairs\n`,
    )
    expect(problems).toEqual([])
    expect(calls).toBeGreaterThan(30)
    // Before and after every fourth call.
    expect(singles.tried).toBeGreaterThanOrEqual(2 * Math.floor(calls / 4))
    expect(singles.survived).toBe(singles.tried)
    expect(pairs.tried).toBeGreaterThan(4)
    expect(pairs.survived).toBe(pairs.tried)
  },
  TIMEOUT_MS,
)

test('a flow with a wrong ending is noticed', async () => {
  const [flow] = FLOWS
  const [ending] = flow?.endings ?? []
  if (flow === undefined || ending === undefined) throw new Error('there are no flows')
  const wrong: Flow = { ...flow, endings: [{ ...ending, money: { ...ending.money, 'merchant SOL': 1n } }] }
  const { singles, problems } = await survey(courseOf(wrong), EVERY_CALL)
  expect(singles.survived).toBe(0)
  expect(problems.length).toBeGreaterThan(0)
})

test('an action that only a crash repeats is noticed', async () => {
  const flow = FLOWS.find(({ name }) => name === 'an underpaid SOL payment that is cancelled')
  const [[pay, wait, cancel] = []] = flow?.lanes ?? []
  if (flow === undefined || pay === undefined || wait === undefined || cancel === undefined) throw new Error('it moved')
  const thanks: Step = (world, instance) => {
    world.toy.fund(PEOPLE.merchant, 1n)
    return cancel(world, instance)
  }
  const forgetful: Flow = {
    ...flow,
    lanes: [[pay, wait, thanks]],
    endings: flow.endings.map((ending) => ({ ...ending, money: { 'merchant SOL': 1n, ...ending.money } })),
  }
  const { singles, problems } = await survey(courseOf(forgetful), EVERY_CALL)
  expect(singles.survived).toBeGreaterThan(0)
  expect(singles.survived).toBeLessThan(singles.tried)
  expect(problems[0]).toContain('"merchant SOL":"2"')
})

// An API and three workers on a real PostgreSQL. Random processes are killed again and again; npm run chaos kills two
// hundred.
import { expect, it } from 'vitest'
import { runChaos } from '../chaos/run.ts'

it('every payment ends once, exact to the lamport, whichever process is killed', {
  timeout: 300_000,
}, async () => {
  const { problems, courses, longestWaitSeconds } = await runChaos({
    kills: 3,
    betweenMs: 3_000,
    paymentEveryMs: 600,
    seed: 7,
    say: () => {},
  })
  expect(problems).toEqual([])
  expect(courses.length).toBeGreaterThan(3)
  expect(courses.some(({ forSeller, cut }) => forSeller && cut > 0n)).toBe(true)
  expect(longestWaitSeconds).toBeLessThan(60)
})

// An API and three workers on a real PostgreSQL, one of them killed at random again and again: npm run chaos does this two
// hundred times.
import { expect, it } from 'vitest'
import { runChaos } from '../chaos/run.ts'

it('every payment comes to its end, once and to the lamport, whichever process is killed', {
  timeout: 300_000,
}, async () => {
  const { problems, courses, longestWaitSeconds } = await runChaos({
    kills: 5,
    betweenMs: 3_000,
    paymentEveryMs: 600,
    seed: 7,
    say: () => {},
  })
  expect(problems).toEqual([])
  expect(courses.length).toBeGreaterThan(5)
  expect(longestWaitSeconds).toBeLessThan(60)
})

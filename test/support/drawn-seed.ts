// Random tests that draw a new seed in each run, so that every run tries new cases. A run can be replayed.
import { randomInt } from 'node:crypto'
import fc from 'fast-check'

const VARIABLE = 'ANY_LIFE_SEED'
const given = process.env[VARIABLE]
if (given !== undefined && !/^\d+$/.test(given)) throw new RangeError(`${VARIABLE} is not a whole number: ${given}`)
const seed = given === undefined ? randomInt(2 ** 31) : Number(given)

/**
 * Checks a property with the seed of this run, and prints it; `ANY_LIFE_SEED` sets it. A failure shows the command that
 * replays the run.
 */
export function assertWithDrawnSeed<T>(property: fc.IProperty<T>, file: string, numRuns: number): void {
  const replay = `${VARIABLE}=${seed} npx vitest run ${file}`
  process.stdout.write(`seed ${seed}; replay: ${replay}\n`)
  const details = fc.check(property, { seed, numRuns })
  if (!details.failed) return
  throw new Error(`Replay this run: ${replay}\n${fc.defaultReportMessage(details)}`, { cause: details.errorInstance })
}

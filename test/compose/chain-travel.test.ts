// A Surfpool refuses to move its clock to a time that it has reached.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { travelOf } from '#compose/chain-travel.ts'
import { type BareSurfpool, startBareSurfpool } from '../support/chain.ts'

let surfpool: BareSurfpool
beforeAll(async () => {
  surfpool = await startBareSurfpool(100)
})
afterAll(() => surfpool.stop())

/** A time that the Surfpool has reached, so that it refuses. */
const TARGET = new Date('2026-01-01T00:00:05.900Z')

/** Moves the Surfpool, whose clock account shows `time`. */
const travel = (time: string): Promise<void> =>
  travelOf({
    network: 'live',
    rpcUrl: surfpool.rpcUrl,
    isEmbedded: false,
    chain: { blockTime: async () => ({ slot: 1n, time: new Date(time) }) },
  })(TARGET)

it.each(['2026-01-01T00:00:05Z', '2026-01-01T00:00:04Z', '2026-01-01T01:00:00Z'])(
  'a chain that refuses and shows %s, less than two seconds before its target or later, has arrived',
  async (time) => {
    await expect(travel(time)).resolves.toBeUndefined()
  },
)

it('a chain that refuses further from its target is named in the error, with its time', async () => {
  await expect(travel('2026-01-01T00:00:03Z')).rejects.toMatchObject({
    code: 'clock_not_moved',
    context: { reason: 'the clock of the live network shows 2026-01-01T00:00:03.000Z, not 2026-01-01T00:00:05.900Z' },
  })
})

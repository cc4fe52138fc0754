// A halted address: attempts under way are completed, and nothing new is sent.
import { expect, test } from 'vitest'
import { pendingIntent } from '../../support/example-intent.ts'
import { createMemoryWorld, startInstance } from '../../support/settling-world.ts'

const WHY = 'The chain holds 5 base units of SOL less than the ledger says.'
const { address } = pendingIntent

test('nothing is sent from a halted address, the transfer has the reason, and continues after the halt', async () => {
  const world = createMemoryWorld()
  const instance = startInstance(world)
  world.stores.halt(address, WHY)
  for (let round = 0; round < 3; round += 1) {
    await instance.work()
    world.pass(50n)
  }
  expect(world.stores.attempts).toEqual([])
  expect(world.stores.transfer('transfer-1').transfer).toMatchObject({
    status: 'in_progress',
    attemptCount: 0,
    reason: `Nothing is sent from its address for now. ${WHY}`,
  })

  world.stores.halt(address, null)
  for (let round = 0; round < 8; round += 1) {
    await instance.work()
    world.pass(50n)
  }
  expect(world.stores.transfer('transfer-1').transfer.status).toBe('done')
  expect(instance.errors).toEqual([])
})

test('an attempt that was stored before the halt is completed', async () => {
  const world = createMemoryWorld()
  const instance = startInstance(world)
  await instance.work()
  expect(world.stores.attempts).toHaveLength(1)
  world.stores.halt(address, WHY)
  for (let round = 0; round < 8; round += 1) {
    world.pass(50n)
    await instance.work()
  }
  expect(world.stores.transfer('transfer-1').transfer.status).toBe('done')
  expect(world.stores.attempts).toMatchObject([{ state: 'final_ok' }])
})

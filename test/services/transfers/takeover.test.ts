// Another worker takes over the transfers that a killed worker had claimed. Money waits only a short time.
import { expect, test } from 'vitest'
import { createLife } from '../../support/mortal.ts'
import { createMemoryWorld, startInstance } from '../../support/settling-world.ts'

/** Fifty seconds in slots. */
const WELL_WITHIN_PER_MINUTE = 125n

test('another worker takes over the claims of a killed worker within a minute', async () => {
  const undisturbed = createLife(null)
  await startInstance(createMemoryWorld(), undisturbed).work()
  for (let at = 1; at <= undisturbed.calls(); at += 1) {
    const world = createMemoryWorld()
    const killed = createLife({ at, when: 'after' })
    await startInstance(world, killed).work()
    expect(killed.isOver()).toBe(true)
    world.pass(WELL_WITHIN_PER_MINUTE)
    await startInstance(world, createLife(null), 2).work()
    expect(world.toy.broadcasts(), `killed ${killed.fellAt()}`).toBeGreaterThan(0)
  }
})

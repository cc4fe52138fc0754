// A worker that is killed leaves its claims behind. Money does not wait for them for long.
import { expect, test } from 'vitest'
import { createLife } from '../../support/mortal.ts'
import { createMemoryWorld, startInstance } from '../../support/settling-world.ts'

/** Fifty seconds, in slots. */
const WELL_WITHIN_A_MINUTE = 125n

test('what a killed worker had claimed is taken up by another well within a minute', async () => {
  const undisturbed = createLife(null)
  await startInstance(createMemoryWorld(), undisturbed).work()
  for (let at = 1; at <= undisturbed.calls(); at += 1) {
    const world = createMemoryWorld()
    const killed = createLife({ at, when: 'after' })
    await startInstance(world, killed).work()
    expect(killed.isOver()).toBe(true)
    world.pass(WELL_WITHIN_A_MINUTE)
    await startInstance(world, createLife(null), 2).work()
    expect(world.toy.broadcasts(), `killed ${killed.fellAt()}`).toBeGreaterThan(0)
  }
})

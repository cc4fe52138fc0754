// Another worker takes over the transfers that a killed worker had claimed. Money waits only a short time.
import { expect, test } from 'vitest'
import { createLife } from '../../support/mortal.ts'
import { createMemoryWorld, startInstance } from '../../support/settling-world.ts'

/** Fifty seconds in slots. */
const WELL_WITHIN_PER_MINUTE = 250n
const SECOND = 5n

test('another worker takes over the claims of a killed worker within a minute', async () => {
  const undisturbed = createLife(null)
  await startInstance(createMemoryWorld(), undisturbed).work()
  for (let at = 1; at <= undisturbed.calls(); at += 1) {
    const world = createMemoryWorld()
    const killed = createLife({ at, when: 'after' })
    await startInstance(world, killed).work()
    expect(killed.isOver()).toBe(true)
    world.pass(WELL_WITHIN_PER_MINUTE)
    const successor = startInstance(world, createLife(null), 2)
    // A transaction that was signed and not sent has expired by then: the first round proves it, the second makes another.
    for (let rounds = 0; rounds < 2; rounds += 1) {
      await successor.work()
      world.pass(SECOND)
    }
    expect(world.toy.broadcasts(), `killed ${killed.fellAt()}`).toBeGreaterThan(0)
  }
})

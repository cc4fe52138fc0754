// A process that is killed between any two steps of an approve for other terms: the repeated request, or the worker, finishes
// it once.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { UNIT } from '../../../support/charging-world.ts'
import { signedBy } from '../../../support/checkout-world.ts'
import { approveOf, type PortalWorld, startPortalWorld } from '../../../support/portal-world.ts'
import { until } from '../../../support/until.ts'

let world: PortalWorld

beforeAll(async () => {
  world = await startPortalWorld()
})
afterAll(() => world.stop())

class Killed extends Error {}

const STEPS = ['prepare', 'recordSponsored', 'recordSigned', 'broadcast', 'transaction', 'apply'] as const
type Step = (typeof STEPS)[number]
type Moment = 'before' | 'after'

/** Returns the services of a process that is killed at its first call of the step. */
function killedAt(step: Step, moment: Moment) {
  const { deps } = world
  const chain = deps.chainOf('live')
  const killing =
    <A extends readonly unknown[], R>(name: Step, call: (...given: A) => Promise<R>) =>
    async (...given: A): Promise<R> => {
      if (name === step && moment === 'before') throw new Killed()
      const result = await call(...given)
      if (name === step) throw new Killed()
      return result
    }
  return world.portalWith({
    approvals: {
      ...deps.approvals,
      prepare: killing('prepare', deps.approvals.prepare),
      recordSponsored: killing('recordSponsored', deps.approvals.recordSponsored),
      recordSigned: killing('recordSigned', deps.approvals.recordSigned),
    },
    billing: { ...deps.billing, apply: killing('apply', deps.billing.apply) },
    chainOf: () => ({
      ...chain,
      broadcast: killing('broadcast', chain.broadcast),
      transaction: killing('transaction', chain.transaction),
    }),
  })
}

const CASES = STEPS.flatMap((step) => [
  { step, moment: 'before' as const },
  { step, moment: 'after' as const },
])

const ignoreKill = (error: unknown): void => {
  if (!(error instanceof Killed)) throw error
}

test.each(CASES)('a process killed $moment $step renews once', async ({ step, moment }) => {
  const { owner, id, token } = await world.subscribed()
  const killed = killedAt(step, moment)
  const outcome = await killed.renewInPortal(token, {}).catch((error: unknown) => {
    ignoreKill(error)
    return world.portal.renewInPortal(token, {})
  })
  const approve = approveOf(outcome)
  const given = { approvalId: approve.approvalId, transaction: await signedBy(owner, approve) }
  await killed.activateInPortal(token, given).catch(ignoreKill)
  await until(async () => (await world.portal.activateInPortal(token, given))?.outcome === 'renewed')
  expect((await world.approvalsOf(id)).map(({ state }) => state)).toEqual(['final_ok'])
  const { subscription, delegation } = await world.facts(id)
  expect(subscription).toMatchObject({ authorizedAmount: 12n * UNIT, spentAmount: 0n })
  expect(delegation).toMatchObject({ epoch: 2, authorizedTotal: 12n * UNIT })
  expect((await world.events(id)).filter((type) => type === 'subscription.updated')).toHaveLength(1)
})

test('the worker books an approve that a killed process has sent', async () => {
  const { owner, id, token } = await world.subscribed()
  const approve = approveOf(await world.portal.renewInPortal(token, {}))
  const given = { approvalId: approve.approvalId, transaction: await signedBy(owner, approve) }
  await killedAt('broadcast', 'before').activateInPortal(token, given).catch(ignoreKill)
  await until(async () => {
    await world.watch()
    return (
      (await world.facts(id)).subscription.authorizedAmount === 12n * UNIT &&
      (await world.facts(id)).delegation.epoch === 2
    )
  })
  expect(await world.portal.activateInPortal(token, given)).toMatchObject({ outcome: 'renewed' })
})

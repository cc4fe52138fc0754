// From a difference on the chain to the decision of the operator: the real stores, the real transfers, the real
// command.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createAuditStore } from '#adapters/prisma/audit/audit-store.ts'
import { createHaltStore } from '#adapters/prisma/audit/halt-store.ts'
import type { Database } from '#adapters/prisma/engine/database.ts'
import { createSettingStore } from '#adapters/prisma/platform/platform-store.ts'
import { SOL } from '#core/chain/types.ts'
import { startChange, step } from '#core/payments/change.ts'
import { decideDeposits } from '#core/payments/machine/deposits.ts'
import type { PaymentIntent } from '#core/payments/payment-intent.ts'
import { runOperator } from '#operator/program.ts'
import { createAuditServices } from '#services/audit/audit.ts'
import { createReconciler } from '#services/audit/reconcile.ts'
import { createDepositObserver } from '#services/detection/observe.ts'
import { decideAndApply } from '#services/payments/decide.ts'
import { openTestDatabase } from '../../support/database.ts'
import { MERCHANT } from '../../support/example-intent.ts'
import { choice, context, FEE_PAYER, NOW, observedDeposit, signatureNo } from '../../support/payment.ts'
import { OPERATOR_TOKEN, startTestService } from '../../support/services.ts'
import { createWorld, PRICE, startInstance } from '../../support/settling-world.ts'
import { addBusiness, addIntent, storesOf } from '../../support/stores.ts'
import { toyKeys } from '../../support/toy-chain.ts'

/** More than the rent minimum, so that a transfer could leave it behind. */
const STRANGE = 2_000_000n

let db: Database
beforeAll(async () => {
  db = await openTestDatabase()
})
afterAll(() => db.close())

async function startAll() {
  const stores = storesOf(db)
  const world = createWorld({ intents: stores.work, transfers: stores.transfers })
  const { toy } = world
  const intent = await paidIntent(stores)
  // Money from before the first block of the chain's history: no transaction explains it.
  toy.fund(intent.address, PRICE + STRANGE)
  const clock = { now: world.now }
  const common = {
    audit: createAuditStore(db),
    halts: createHaltStore(db),
    keys: { ...toyKeys, addressOf: () => intent.address },
    directory: { tokens: async () => context().tokens },
    clock,
  }
  const reconcile = createReconciler({
    ...common,
    network: 'live',
    chain: toy.chain,
    feePayer: FEE_PAYER,
    settings: createSettingStore(db.prisma),
    observe: createDepositObserver({
      chainOf: () => toy.chain,
      store: stores.work,
      keys: toyKeys,
      decisionContext: async () => context({ now: world.now() }),
      lockRate: async () => choice(SOL, PRICE),
      clock,
    }),
    callsPerMinute: 1_000,
    minRoundMs: 0,
    onHalt: () => {},
    onError: (error) => {
      throw error
    },
  })
  const chain = { ...toy.chain, tokenAccounts: async () => [] }
  const networks = { live: { chain, feePayer: FEE_PAYER }, test: null }
  const audit = createAuditServices({ ...common, wallClock: common.clock, networks })
  return { stores, world, intent, reconcile, service: await startTestService({ services: { audit } }) }
}

/** Creates an intent that is paid in full, whose deposit is booked, and whose sweep is due. */
async function paidIntent(stores: ReturnType<typeof storesOf>): Promise<PaymentIntent> {
  const tenant = await addBusiness(db)
  await db.query('UPDATE accounts SET sweep_destination = $1', [MERCHANT])
  const intent = await addIntent(stores, tenant)
  const { id: intentId, address: account } = intent
  await stores.work.apply(step(startChange(intent), { selection: choice(SOL, PRICE) }, NOW, null))
  const paid = observedDeposit(1, PRICE, { intentId, account, slot: 1n, signature: signatureNo(1) })
  const settling = await decideAndApply(stores.work, intentId, (facts) =>
    decideDeposits(facts, [paid], null, context()),
  )
  if (settling?.status !== 'settling') throw new Error('the sweep is not planned')
  return settling
}

test('money that no transaction explains halts its address until the operator clears the halt', async () => {
  const { stores, world, intent, reconcile, service } = await startAll()
  const instance = startInstance(world)
  const operator = async (...args: string[]) => {
    const out: string[] = []
    const global = ['--url', service.url, '--token', OPERATOR_TOKEN, '--json']
    await runOperator([...global, ...args], {}, { out: (line) => out.push(line), err: (line) => out.push(line) })
    return JSON.parse(out.join('\n'))
  }
  const pass = async (seconds: number, work: () => Promise<unknown>) => {
    for (let passed = 0; passed < seconds; passed += 10) {
      world.pass(50n)
      await work()
    }
  }
  try {
    await pass(310, reconcile)
    const { halts } = await operator('halt', 'list')
    expect(halts).toMatchObject([
      {
        intent_index: intent.derivationIndex,
        address: intent.address,
        faults: [{ kind: 'chain_has_more', account: intent.address, asset: SOL, amount: Number(STRANGE) }],
        cleared_at: null,
      },
    ])

    await pass(60, instance.work)
    expect(world.toy.landed()).toEqual([])
    const [waiting] = (await stores.work.facts(intent.id))?.transfers ?? []
    expect(waiting).toMatchObject({ attemptCount: 0, reason: expect.stringContaining(halts[0].reason) })

    const { halt } = await operator('halt', 'clear', halts[0].id, '--reason', 'A gift from before the first block.')
    expect(halt).toMatchObject({ cleared_by: 'operator', cleared_reason: 'A gift from before the first block.' })
    await pass(60, async () => {
      await reconcile()
      await instance.work()
    })
    expect((await stores.work.facts(intent.id))?.intent.status).toBe('swept')
    expect(world.toy.balance(intent.address)).toBe(STRANGE)
    await pass(600, reconcile)
    expect(await operator('halt', 'list')).toEqual({ halts: [] })
    expect(instance.errors).toEqual([])
  } finally {
    await service.close()
  }
})

// Wallets that are never refunded automatically: a change of the list counts from the next decision on.
import { beforeAll, beforeEach, expect, test } from 'vitest'
import type { Database } from '#adapters/prisma/engine/database.ts'
import { createCustodianStore } from '#adapters/prisma/platform/directory-store.ts'
import { decideCancel } from '#core/payments/machine/checkout.ts'
import { bookUndeliverable } from '#core/payments/machine/withdraw.ts'
import { custodianText } from '#core/payments/obstacle.ts'
import { createDirectory, createDirectoryChanged } from '#services/accounts/directory.ts'
import { createCustodianServices } from '#services/custodians/custodians.ts'
import { describeOnBothEngines } from '../../support/database.ts'
import {
  addressNo,
  afterwards,
  BUYER,
  blockedLeg,
  changeOf,
  choice,
  context,
  deposit,
  factsWith,
  intentWith,
  NOW,
  units,
} from '../../support/payment.ts'

const EXCHANGE = { address: BUYER, label: 'An exchange' }

describeOnBothEngines('the list of custodians', (open) => {
  let db: Database
  beforeAll(async () => {
    db = await open()
  })
  beforeEach(() => db.query('TRUNCATE custodians'))

  function start() {
    const custodians = createCustodianStore(db.prisma)
    const none = { find: async () => null, list: async () => [], disabled: async () => new Set<string>() }
    const directory = createDirectory({ clock: { now: () => NOW }, accounts: none, tokens: none, custodians })
    const directoryChanged = createDirectoryChanged([directory], { directoryChanged: async () => {} })
    return { directory, services: createCustodianServices({ custodians, directoryChanged }) }
  }

  test('is kept for each network, and changed a wallet at a time', async () => {
    const { services } = start()
    await services.save('live', [EXCHANGE, { address: addressNo(4), label: 'B' }])
    await services.save('test', [EXCHANGE])
    expect(await services.save('live', [{ ...EXCHANGE, label: 'A' }])).toEqual([
      { network: 'live', address: BUYER, label: 'A' },
      { network: 'live', address: addressNo(4), label: 'B' },
    ])
    expect(await services.remove('live', BUYER)).toBe(true)
    expect(await services.remove('live', BUYER)).toBe(false)
    expect(await services.list(null)).toMatchObject([{ address: addressNo(4) }, { network: 'test', address: BUYER }])
  })

  test('counts from the next decision on: what would go back to a wallet on it is held, and the reason names its label', async () => {
    const { directory, services } = start()
    const sees = async () => context({ custodians: await directory.custodians('live') })
    const underpaid = factsWith(
      intentWith({ status: 'underpaid', selection: choice('SOL', 900_000n), received: units(500_000n) }),
      { deposits: [deposit(1, 500_000n)] },
    )
    expect(changeOf(decideCancel(underpaid, await sees())).after.status).toBe('refunding')
    await services.save('live', [EXCHANGE])
    const reason = custodianText(BUYER, EXCHANGE.label)
    expect(changeOf(decideCancel(underpaid, await sees())).after).toMatchObject({
      status: 'refund_failed',
      statusReason: reason,
      held: [{ amount: 500_000n, reason }],
    })
    await services.remove('live', BUYER)
    expect(changeOf(decideCancel(underpaid, await sees())).after.status).toBe('refunding')
  })

  test('holds a refund that was planned before, and marks no sender: the list is what counts', async () => {
    const { directory, services } = start()
    const underpaid = factsWith(
      intentWith({ status: 'underpaid', selection: choice('SOL', 900_000n), received: units(500_000n) }),
      { deposits: [deposit(1, 500_000n)] },
    )
    const refunding = afterwards(underpaid, changeOf(decideCancel(underpaid, context())))
    const [transfer] = refunding.transfers
    if (transfer === undefined) throw new Error('it was planned')
    await services.save('live', [EXCHANGE])
    const now = context({ custodians: await directory.custodians('live') })
    const about = { facts: refunding, transfer: { ...transfer, attemptCount: 0 }, context: now }
    const change = bookUndeliverable(about, { fence: 1n }, 'It is an exchange.', [blockedLeg(BUYER, 'custodian')])
    expect(change).toMatchObject({ deposits: [], transfers: [], after: { status: 'refund_failed' } })
    expect(change.after.statusReason).toContain(EXCHANGE.label)
  })
})

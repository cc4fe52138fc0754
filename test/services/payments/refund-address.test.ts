// Addresses that buyers propose, over both engines: businesses approve them once, and only those that they have read.
import { randomUUID } from 'node:crypto'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import type { Database } from '#adapters/prisma/engine/database.ts'
import { createHeldStore } from '#adapters/prisma/payments/held-store.ts'
import { createDepositAddressStore } from '#adapters/prisma/payments/lookup.ts'
import { type Tenant, tenantOf } from '#core/accounts/account.ts'
import { keyActor } from '#core/accounts/audit.ts'
import { makeAddress } from '#core/chain/base58.ts'
import { type AccountState, type Address, SOL } from '#core/chain/types.ts'
import { makeLamports } from '#core/money/amounts.ts'
import { startChange, step } from '#core/payments/change.ts'
import { decideCancel } from '#core/payments/machine/checkout.ts'
import type { PaymentIntent } from '#core/payments/payment-intent.ts'
import { SYSTEM_PROGRAM } from '#core/transfers/preflight.ts'
import { createJudgeSweepDestination } from '#services/accounts/sweep-destination.ts'
import { createFindByClientSecret } from '#services/payments/checkout.ts'
import { decideAndApply } from '#services/payments/decide.ts'
import type { Approver } from '#services/payments/intent-services.ts'
import { createRefundAddresses } from '#services/payments/refund-address.ts'
import { describeOnBothEngines, emptyTables } from '../../support/database.ts'
import {
  addressNo,
  choice,
  context,
  deposit,
  FEE_PAYER,
  NETWORK_FEE,
  NOW,
  signatureNo,
  units,
} from '../../support/payment.ts'
import { addBusiness, addIntent, nextNumber, type Stores, storesOf } from '../../support/stores.ts'

const PART = 400_000n
const OWN = addressNo(70)
const OTHER = addressNo(71)
const EXCHANGE = addressNo(72)
const KEYLESS = addressNo(65)
const VAULT = addressNo(63)
const TOKEN_ACCOUNT = addressNo(64)
const REASON = 'It is not yours.'

describeOnBothEngines('an address from the buyer', (open) => {
  let db: Database
  let stores: Stores
  let business: Tenant
  let intent: PaymentIntent
  let secret: string
  let states: Map<Address, AccountState>
  beforeAll(async () => {
    db = await open()
    stores = storesOf(db)
  })
  beforeEach(async () => {
    await emptyTables(db, 'accounts', 'ledger_entries', 'audit_log')
    const owned = (ownerProgram: Address): AccountState => ({ lamports: makeLamports(1n), ownerProgram, token: null })
    states = new Map([
      [OWN, owned(makeAddress(SYSTEM_PROGRAM))],
      [VAULT, owned(addressNo(77))],
      [TOKEN_ACCOUNT, owned(makeAddress('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'))],
    ])
    business = await addBusiness(db)
    secret = randomUUID()
    intent = await stuckPayment()
  })

  const hash = (text: string) => new TextEncoder().encode(text.padEnd(32, '.').slice(0, 32))
  const services = () =>
    createRefundAddresses({
      findByClientSecret: createFindByClientSecret({ checkout: stores.checkout, secrets: { hash } }),
      intents: stores.intents,
      store: stores.work,
      decisionContext: async () => context({ custodians: new Map([[EXCHANGE, 'An exchange']]) }),
      judgeBuyerAddress: createJudgeSweepDestination(
        {
          live: {
            chain: {
              readAccounts: async (asked) => ({ slot: 1n, states: asked.map((one) => states.get(one) ?? null) }),
            },
            feePayer: FEE_PAYER,
          },
          test: null,
        },
        createDepositAddressStore(db),
        'address',
        'wallet',
      ),
    })
  const approver = (tenant = business): Approver => ({ tenant, actor: keyActor('live', 'x7Qa', '203.0.113.9') })
  const propose = (address = OWN) => services().proposeRefundAddress(secret, address)
  const approve = (address = OWN, by = approver()) => services().approveRefundAddress(by, intent.id, address)
  const decline = (address = OWN, by = approver()) => services().declineRefundAddress(by, intent.id, address, REASON)

  /** An intent with half the price from an unknown sender, then cancelled. */
  async function stuckPayment(): Promise<PaymentIntent> {
    const made = await addIntent(stores, business, { clientSecretHash: hash(secret) })
    const { id: intentId, address: account, network } = made
    const number = 5_000 + nextNumber()
    const one = deposit(number, PART, { network, intentId, account, senders: [], signature: signatureNo(number) })
    const change = step(
      startChange(made),
      { status: 'underpaid', selection: choice(SOL, 2n * PART), received: units(PART) },
      NOW,
      null,
    )
    if (!(await stores.work.apply({ ...change, deposits: [one] }))) throw new Error('it was changed in between')
    const cancelled = await decideAndApply(stores.work, made.id, (facts) => decideCancel(facts, context()))
    if (cancelled === null) throw new Error('the payment does not exist')
    return cancelled
  }

  const releases = () => createHeldStore(db).releases({ subjectId: intent.id, limit: 10 })
  const auditLog = () =>
    db.query<{ action: string; actor_kind: string; changes: unknown }>(
      'SELECT action, actor_kind, changes FROM audit_log WHERE account_id = $1 ORDER BY position',
      [business.accountId],
    )

  test('moves nothing when it is proposed', async () => {
    const { refundAddress, held } = await propose()
    expect(refundAddress).toMatchObject({ isWanted: true, proposal: { address: OWN, status: 'proposed' } })
    expect(held).toHaveLength(1)
    expect(await releases()).toEqual([])
    await expect(services().proposeRefundAddress('another', OWN)).rejects.toMatchObject({
      code: 'invalid_client_secret',
    })
  })

  test('is released to once, by a hundred approvals at the same moment', async () => {
    await propose()
    const answers = await Promise.all(Array.from({ length: 100 }, () => approve()))
    for (const { refundAddress } of answers) expect(refundAddress?.proposal?.status).toBe('approved')
    expect(await releases()).toMatchObject([{ amount: PART - NETWORK_FEE, to: OWN, releasedBy: 'business' }])
    const events = await db.query('SELECT type FROM events WHERE intent_id = $1 AND type = $2', [
      intent.id,
      'intent.refund_address_approved',
    ])
    expect(events).toHaveLength(1)
  })

  test('that the buyer swaps at the moment of the approval is never paid', async () => {
    for (let round = 0; round < 10; round += 1) {
      secret = randomUUID()
      intent = await stuckPayment()
      await propose(OWN)
      const [approval] = await Promise.allSettled([approve(OWN), propose(OTHER)])
      const paid = await releases()
      for (const one of paid) expect(one.to).toBe(OWN)
      if (approval.status === 'rejected') expect(approval.reason).toMatchObject({ code: 'refund_address_not_proposed' })
      expect(paid).toHaveLength(approval.status === 'rejected' ? 0 : 1)
    }
  })

  test('is approved or declined, whichever comes first', async () => {
    await propose()
    const [approved, declined] = await Promise.allSettled([approve(), decline()])
    expect([approved.status, declined.status].sort()).toEqual(['fulfilled', 'rejected'])
    expect(await releases()).toHaveLength(approved.status === 'fulfilled' ? 1 : 0)
  })

  test.each([
    ['a token account', TOKEN_ACCOUNT, "is a token's mint or token account, not a wallet"],
    ['an address that no key can sign for, without an account', KEYLESS, 'is an address without a key'],
    ['an account of a program', VAULT, 'is an account of a program, not a wallet'],
    ['the fee payer', FEE_PAYER, 'is a fee payer of this service'],
    ['a wallet of an exchange', EXCHANGE, 'is a wallet of An exchange for the money of all its customers'],
    ['a program', makeAddress('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'), 'is not a wallet'],
  ])('is refused when it is %s', async (_, address, rule) => {
    await expect(propose(address)).rejects.toMatchObject({
      code: 'invalid_address',
      context: { field: 'address', rule: expect.stringContaining(rule) },
    })
    expect((await stores.work.facts(intent.id))?.intent.refundAddress?.proposal).toBeNull()
  })

  test('is refused when it is a deposit address of the service', async () => {
    await expect(propose(intent.address)).rejects.toMatchObject({ code: 'invalid_address' })
  })

  test('that belongs to a program by now is not approved', async () => {
    await propose(OTHER)
    states.set(OTHER, { lamports: makeLamports(1n), ownerProgram: addressNo(77), token: null })
    await expect(approve(OTHER)).rejects.toMatchObject({ code: 'invalid_address' })
    expect(await releases()).toEqual([])
  })

  test('is decided by its business alone', async () => {
    await propose()
    const stranger = approver(await addBusiness(db))
    await expect(approve(OWN, stranger)).rejects.toMatchObject({ code: 'intent_not_found' })
    await expect(decline(OWN, stranger)).rejects.toMatchObject({ code: 'intent_not_found' })
    const otherMode = approver(tenantOf({ id: business.accountId, network: 'test' }))
    await expect(approve(OWN, otherMode)).rejects.toMatchObject({ code: 'intent_not_found' })
    const byNoId = services().approveRefundAddress(approver(), 'nope', OWN)
    await expect(byNoId).rejects.toMatchObject({ code: 'intent_not_found' })
    expect(await releases()).toEqual([])
  })

  test('has an entry in the audit log for each proposal and each decision', async () => {
    await propose(OTHER)
    await propose()
    await decline()
    await propose()
    await approve()
    await approve()
    expect((await auditLog()).map(({ action, actor_kind }) => [action, actor_kind])).toEqual([
      ['payment.address_proposed', 'buyer'],
      ['payment.address_proposed', 'buyer'],
      ['payment.address_declined', 'api_key'],
      ['payment.address_proposed', 'buyer'],
      ['payment.address_approved', 'api_key'],
    ])
    const [, swapped, declined] = await auditLog()
    expect(swapped?.changes).toMatchObject({ payment_id: [intent.id, intent.id], address: [OTHER, OWN] })
    expect(declined?.changes).toMatchObject({ address: [OWN, OWN], reason: [null, REASON] })
  })

  test('is declined with a reason', async () => {
    await propose()
    const blank = services().declineRefundAddress(approver(), intent.id, OWN, ' ')
    await expect(blank).rejects.toMatchObject({ code: 'invalid_request' })
    expect((await decline()).refundAddress?.proposal).toMatchObject({ status: 'declined', reason: REASON })
  })
})

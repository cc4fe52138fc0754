// The payout wallet of a business: changed by an owner, at once or after a delay in which the change can be canceled.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccountStore } from '#adapters/prisma/accounts/account-store.ts'
import { SERVICE_ACTOR } from '#core/accounts/audit.ts'
import { ROLES } from '#core/accounts/permissions.ts'
import { EVENT_SUBJECTS } from '#services/events/event-log.ts'
import { type MembersEdge, startMembersEdge, unknownId } from '../../support/members-edge.ts'
import { addressNo } from '../../support/payment.ts'

const [FIRST, SECOND, THIRD] = [addressNo(1), addressNo(2), addressNo(3)]
const CHANGE = `mutation ($wallet: SolanaAddress) { changePayoutWallet(wallet: $wallet) { sweepDestination
  pendingPayoutChange { sweepDestination requestedBy ip effectiveAt } } }`
const CANCEL = 'mutation { cancelPayoutChange { sweepDestination pendingPayoutChange { sweepDestination } } }'

type Answered = { readonly body: { readonly errors?: readonly { message: string; extensions: { code: string } }[] } }
const codeOf = ({ body }: Answered) => body.errors?.[0]?.extensions.code

let edge: MembersEdge
let slow: MembersEdge
beforeAll(async () => {
  edge = await startMembersEdge()
  slow = await startMembersEdge({ payoutDelayHours: 24 })
})
afterAll(async () => {
  await edge.close()
  await slow.close()
})

const eventsOf = async (at: MembersEdge, accountId: string) =>
  await at.database.prisma.event.findMany({ where: { accountId }, orderBy: { sequence: 'asc' } })
const entriesOf = async (at: MembersEdge, accountId: string) =>
  await at.database.prisma.auditEntry.findMany({
    where: { accountId, action: { startsWith: 'business.payout' } },
    orderBy: { position: 'asc' },
  })

describe('without a delay', () => {
  it('a change takes effect at once, with an event and an entry that say who made it and from where', async () => {
    const accountId = await edge.business()
    const { browser, member } = await edge.logIn(accountId)
    for (const wallet of [FIRST, SECOND]) {
      const { body } = await browser.graphql(CHANGE, { wallet })
      expect(body.data.changePayoutWallet).toEqual({ sweepDestination: wallet, pendingPayoutChange: null })
    }
    const events = await eventsOf(edge, accountId)
    expect(events).toMatchObject([
      { type: 'business.payout_changed', version: 1 },
      { type: 'business.payout_changed', version: 2 },
    ])
    expect(EVENT_SUBJECTS.render(events[1] ?? { subjectKind: '', type: '', data: null }, '')).toEqual({
      sweep_destination: SECOND,
      previous_sweep_destination: FIRST,
      changed_by: { kind: 'member', credential: 'Ada', ip: '127.0.0.1' },
    })
    expect((await entriesOf(edge, accountId))[1]).toMatchObject({
      action: 'business.payout_changed',
      actorMemberId: member.id,
      changes: { sweep_destination: [FIRST, SECOND] },
    })
    await browser.graphql(CHANGE, { wallet: SECOND })
    expect(await eventsOf(edge, accountId)).toHaveLength(2)
  })

  it('a change takes the place of one that waits, also one to the same wallet, and the log says so', async () => {
    const accountId = await edge.business()
    const { browser } = await edge.logIn(accountId)
    await browser.graphql(CHANGE, { wallet: FIRST })
    // It was asked for while there was a delay.
    const requestedBy = { kind: 'member', credential: 'Eve', memberId: unknownId(), ip: '192.0.2.7' }
    const [requestedAt, effectiveAt] = [edge.now(), new Date(edge.now().getTime() + 1_000)]
    const data = { accountId, destination: SECOND, requestedBy, requestedAt, effectiveAt }
    await edge.database.prisma.payoutChange.create({ data })
    const { body } = await browser.graphql(CHANGE, { wallet: FIRST })
    expect(body.data.changePayoutWallet).toEqual({ sweepDestination: FIRST, pendingPayoutChange: null })
    expect((await entriesOf(edge, accountId)).at(-1)).toMatchObject({
      action: 'business.payout_change_canceled',
      changes: { sweep_destination: [SECOND, null] },
    })
  })

  it('a change needs a proof of the last five minutes', async () => {
    const { browser, wallet } = await edge.logIn(await edge.business())
    edge.later(300)
    expect(codeOf(await browser.graphql(CHANGE, { wallet: FIRST }))).toBe('step_up_required')
    await browser.prove(wallet)
    expect(codeOf(await browser.graphql(CHANGE, { wallet: FIRST }))).toBeUndefined()
  })

  it.each(ROLES.filter((role) => role !== 'owner'))('%s changes and cancels nothing', async (role) => {
    const { browser } = await edge.logIn(await edge.business(), role)
    for (const document of [CHANGE, CANCEL])
      expect((await browser.graphql(document)).body.errors[0].message).toBe('this needs the permission payout-manage')
  })

  it('no API key changes it, whatever its scopes are', async () => {
    const { browser } = await edge.logIn(await edge.business())
    const { body } = await browser.graphql('mutation { createApiKey(scopes: [payments, keys_manage]) { apiKey } }')
    const headers = { authorization: `Bearer ${body.data.createApiKey.apiKey}` }
    expect(codeOf(await edge.graphql(CHANGE, { wallet: FIRST }, headers))).toBe('forbidden')
  })
})

describe('with a delay', () => {
  /** Returns a business that waits for its second wallet. */
  async function waiting() {
    const accountId = await slow.business()
    await slow.database.prisma.account.update({ where: { id: accountId }, data: { sweepDestination: FIRST } })
    const owner = await slow.logIn(accountId)
    const { body } = await owner.browser.graphql(CHANGE, { wallet: SECOND })
    return { accountId, ...owner, changed: body.data.changePayoutWallet }
  }
  const walletOf = async (accountId: string) =>
    (await slow.database.prisma.account.findUniqueOrThrow({ where: { id: accountId } })).sweepDestination

  it('a change is shown, and the old wallet stays until it takes effect', async () => {
    const { accountId, member, changed } = await waiting()
    const effectiveAt = new Date(slow.now().getTime() + 24 * 3_600_000).toISOString()
    expect(changed).toEqual({
      sweepDestination: FIRST,
      pendingPayoutChange: { sweepDestination: SECOND, requestedBy: 'Ada', ip: '127.0.0.1', effectiveAt },
    })
    const [requested] = await eventsOf(slow, accountId)
    expect(requested).toMatchObject({ type: 'business.payout_change_requested', version: 1 })
    expect(EVENT_SUBJECTS.render(requested ?? { subjectKind: '', type: '', data: null }, '')).toEqual({
      sweep_destination: SECOND,
      previous_sweep_destination: FIRST,
      effective_at: effectiveAt,
      changed_by: { kind: 'member', credential: 'Ada', ip: '127.0.0.1' },
    })
    slow.later(24 * 3_600 - 1)
    await slow.changePayouts()
    expect([await walletOf(accountId), await eventsOf(slow, accountId)]).toEqual([FIRST, [requested]])
    slow.later(1)
    await slow.changePayouts()
    expect(await walletOf(accountId)).toBe(SECOND)
    expect((await eventsOf(slow, accountId)).slice(1)).toMatchObject([
      { type: 'business.payout_changed', version: 2, data: { before: FIRST, after: SECOND, effectiveAt: null } },
    ])
    expect(await entriesOf(slow, accountId)).toMatchObject([
      { action: 'business.payout_change_requested', actorMemberId: member.id },
      { action: 'business.payout_changed', actorMemberId: member.id, changes: { sweep_destination: [FIRST, SECOND] } },
    ])
    await slow.changePayouts()
    expect(await eventsOf(slow, accountId)).toHaveLength(2)
  })

  it('a change waits longer while the operator has disabled the business', async () => {
    const { accountId } = await waiting()
    const disable = async (disabledAt: Date | null) => {
      await slow.database.prisma.account.update({ where: { id: accountId }, data: { disabledAt } })
    }
    await disable(slow.now())
    slow.later(24 * 3_600)
    await slow.changePayouts()
    expect(await walletOf(accountId)).toBe(FIRST)
    await disable(null)
    await slow.changePayouts()
    expect(await walletOf(accountId)).toBe(SECOND)
  })

  it('an owner cancels a change, also with an old proof, and it never takes effect', async () => {
    const { accountId, browser } = await waiting()
    slow.later(600)
    expect((await browser.graphql(CANCEL)).body.data.cancelPayoutChange).toEqual({
      sweepDestination: FIRST,
      pendingPayoutChange: null,
    })
    expect(codeOf(await browser.graphql(CANCEL))).toBe('payout_change_not_found')
    slow.later(25 * 3_600)
    await slow.changePayouts()
    expect(await walletOf(accountId)).toBe(FIRST)
    expect((await entriesOf(slow, accountId)).at(-1)?.action).toBe('business.payout_change_canceled')
    expect((await eventsOf(slow, accountId)).slice(1)).toMatchObject([
      { type: 'business.payout_change_canceled', version: 2, data: { before: FIRST, after: SECOND } },
    ])
  })

  it('a change to the present wallet cancels the one that waits, and nothing waits then', async () => {
    const { accountId, browser } = await waiting()
    const { body } = await browser.graphql(CHANGE, { wallet: FIRST })
    expect(body.data.changePayoutWallet).toEqual({ sweepDestination: FIRST, pendingPayoutChange: null })
    await browser.graphql(CHANGE, { wallet: FIRST })
    expect((await eventsOf(slow, accountId)).map(({ type }) => type)).toEqual([
      'business.payout_change_requested',
      'business.payout_change_canceled',
    ])
  })

  it.each([
    ['removed', 'mutation ($id: String!) { removeMember(id: $id) { id } }'],
    ['an owner no longer', 'mutation ($id: String!) { updateMember(id: $id, role: finance) { id } }'],
  ])('it is canceled when the owner who asked for it is %s', async (_how, document) => {
    const { accountId, member } = await waiting()
    const other = await slow.logIn(accountId)
    await other.browser.graphql('mutation ($id: String!) { updateMember(id: $id, name: "Eve") { id } }', {
      id: member.id,
    })
    expect(await slow.database.prisma.payoutChange.count({ where: { accountId } })).toBe(1)
    expect(codeOf(await other.browser.graphql(document, { id: member.id }))).toBeUndefined()
    expect((await entriesOf(slow, accountId)).at(-1)).toMatchObject({
      action: 'business.payout_change_canceled',
      actorMemberId: other.member.id,
    })
    slow.later(24 * 3_600)
    await slow.changePayouts()
    expect(await walletOf(accountId)).toBe(FIRST)
  })

  it('it is canceled before another change, and its event names the wallet before both', async () => {
    const { accountId } = await waiting()
    const by = { actor: SERVICE_ACTOR, at: new Date('2026-11-20T10:00:00Z') }
    await createAccountStore(slow.database.prisma).update(accountId, { sweepDestination: THIRD }, by)
    expect((await eventsOf(slow, accountId)).slice(1)).toMatchObject([
      { type: 'business.payout_change_canceled', data: { before: FIRST, after: SECOND } },
      { type: 'business.payout_changed', data: { before: FIRST, after: THIRD } },
    ])
  })

  it('it stays when another owner leaves', async () => {
    const { accountId, browser } = await waiting()
    const { member } = await slow.logIn(accountId)
    await browser.graphql('mutation ($id: String!) { removeMember(id: $id) { id } }', { id: member.id })
    slow.later(24 * 3_600)
    await slow.changePayouts()
    expect(await walletOf(accountId)).toBe(SECOND)
  })

  it('the operator sees and cancels it', async () => {
    const { accountId } = await waiting()
    const read = 'query ($id: UUID!) { account(id: $id) { pendingPayoutChange { sweepDestination requestedBy } } }'
    const { body } = await slow.operator(read, { id: accountId })
    expect(body.data.account.pendingPayoutChange).toEqual({ sweepDestination: SECOND, requestedBy: 'Ada' })
    const cancel = 'mutation ($id: UUID!) { cancelAccountPayoutChange(accountId: $id) { sweepDestination } }'
    expect((await slow.operator(cancel, { id: accountId })).body.data.cancelAccountPayoutChange).toEqual({
      sweepDestination: FIRST,
    })
  })

  it('a newer change takes the place of one that waits, and begins its own delay', async () => {
    const { accountId, browser } = await waiting()
    slow.later(200)
    await browser.graphql(CHANGE, { wallet: null })
    slow.later(24 * 3_600 - 200)
    await slow.changePayouts()
    expect(await walletOf(accountId)).toBe(FIRST)
    slow.later(200)
    await slow.changePayouts()
    expect(await walletOf(accountId)).toBeNull()
  })
})

// Members of a business: who may invite, change and remove whom, their sessions, and what the audit log says.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { MAX_MEMBERS } from '#core/accounts/member.ts'
import { ROLES, type Role } from '#core/accounts/permissions.ts'
import { newPerson } from '../../support/approves.ts'
import { type MembersEdge, startMembersEdge, tokenOf, unknownId } from '../../support/members-edge.ts'
import { until } from '../../support/until.ts'

let edge: MembersEdge
beforeAll(async () => {
  edge = await startMembersEdge()
})
afterAll(() => edge.close())

type Answered = { readonly body: { readonly errors?: readonly { message: string; extensions: { code: string } }[] } }
const codeOf = ({ body }: Answered) => body.errors?.[0]?.extensions.code
const messageOf = ({ body }: Answered) => body.errors?.[0]?.message

const INVITE = `mutation ($role: MemberRole!, $email: String) {
  inviteMember(name: "Grace", email: $email, role: $role) { member { id name email role } url expiresAt } }`
const UPDATE = `mutation ($id: String!, $role: MemberRole) { updateMember(id: $id, role: $role) { role } }`
const REMOVE = `mutation ($id: String!) { removeMember(id: $id) { removedAt } }`
const REMOVE_LOGIN = `mutation ($memberId: String!, $id: String!) { removeLogin(memberId: $memberId, id: $id) { id } }`
const MEMBERS = '{ members { id name email role logins { id wallet } } }'

describe('an owner', () => {
  it('invites a member, whose link logs in to the business with the role', async () => {
    const { browser } = await edge.logIn(await edge.business())
    const { body } = await browser.graphql(INVITE, { role: 'developer', email: 'grace@example.com' })
    const { member, url, expiresAt } = body.data.inviteMember
    expect(member).toMatchObject({ name: 'Grace', email: 'grace@example.com', role: 'developer' })
    expect(new Date(expiresAt).getTime() - edge.now().getTime()).toBe(24 * 3_600_000)
    const other = edge.newBrowser()
    expect((await other.addWallet(newPerson(), tokenOf(url))).body.data.addWalletLogin.me.member).toEqual({
      id: member.id,
      name: 'Grace',
      role: 'developer',
    })
    const listed = (await other.graphql(MEMBERS)).body.data.members
    expect(listed.map(({ role }: { role: Role }) => role)).toEqual(['owner', 'developer'])
  })

  it('changes a role within the session of the member, and removes the member with every session', async () => {
    const accountId = await edge.business()
    const owner = await edge.logIn(accountId)
    const member = await edge.logIn(accountId, 'developer')
    const keys = '{ apiKeys { id } }'
    expect(codeOf(await member.browser.graphql(keys))).toBeUndefined()
    expect(
      (await owner.browser.graphql(UPDATE, { id: member.member.id, role: 'viewer' })).body.data.updateMember,
    ).toEqual({ role: 'viewer' })
    expect(messageOf(await member.browser.graphql(keys))).toBe('this needs the permission keys-manage')
    const { body } = await owner.browser.graphql(REMOVE, { id: member.member.id })
    expect(body.data.removeMember.removedAt).toBe(edge.now().toISOString())
    expect(codeOf(await member.browser.graphql('{ me { member { id } } }'))).toBe('unauthenticated')
    expect(codeOf(await edge.newBrowser().logIn(member.wallet))).toBe('login_refused')
    expect(codeOf(await owner.browser.graphql(REMOVE, { id: member.member.id }))).toBe('member_not_found')
  })

  it('is not the last one to leave: neither role, login nor member goes', async () => {
    const accountId = await edge.business()
    const { browser, member } = await edge.logIn(accountId)
    // Another owner who cannot log in yet is none.
    await edge.invite(accountId)
    const [{ logins }] = (await browser.graphql(MEMBERS)).body.data.members
    const answers = [
      await browser.graphql(UPDATE, { id: member.id, role: 'viewer' }),
      await browser.graphql(REMOVE_LOGIN, { memberId: member.id, id: logins[0].id }),
      await browser.graphql(REMOVE, { id: member.id }),
    ]
    expect(answers.map(codeOf)).toEqual(['last_owner', 'last_owner', 'last_owner'])
    await edge.logIn(accountId)
    expect(codeOf(await browser.graphql(REMOVE_LOGIN, { memberId: member.id, id: logins[0].id }))).toBeUndefined()
    expect(codeOf(await browser.graphql(REMOVE, { id: member.id }))).toBeUndefined()
  })

  it('sees and changes no member of another business', async () => {
    const { browser } = await edge.logIn(await edge.business())
    const other = await edge.logIn(await edge.business())
    for (const document of [UPDATE, REMOVE, 'mutation ($id: String!) { createMemberLink(id: $id) { url } }'])
      expect(codeOf(await browser.graphql(document, { id: other.member.id }))).toBe('member_not_found')
    const foreign = (await other.browser.graphql('{ me { session { id } } }')).body.data.me.session.id
    const end = 'mutation ($id: String!) { endSession(id: $id) { id } }'
    expect(codeOf(await browser.graphql(end, { id: foreign }))).toBe('session_not_found')
    const sessions = (await browser.graphql('{ sessions { memberId } }')).body.data.sessions
    expect(sessions.map(({ memberId }: { memberId: string }) => memberId)).not.toContain(other.member.id)
  })
})

describe('the operator', () => {
  it('lists, invites and removes members, also the last owner', async () => {
    const accountId = await edge.business()
    const { member, browser } = await edge.logIn(accountId)
    const list = 'query ($accountId: UUID!) { accountMembers(accountId: $accountId) { id logins { wallet } } }'
    expect((await edge.operator(list, { accountId })).body.data.accountMembers).toEqual([
      { id: member.id, logins: [{ wallet: expect.any(String) }] },
    ])
    const remove = 'mutation ($id: UUID!) { removeAccountMember(id: $id) { removedAt } }'
    expect((await edge.operator(remove, { id: member.id })).body.data.removeAccountMember.removedAt).not.toBeNull()
    expect(codeOf(await browser.graphql(MEMBERS))).toBe('unauthenticated')
    const invite = `mutation ($accountId: UUID!) {
      inviteAccountMember(accountId: $accountId, name: "Ada", role: owner) { url member { role } } }`
    const { url } = (await edge.operator(invite, { accountId })).body.data.inviteAccountMember
    expect((await edge.newBrowser().addWallet(newPerson(), tokenOf(url))).body.data.addWalletLogin.me.member.role).toBe(
      'owner',
    )
  })
})

describe.each(ROLES.filter((role) => role !== 'owner'))('%s', (role) => {
  it('reads members and manages none', async () => {
    const accountId = await edge.business()
    const owner = await edge.logIn(accountId)
    const { browser } = await edge.logIn(accountId, role)
    expect((await browser.graphql(MEMBERS)).body.data.members).toHaveLength(2)
    const refused = [
      await browser.graphql(INVITE, { role: 'viewer' }),
      await browser.graphql(UPDATE, { id: owner.member.id, role: 'viewer' }),
      await browser.graphql(REMOVE, { id: owner.member.id }),
      await browser.graphql(REMOVE_LOGIN, { memberId: owner.member.id, id: unknownId() }),
    ]
    expect(refused.map(messageOf)).toEqual(Array(4).fill('this needs the permission members-manage'))
  })

  it('sees and ends own sessions only', async () => {
    const accountId = await edge.business()
    const owner = await edge.logIn(accountId)
    const one = await edge.logIn(accountId, role)
    const other = edge.newBrowser()
    await other.logIn(one.wallet)
    const list = async () => (await other.graphql('{ sessions { id memberId } }')).body.data.sessions
    expect(await list()).toHaveLength(2)
    const end = 'mutation ($id: String!) { endSession(id: $id) { id } }'
    const mine = (await one.browser.graphql('{ me { session { id } } }')).body.data.me.session.id
    const owners = (await owner.browser.graphql('{ me { session { id } } }')).body.data.me.session.id
    expect(codeOf(await other.graphql(end, { id: owners }))).toBe('session_not_found')
    expect(codeOf(await other.graphql(end, { id: mine }))).toBeUndefined()
    expect(codeOf(await one.browser.graphql('{ me { session { id } } }'))).toBe('unauthenticated')
    const [last] = await list()
    expect(codeOf(await owner.browser.graphql(end, { id: last.id }))).toBeUndefined()
    expect(codeOf(await other.graphql('{ sessions { id } }'))).toBe('unauthenticated')
  })
})

describe('a session', () => {
  const me = '{ me { session { expiresAt } provenUntil } }'

  it('ends after 12 hours without a request, and is asked to log in again by an anonymous answer', async () => {
    const { browser } = await edge.logIn(await edge.business())
    edge.later(12 * 3_600 - 1)
    expect(codeOf(await browser.graphql(me))).toBeUndefined()
    await until(async () => (await edge.database.prisma.session.count({ where: { lastSeenAt: edge.now() } })) > 0)
    edge.later(12 * 3_600 - 1)
    expect(codeOf(await browser.graphql(me))).toBeUndefined()
    edge.later(12 * 3_600)
    const answer = await browser.graphql(me)
    expect([codeOf(answer), answer.headers.get('set-cookie')]).toEqual([
      'unauthenticated',
      '__Host-session=; Path=/; HttpOnly; SameSite=Lax; Secure; Max-Age=0',
    ])
  })

  it('ends seven days after the login, however much it is used', async () => {
    const { browser } = await edge.logIn(await edge.business())
    for (let half = 0; half < 14; half += 1) {
      expect(codeOf(await browser.graphql(me))).toBeUndefined()
      await until(async () => (await edge.database.prisma.session.count({ where: { lastSeenAt: edge.now() } })) > 0)
      edge.later(12 * 3_600 - 1)
    }
    edge.later(14)
    expect(codeOf(await browser.graphql(me))).toBe('unauthenticated')
  })

  it('begins and goes on for no business that is archived', async () => {
    const accountId = await edge.business()
    const { browser, wallet } = await edge.logIn(accountId)
    await edge.database.prisma.account.update({ where: { id: accountId }, data: { archivedAt: edge.now() } })
    edge.later(60)
    expect(codeOf(await edge.newBrowser().logIn(wallet))).toBe('unauthenticated')
    expect(codeOf(await browser.graphql(me))).toBe('unauthenticated')
  })

  it('is one of an API key for no operation of members', async () => {
    const { browser } = await edge.logIn(await edge.business())
    const { body } = await browser.graphql('mutation { createApiKey(scopes: [payments]) { apiKey } }')
    const key = { authorization: `Bearer ${body.data.createApiKey.apiKey}` }
    expect(codeOf(await edge.graphql(me, {}, key))).toBe('session_required')
    expect(messageOf(await edge.graphql(MEMBERS, {}, key))).toBe('this needs the permission members-view')
    expect(codeOf(await edge.graphql('mutation { logOut { id } }', {}, key))).toBe('session_required')
  })
})

describe('a proof older than five minutes', () => {
  const ID = '0b9d7f4e-93b4-4a0a-8f0a-5f3a52b1d0aa'
  const CHANGES = {
    createApiKey: 'createApiKey(scopes: [payments]) { apiKey }',
    rollApiKey: `rollApiKey(id: "${ID}") { apiKey }`,
    revokeApiKey: `revokeApiKey(id: "${ID}") { id }`,
    createWebhookEndpoint: 'createWebhookEndpoint(input: { url: "https://shop.example/hook" }) { secret }',
    updateWebhookEndpoint: `updateWebhookEndpoint(id: "${ID}", input: { url: "https://other.example" }) { uuid }`,
    rotateWebhookEndpointSecret: `rotateWebhookEndpointSecret(id: "${ID}") { secret }`,
    inviteMember: 'inviteMember(name: "Grace", role: viewer) { url }',
    createMemberLink: `createMemberLink(id: "${ID}") { url }`,
    updateMember: `updateMember(id: "${ID}", role: viewer) { id }`,
    removeMember: `removeMember(id: "${ID}") { id }`,
    removeLogin: `removeLogin(memberId: "${ID}", id: "${ID}") { id }`,
    updateSeller: `updateSeller(id: "${ID}", input: { sweepDestination: null }) { id }`,
    updateMarketplace: 'updateMarketplace(input: { feeWallet: null }) { status }',
  } as const

  it.each(Object.entries(CHANGES))('refuses %s until the member proves again', async (name, field) => {
    const accountId = await edge.business()
    await edge.database.prisma.marketplace.create({ data: { accountId } })
    const { browser, wallet } = await edge.logIn(accountId)
    edge.later(299)
    const within = await browser.graphql('{ me { provenUntil } }')
    expect(new Date(within.body.data.me.provenUntil).getTime() - edge.now().getTime()).toBe(1_000)
    edge.later(1)
    expect([name, codeOf(await browser.graphql(`mutation { ${field} }`))]).toEqual([name, 'step_up_required'])
    await browser.prove(wallet)
    expect([name, codeOf(await browser.graphql(`mutation { ${field} }`))]).not.toEqual([name, 'step_up_required'])
  })

  it('permits what hands nothing to another person, and concerns no API key', async () => {
    const { browser } = await edge.logIn(await edge.business())
    const { body } = await browser.graphql('mutation { createApiKey(scopes: [keys_manage]) { apiKey } }')
    edge.later(600)
    expect(codeOf(await browser.graphql('{ apiKeys { id } members { id } }'))).toBeUndefined()
    const key = { authorization: `Bearer ${body.data.createApiKey.apiKey}` }
    expect(codeOf(await edge.graphql('mutation { createApiKey(scopes: [keys_manage]) { apiKey } }', {}, key))).toBe(
      undefined,
    )
  })
})

it('the fee wallet of a marketplace is changed by owners alone, and its other terms by who manages it', async () => {
  const accountId = await edge.business()
  await edge.database.prisma.marketplace.create({ data: { accountId } })
  const { browser } = await edge.logIn(accountId, 'finance')
  const change = (input: string) => browser.graphql(`mutation { updateMarketplace(input: ${input}) { status } }`)
  expect(messageOf(await change('{ feeWallet: null }'))).toBe('this needs the permission payout-manage')
  expect(codeOf(await change('{ defaultFeeBps: 100 }'))).not.toBe('forbidden')
})

describe('a key that a member makes', () => {
  it('has nothing beyond the role of the member, and names its maker', async () => {
    const { browser } = await edge.logIn(await edge.business(), 'developer')
    const create = 'mutation ($scopes: [KeyScope!]) { createApiKey(scopes: $scopes) { key { scopes createdBy } } }'
    expect(messageOf(await browser.graphql(create, { scopes: ['payments'] }))).toBe(
      'this needs the permission payments',
    )
    expect((await browser.graphql(create, {})).body.data.createApiKey.key).toEqual({
      scopes: ['marketplace_view', 'subscriptions_view', 'webhooks_manage'],
      createdBy: 'Ada',
    })
  })
})

it('the audit log says which member did what, from where, and shows no link, cookie or signature', async () => {
  const accountId = await edge.business()
  const { browser, member } = await edge.logIn(accountId)
  const { body: invited } = await browser.graphql(INVITE, { role: 'viewer' })
  await browser.graphql('mutation { createApiKey(scopes: [payments]) { apiKey } }')
  const { body, text } = await browser.graphql(
    '{ auditLog { edges { node { action actor { kind credential memberId ip } changes } } } }',
  )
  const by = { kind: 'member', credential: 'Ada', memberId: member.id, ip: '127.0.0.1' }
  const operator = { kind: 'operator', credential: null, memberId: null, ip: '192.0.2.1' }
  const entries = body.data.auditLog.edges.map(
    ({ node: { action, actor } }: { node: { action: string; actor: object } }) => [action, actor],
  )
  expect(entries).toEqual([
    ['key_created', by],
    ['member_link_created', by],
    ['member_invited', by],
    ['member_session_started', by],
    ['member_login_added', by],
    ['member_link_created', operator],
    ['member_invited', operator],
  ])
  for (const secret of [tokenOf(invited.data.inviteMember.url), browser.cookie.split('=')[1]])
    expect(text).not.toContain(secret)
  expect(edge.logLines.join()).not.toMatch(/ss_[\w-]{43}|li_[\w-]{43}/)
})

it(`a business has at most ${MAX_MEMBERS} members`, async () => {
  const accountId = await edge.business()
  const { browser } = await edge.logIn(accountId)
  await edge.database.query(
    `INSERT INTO members (id, account_id, name, role, created_at)
     SELECT gen_random_uuid(), $1::uuid, 'Someone', 'viewer', now() FROM generate_series(2, $2::int)`,
    [accountId, MAX_MEMBERS],
  )
  expect(codeOf(await browser.graphql(INVITE, { role: 'viewer' }))).toBe('member_limit_reached')
})

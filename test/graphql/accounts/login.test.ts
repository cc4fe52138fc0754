// How members set up logins by a link, log in with a wallet, and prove again.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { random } from '#adapters/node/random.ts'
import { createLoginStore } from '#adapters/prisma/accounts/login-store.ts'
import { memberActor } from '#core/accounts/audit.ts'
import { MAX_LOGINS } from '#core/accounts/member.ts'
import { MAX_SESSIONS } from '#core/accounts/session.ts'
import { newPerson } from '../../support/approves.ts'
import { createTestSecrets } from '../../support/keys.ts'
import {
  ADD,
  LOG_IN,
  type MembersEdge,
  ORIGIN,
  PROVE,
  startMembersEdge,
  unknownId,
} from '../../support/members-edge.ts'

let edge: MembersEdge
beforeAll(async () => {
  edge = await startMembersEdge()
})
afterAll(() => edge.close())

const codeOf = ({ body }: { readonly body: { readonly errors?: readonly { extensions: { code: string } }[] } }) =>
  body.errors?.[0]?.extensions.code

describe('a link', () => {
  it('says who it is for as often as it is read, and begins a session once', async () => {
    const accountId = await edge.business()
    const { member, token } = await edge.invite(accountId, 'finance')
    const browser = edge.newBrowser()
    const query = 'query ($token: String!) { loginLink(token: $token) { member { id role } business { id name } } }'
    const read = { member: { id: member.id, role: 'finance' }, business: { id: accountId, name: 'Corner Shop' } }
    for (let times = 0; times < 2; times += 1)
      expect((await browser.graphql(query, { token })).body.data.loginLink).toEqual(read)
    const { body, headers } = await browser.addWallet(newPerson(), token)
    expect(body.data.addWalletLogin.me).toMatchObject({ ...read, member: { name: 'Ada' } })
    expect(headers.get('set-cookie')).toMatch(
      /^__Host-session=ss_[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Secure; Max-Age=604800$/,
    )
    expect(codeOf(await browser.graphql(query, { token }))).toBe('login_link_not_found')
    await expect(edge.newBrowser().addWallet(newPerson(), token)).rejects.toThrow('this link cannot be used')
  })

  it('is used once, also by two browsers at the same moment', async () => {
    const { token } = await edge.invite(await edge.business())
    const browsers = [edge.newBrowser(), edge.newBrowser(), edge.newBrowser()]
    const signed = await Promise.all(
      browsers.map(async (browser) => [browser, await browser.sign(newPerson(), 'add_login', token)] as const),
    )
    const answers = await Promise.all(signed.map(([browser, proof]) => browser.graphql(ADD, { ...proof, link: token })))
    expect(answers.map(codeOf).sort()).toEqual(['login_link_not_found', 'login_link_not_found', undefined])
  })

  it('works for 24 hours', async () => {
    const { token } = await edge.invite(await edge.business())
    const browser = edge.newBrowser()
    edge.later(24 * 3_600 - 1)
    const proof = await browser.sign(newPerson(), 'add_login', token)
    edge.later(1)
    expect(codeOf(await browser.graphql(ADD, { ...proof, link: token }))).toBe('login_link_not_found')
  })

  it('is replaced by a newer one of the same member', async () => {
    const accountId = await edge.business()
    const { member, token } = await edge.invite(accountId)
    const { body } = await edge.operator(
      'mutation ($id: UUID!) { createAccountMemberLink(id: $id) { url member { id } } }',
      { id: member.id },
    )
    const { url } = body.data.createAccountMemberLink
    expect(url).toMatch(/^https:\/\/pay\.example\.com\/dashboard\/join#li_[\w-]{43}$/)
    await expect(edge.newBrowser().addWallet(newPerson(), token)).rejects.toThrow('this link cannot be used')
    expect((await edge.newBrowser().addWallet(newPerson(), url.split('#')[1])).body.data.addWalletLogin).not.toBeNull()
  })
})

describe('a login with a wallet', () => {
  it('begins a session of the member, whose text names no business and whose purpose is in it', async () => {
    const { wallet, member } = await edge.logIn(await edge.business(), 'viewer')
    const browser = edge.newBrowser()
    const { body } = await browser.logIn(wallet)
    expect(body.data.logInWithWallet).toMatchObject({
      me: { member: { id: member.id, role: 'viewer' } },
      businesses: [],
    })
    const { body: me } = await browser.graphql('{ me { permissions member { id } session { userAgent ip } } }')
    expect(me.data.me).toMatchObject({ member: { id: member.id }, session: { userAgent: 'Test browser' } })
    expect(me.data.me.permissions).toContain('payments-view')
  })

  it('answers with the permissions of its member, whatever session the browser had before', async () => {
    const accountId = await edge.business()
    const { browser } = await edge.logIn(accountId)
    const viewer = await edge.logIn(accountId, 'viewer')
    const proof = await browser.sign(viewer.wallet, 'log_in')
    const { body } = await browser.graphql(LOG_IN.replace('me {', 'me { permissions'), proof)
    const { permissions } = body.data.logInWithWallet.me
    expect([permissions.includes('payments-view'), permissions.includes('members-manage')]).toEqual([true, false])
  })

  it(`ends the oldest of ${MAX_SESSIONS} sessions, and the audit log has that`, async () => {
    const accountId = await edge.business()
    const { browser, wallet } = await edge.logIn(accountId)
    const oldest = (await browser.graphql('{ me { session { id } } }')).body.data.me.session.id
    for (let count = 0; count < MAX_SESSIONS; count += 1) {
      edge.later(1)
      await edge.newBrowser().logIn(wallet)
    }
    const { prisma } = edge.database
    expect(await prisma.session.count({ where: { member: { accountId } } })).toBe(MAX_SESSIONS)
    expect(await prisma.auditEntry.findMany({ where: { accountId, action: 'member.session_ended' } })).toMatchObject([
      { changes: { session: [oldest, null] } },
    ])
  })

  it('asks which business when the wallet is that of members of several, and takes the same answer for one', async () => {
    const wallet = newPerson()
    const accounts = [await edge.business('live'), await edge.business('test')]
    for (const accountId of accounts) await edge.logIn(accountId, 'owner', wallet)
    const browser = edge.newBrowser()
    const proof = await browser.sign(wallet, 'log_in')
    const asked = await browser.graphql(LOG_IN, proof)
    expect(asked.body.data.logInWithWallet).toEqual({ me: null, businesses: accounts.map((id) => ({ id })) })
    expect(asked.headers.get('set-cookie')).toBeNull()
    const { body } = await browser.graphql(LOG_IN, { ...proof, businessId: accounts[1] })
    expect(body.data.logInWithWallet.me.business.id).toBe(accounts[1])
  })

  it.each([
    [
      'a wallet of no member',
      async () => ({ proof: await edge.newBrowser().sign(newPerson(), 'log_in') }),
      'login_refused',
    ],
    [
      'the answer to another purpose',
      async () => {
        const { browser, wallet } = await edge.logIn(await edge.business())
        return { proof: await browser.sign(wallet, 'prove') }
      },
      'invalid_signature',
    ],
    [
      'the signature of another wallet',
      async () => {
        const { browser, wallet } = await edge.logIn(await edge.business())
        const { signature } = await browser.sign(newPerson(), 'log_in')
        return { proof: { ...(await browser.sign(wallet, 'log_in')), signature } }
      },
      'invalid_signature',
    ],
    [
      'a nonce that the service has not made',
      async () => {
        const { browser, wallet } = await edge.logIn(await edge.business())
        return { proof: { ...(await browser.sign(wallet, 'log_in')), nonce: '0'.repeat(76) } }
      },
      'invalid_signature',
    ],
  ])('is refused for %s', async (_what, prepare, code) => {
    const { proof } = await prepare()
    const answer = await edge.newBrowser().graphql(LOG_IN, proof)
    expect([codeOf(answer), answer.headers.get('set-cookie')]).toEqual([code, null])
  })

  it('takes an answer once, and within ten minutes', async () => {
    const { wallet, browser } = await edge.logIn(await edge.business())
    const proof = await browser.sign(wallet, 'log_in')
    expect(codeOf(await edge.newBrowser().graphql(LOG_IN, proof))).toBeUndefined()
    expect(codeOf(await edge.newBrowser().graphql(LOG_IN, proof))).toBe('invalid_signature')
    const late = await browser.sign(wallet, 'log_in')
    edge.later(600)
    expect(codeOf(await edge.newBrowser().graphql(LOG_IN, late))).toBe('invalid_signature')
  })

  it('begins only on a page of the service', async () => {
    const { wallet, browser } = await edge.logIn(await edge.business())
    const proof = await browser.sign(wallet, 'log_in')
    for (const origin of [undefined, 'null', 'https://evil.example', `${ORIGIN}.evil.example`]) {
      const answer = await edge.graphql(LOG_IN, proof, origin === undefined ? {} : { origin })
      expect([codeOf(answer), answer.headers.get('set-cookie')]).toEqual(['own_pages_only', null])
    }
  })
})

describe('a further login', () => {
  it('is added in a session after a recent proof, and logs in to the same member', async () => {
    const { browser, wallet, member } = await edge.logIn(await edge.business())
    edge.later(300)
    const second = newPerson()
    expect(codeOf(await browser.addWallet(second, null))).toBe('step_up_required')
    expect(codeOf(await browser.prove(wallet))).toBeUndefined()
    const added = await browser.addWallet(second, null)
    expect(added.body.data.addWalletLogin.me.member.id).toBe(member.id)
    const { body } = await edge.newBrowser().logIn(second)
    expect(body.data.logInWithWallet.me.member.id).toBe(member.id)
  })

  it('is not added again by the same answer, after it was removed', async () => {
    const { browser, member } = await edge.logIn(await edge.business())
    const second = newPerson()
    const proof = await browser.sign(second, 'add_login')
    expect(codeOf(await browser.graphql(ADD, proof))).toBeUndefined()
    const { id } = await edge.database.prisma.loginCredential.findFirstOrThrow({ where: { wallet: second.address } })
    const remove = 'mutation ($memberId: String!, $id: String!) { removeLogin(memberId: $memberId, id: $id) { id } }'
    expect(codeOf(await browser.graphql(remove, { memberId: member.id, id }))).toBeUndefined()
    expect(codeOf(await browser.graphql(ADD, proof))).toBe('invalid_signature')
  })

  it(`is one of at most ${MAX_LOGINS}`, async () => {
    const accountId = await edge.business()
    const { browser, member } = await edge.logIn(accountId)
    const logins = Array.from({ length: MAX_LOGINS - 1 }, () => {
      const { address: wallet } = newPerson()
      return { id: unknownId(), accountId, memberId: member.id, name: 'Wallet', wallet, createdAt: edge.now() }
    })
    await edge.database.prisma.loginCredential.createMany({ data: logins })
    expect(codeOf(await browser.addWallet(newPerson(), null))).toBe('login_limit_reached')
  })

  it('is added once by a link, and to no member who was removed, also where the service has read them before', async () => {
    const accountId = await edge.business()
    const { member, token } = await edge.invite(accountId)
    const store = createLoginStore(edge.database.prisma)
    const by = { actor: memberActor(member.id, member.name, '192.0.2.1'), at: edge.now() }
    const hashOf = (text: string) => createTestSecrets(random).hash(text)
    const add = (link: Uint8Array | null) => {
      const login = { id: unknownId(), name: 'Wallet', wallet: newPerson().address, passkey: null }
      const answered = { hash: hashOf(login.id), expiresAt: edge.now() }
      return store.add(member, login, { answered, link, session: null }, by)
    }
    const link = hashOf(token)
    expect(
      (await Promise.all(Array.from({ length: 100 }, () => add(link)))).filter((one) => one === 'added'),
    ).toHaveLength(1)
    expect(await add(null)).toBe('added')
    await edge.operator('mutation ($id: UUID!) { removeAccountMember(id: $id) { id } }', { id: member.id })
    expect(await add(null)).toBe('link')
  })

  it('is refused when the wallet is one of the business already, and in no session', async () => {
    const accountId = await edge.business()
    const first = await edge.logIn(accountId)
    const second = await edge.logIn(accountId)
    expect(codeOf(await second.browser.addWallet(first.wallet, null))).toBe('login_taken')
    await expect(edge.newBrowser().addWallet(newPerson(), null)).rejects.toThrow('unauthenticated')
  })
})

describe('a proof', () => {
  it('is refused for the wallet of another member of the business', async () => {
    const accountId = await edge.business()
    const [one, other] = [await edge.logIn(accountId), await edge.logIn(accountId)]
    expect(codeOf(await one.browser.prove(other.wallet))).toBe('login_refused')
  })

  it('says in its text which business it is for, and serves no other member', async () => {
    const [one, other] = [await edge.logIn(await edge.business()), await edge.logIn(await edge.business())]
    const { body } = await one.browser.graphql(
      `mutation ($wallet: SolanaAddress!) { challengeWalletLogin(purpose: prove, wallet: $wallet) { message } }`,
      { wallet: one.wallet.address },
    )
    expect(body.data.challengeWalletLogin.message).toContain('Confirm a change in [Corner Shop].')
    expect(body.data.challengeWalletLogin.message).toContain(`urn:uuid:${one.member.id}`)
    const proof = await one.browser.sign(one.wallet, 'prove')
    expect(codeOf(await other.browser.graphql(PROVE, proof))).toBe('invalid_signature')
  })
})

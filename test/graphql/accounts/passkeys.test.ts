// How members set up passkeys, log in with them, and prove again.
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'
import { createLoginStore } from '#adapters/prisma/accounts/login-store.ts'
import { memberActor } from '#core/accounts/audit.ts'
import { passkeySiteOf } from '#core/accounts/passkey-site.ts'
import { Authenticator, type Forgery } from '../../support/authenticator.ts'
import { type MembersEdge, ORIGIN, startMembersEdge, type TestBrowser, unknownId } from '../../support/members-edge.ts'

let edge: MembersEdge
beforeAll(async () => {
  edge = await startMembersEdge()
})
afterAll(() => edge.close())

const codeOf = ({ body }: { readonly body: { readonly errors?: readonly { extensions: { code: string } }[] } }) =>
  body.errors?.[0]?.extensions.code

const ME = 'me { member { id } }'
const ADD = `mutation ($answer: JSONObject!, $link: String) { addPasskey(answer: $answer, link: $link, name: "Laptop") { ${ME} } }`
const LOG_IN = `mutation ($answer: JSONObject!) { logInWithPasskey(answer: $answer) { ${ME} } }`
const PROVE = 'mutation ($answer: JSONObject!) { proveWithPasskey(answer: $answer) { member { id } } }'

async function optionsOf(browser: TestBrowser, purpose: string, link: string | null = null) {
  const { body, text } = await browser.graphql(
    'mutation ($purpose: LoginPurpose!, $link: String) { challengePasskey(purpose: $purpose, link: $link) }',
    { purpose, link },
  )
  if (body.data?.challengePasskey == null) throw new Error(text)
  return body.data.challengePasskey
}

/** Returns a person who has set up a passkey by a link. */
async function withPasskey(role: 'owner' | 'viewer' = 'owner') {
  const { member, token } = await edge.invite(await edge.business(), role)
  const browser = edge.newBrowser()
  const authenticator = new Authenticator(ORIGIN)
  const answer = authenticator.create(await optionsOf(browser, 'add_login', token))
  const added = await browser.graphql(ADD, { answer, link: token })
  return { member, browser, authenticator, added, token }
}

const logIn = async (authenticator: Authenticator, forgery: Forgery = {}) => {
  const browser = edge.newBrowser()
  const answer = authenticator.get(await optionsOf(browser, 'log_in'), forgery)
  return { browser, answer, result: await browser.graphql(LOG_IN, { answer }) }
}

describe('a passkey', () => {
  it('is set up by a link, which is used up and begins a session', async () => {
    const { member, added, browser, token } = await withPasskey()
    expect(added.body.data.addPasskey.me.member.id).toBe(member.id)
    const { body } = await browser.graphql('{ members { logins { name wallet } } }')
    expect(body.data.members).toEqual([{ logins: [{ name: 'Laptop', wallet: null }] }])
    await expect(optionsOf(edge.newBrowser(), 'add_login', token)).rejects.toThrow('this link cannot be used')
  })

  it('is discoverable and verifies its user, for the host of the service', async () => {
    const { token } = await edge.invite(await edge.business())
    const options = await optionsOf(edge.newBrowser(), 'add_login', token)
    expect(options).toMatchObject({
      rp: { id: 'pay.example.com' },
      user: { name: 'Ada (Corner Shop)' },
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      attestation: 'none',
      excludeCredentials: [],
    })
    expect(await optionsOf(edge.newBrowser(), 'log_in')).toMatchObject({
      rpId: 'pay.example.com',
      userVerification: 'required',
      allowCredentials: [],
    })
  })

  it('logs in its member without a name', async () => {
    const { member, authenticator } = await withPasskey('viewer')
    const { browser, result } = await logIn(authenticator)
    expect(result.body.data.logInWithPasskey.me.member.id).toBe(member.id)
    expect((await browser.graphql('{ me { member { id } } }')).body.data.me.member.id).toBe(member.id)
  })

  it('proves again, and only passkeys of the member are asked for', async () => {
    const { browser, authenticator } = await withPasskey()
    const create = 'mutation { createApiKey(scopes: [payments]) { apiKey } }'
    edge.later(300)
    expect(codeOf(await browser.graphql(create))).toBe('step_up_required')
    const options = await optionsOf(browser, 'prove')
    expect(options.allowCredentials).toEqual([{ id: authenticator.id, transports: ['internal'], type: 'public-key' }])
    expect(codeOf(await browser.graphql(PROVE, { answer: authenticator.get(options) }))).toBeUndefined()
    expect(codeOf(await browser.graphql(create))).toBeUndefined()
  })

  it('can be one of several, and is not set up twice', async () => {
    const { browser, authenticator } = await withPasskey()
    const options = await optionsOf(browser, 'add_login')
    expect(options.excludeCredentials).toMatchObject([{ id: authenticator.id }])
    expect(codeOf(await browser.graphql(ADD, { answer: authenticator.create(options) }))).toBe('login_taken')
    const second = new Authenticator(ORIGIN)
    expect(
      codeOf(await browser.graphql(ADD, { answer: second.create(await optionsOf(browser, 'add_login')) })),
    ).toBeUndefined()
    expect((await logIn(second)).result.body.data.logInWithPasskey).not.toBeNull()
  })

  it('is added in a session after a recent proof only', async () => {
    const { browser } = await withPasskey()
    const answer = new Authenticator(ORIGIN).create(await optionsOf(browser, 'add_login'))
    edge.later(300)
    expect(codeOf(await browser.graphql(ADD, { answer }))).toBe('step_up_required')
  })
})

describe('an answer', () => {
  const FORGERIES: readonly (readonly [what: string, forgery: Forgery])[] = [
    ['from a page of another site', { origin: 'https://evil.example' }],
    ['from a subdomain', { origin: 'https://shop.pay.example.com' }],
    ['from plain http', { origin: 'http://pay.example.com' }],
    ['for another site', { rpId: 'evil.example' }],
    ['without a verified user', { verifies: false }],
    ['of another type', { type: 'payment.get' }],
    ['to a challenge that the service has not made', { challenge: Buffer.alloc(38, 7).toString('base64url') }],
    ['to no challenge', { challenge: '' }],
  ]

  it.each(FORGERIES)('%s logs no one in', async (_what, forgery) => {
    const { authenticator } = await withPasskey()
    const { result } = await logIn(authenticator, forgery)
    expect([codeOf(result), result.headers.get('set-cookie')]).toEqual(['invalid_signature', null])
  })

  it.each(FORGERIES)('%s sets up no passkey, and the link still works', async (_what, forgery) => {
    const { token } = await edge.invite(await edge.business())
    const browser = edge.newBrowser()
    const authenticator = new Authenticator(ORIGIN)
    const answer = authenticator.create(await optionsOf(browser, 'add_login', token), forgery)
    expect(codeOf(await browser.graphql(ADD, { answer, link: token }))).toBe('invalid_signature')
    const right = authenticator.create(await optionsOf(browser, 'add_login', token))
    expect(codeOf(await browser.graphql(ADD, { answer: right, link: token }))).toBeUndefined()
  })

  it('works once, and within ten minutes', async () => {
    const { authenticator } = await withPasskey()
    const { browser, answer } = await logIn(authenticator)
    expect(codeOf(await browser.graphql(LOG_IN, { answer }))).toBe('invalid_signature')
    const late = authenticator.get(await optionsOf(browser, 'log_in'))
    edge.later(600)
    expect(codeOf(await browser.graphql(LOG_IN, { answer: late }))).toBe('invalid_signature')
  })

  it('whose counter does not grow is that of a copy, and is refused', async () => {
    const { authenticator } = await withPasskey()
    expect(codeOf((await logIn(authenticator, { counter: 7 })).result)).toBeUndefined()
    expect(codeOf((await logIn(authenticator, { counter: 7 })).result)).toBe('invalid_signature')
    expect(codeOf((await logIn(authenticator, { counter: 8 })).result)).toBeUndefined()
  })

  it('is not used twice with one counter at the same moment, and not after its passkey was removed', async () => {
    const { member, authenticator } = await withPasskey()
    const store = createLoginStore(edge.database.prisma)
    const found = await store.findPasskey(authenticator.id)
    if (found === null) throw new Error('the passkey is not stored')
    const session = await edge.database.prisma.session.findFirstOrThrow({ where: { memberId: member.id } })
    const use = (counter: number) => {
      const answered = { hash: Buffer.from(unknownId()), expiresAt: edge.now() }
      const by = { actor: memberActor(member.id, member.name, '192.0.2.1'), at: edge.now() }
      return store.use(found, { answered, counter, session: { provedId: session.id } }, by)
    }
    expect(await Promise.all([use(7), use(8)])).toEqual([true, false])
    await edge.database.prisma.loginCredential.deleteMany({ where: { memberId: member.id } })
    expect(await use(9)).toBe(false)
  })

  it('of a passkey without a counter logs in again and again', async () => {
    const { authenticator } = await withPasskey()
    for (let times = 0; times < 2; times += 1)
      expect(codeOf((await logIn(authenticator, { counter: 0 })).result)).toBeUndefined()
  })

  it('serves the purpose and the member that it was asked for only', async () => {
    const [one, other] = [await withPasskey(), await withPasskey()]
    const proof = one.authenticator.get(await optionsOf(one.browser, 'prove'))
    expect(codeOf(await edge.newBrowser().graphql(LOG_IN, { answer: proof }))).toBe('invalid_signature')
    expect(codeOf(await other.browser.graphql(PROVE, { answer: proof }))).toBe('invalid_signature')
    const foreign = other.authenticator.get(await optionsOf(one.browser, 'prove'))
    expect(codeOf(await one.browser.graphql(PROVE, { answer: foreign }))).toBe('login_refused')
  })

  it('of an unknown or a removed passkey is refused', async () => {
    expect(codeOf((await logIn(new Authenticator(ORIGIN))).result)).toBe('login_refused')
    const { member, authenticator } = await withPasskey()
    await edge.operator('mutation ($id: UUID!) { removeAccountMember(id: $id) { id } }', { id: member.id })
    expect(codeOf((await logIn(authenticator)).result)).toBe('login_refused')
  })

  it.each([
    {},
    { id: 7 },
    { id: 'x', response: { clientDataJSON: '@@' } },
    { id: 'x', response: { clientDataJSON: 'e30' } },
  ])('that is %j is none', async (answer) => {
    expect(codeOf(await edge.newBrowser().graphql(LOG_IN, { answer }))).toBe('incomplete_proof')
  })
})

describe('where passkeys do not work', () => {
  test.each([
    ['https://192.0.2.7', 'IP address'],
    ['https://[2001:db8::7]:8443', 'IP address'],
    ['http://127.0.0.1:4000', 'IP address'],
    ['http://pay.example.com', 'plain http'],
  ])('%s has a reason for people', (publicUrl, reason) => expect(passkeySiteOf(publicUrl)).toContain(reason))

  test.each([
    ['https://pay.example.com/payments', 'pay.example.com', 'https://pay.example.com'],
    ['http://localhost:4000', 'localhost', 'http://localhost:4000'],
  ])('%s is not such a place', (publicUrl, host, origin) => expect(passkeySiteOf(publicUrl)).toEqual({ host, origin }))

  it('the service says why, and a wallet still logs in', async () => {
    const reason = 'Passkeys need https, and the address of this service (PUBLIC_URL) is plain http.'
    const plain = await startMembersEdge({ passkeys: reason })
    const browser = plain.newBrowser()
    expect((await browser.graphql('{ loginMethods { passkeys passkeysFault } }')).body.data.loginMethods).toEqual({
      passkeys: false,
      passkeysFault: reason,
    })
    const answer = await browser.graphql('mutation { challengePasskey(purpose: log_in) }')
    expect(answer.body.errors[0]).toMatchObject({ message: reason, extensions: { code: 'passkeys_unavailable' } })
    await plain.logIn(await plain.business())
    await plain.close()
  })
})

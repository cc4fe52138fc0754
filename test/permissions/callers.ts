// Every kind of caller, as a column of the table.
import { KEY_SCOPES, ROLES } from '#core/accounts/permissions.ts'
import type { Reply, Sent, Subject, World } from './world.ts'
import { ORIGIN } from './world.ts'

export type Caller = {
  readonly name: string
  readonly headers: Readonly<Record<string, string>>
  /** What its requests are about. */
  readonly subject: Subject
  /** The seller that it acts for. */
  readonly onBehalfOf: string | null
  /** The secrets that it has: its requests contain them. */
  readonly secrets: Readonly<Record<'clientSecret' | 'checkoutToken' | 'portalToken' | 'link', string>>
  /** Its places in the streams of its own business. */
  readonly cursors: Readonly<Record<'events' | 'feed', string>>
  /** Proves again that a member is there; null for other callers. */
  readonly prove: (() => Promise<unknown>) | null
  /** May not reach what its requests are about. */
  readonly isStranger: boolean
}

const NO_SECRETS = {
  clientSecret: `cs_${'0'.repeat(43)}`,
  checkoutToken: `co_${'0'.repeat(43)}`,
  portalToken: `po_${'0'.repeat(43)}`,
  link: `li_${'0'.repeat(43)}`,
}

/** A marketplace with a seller. */
async function openMarketplace(world: World, name: string) {
  const account = await world.account(name)
  await world.operator('mutation ($id: UUID!) { approveMarketplace(accountId: $id) { status } }', { id: account.id })
  const feed = await world.data(account.key, '{ marketplacePaymentsCursor }')
  const made = { name: `seller-of-${name}`, sweep_destination: await world.newWallet() }
  const { id: sellerId } = await world.must(account.key, 'POST', '/marketplace/sellers', made)
  const ofSeller = { ...(await world.subjectOf(`seller-${name}`, account, sellerId)), sellerId }
  const own = { ...(await world.subjectOf(name, account)), sellerId, sellerPaymentId: ofSeller.intentId }
  return {
    ...account,
    own,
    ofSeller: { ...ofSeller, sellerPaymentId: ofSeller.intentId },
    cursors: { events: own.eventCursor, feed },
  }
}
export type Marketplace = Awaited<ReturnType<typeof openMarketplace>>

/** A business with events. */
async function openBusiness(world: World, name: string, mode = 'live') {
  const account = await world.account(name, mode)
  return { ...account, cursors: { events: await world.eventCursorOf(account.key), feed: '' } }
}

/** The rows are about things of `mine` and its seller; `other` is another marketplace. */
export async function openCallers(world: World) {
  const [mine, other] = [await openMarketplace(world, 'amber'), await openMarketplace(world, 'birch')]
  const [business, ofTest] = [await openBusiness(world, 'coral'), await openBusiness(world, 'dune', 'test')]
  const keyOf = async (accountId: string, scopes?: readonly string[]) => {
    const query = `mutation ($accountId: UUID!, $scopes: [KeyScope!]) {
      createAccountKey(accountId: $accountId, scopes: $scopes) { key { id } apiKey } }`
    return await world.operator(query, { accountId, scopes: scopes?.map((scope) => scope.replace('-', '_')) })
  }
  const revoked = await keyOf(mine.id)
  await world.operator('mutation ($id: UUID!) { revokeAccountKey(id: $id) { id } }', { id: revoked.key.id })

  const caller = (name: string, headers: Caller['headers'], rest: Partial<Caller> = {}): Caller => ({
    name,
    headers,
    subject: mine.own,
    onBehalfOf: null,
    secrets: NO_SECRETS,
    cursors: mine.cursors,
    isStranger: false,
    prove: null,
    ...rest,
  })
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
  const cookie = (value: string) => ({ cookie: value, origin: ORIGIN })
  const stranger = { isStranger: true }
  const forSeller = { subject: mine.ofSeller, onBehalfOf: mine.own.sellerId }
  const ofOther = { ...stranger, cursors: other.cursors }
  const { clientSecret, checkoutToken, portalToken, link } = mine.own
  const theirs = other.own
  const callers: Caller[] = [
    caller('nothing', {}, stranger),
    caller('a key that was revoked', bearer(revoked.apiKey), stranger),
    caller('a session of an owner after 13 hours', cookie((await world.logInBefore(13, mine.id)).cookie), stranger),
    caller("the operator's token", bearer(world.operatorToken), stranger),
    caller('the client secret of the payment as a key', bearer(clientSecret), stranger),
    caller('a key of a business of test mode', bearer(ofTest.key), { ...stranger, cursors: ofTest.cursors }),
    caller('a key of another business', bearer(business.key), { ...stranger, cursors: business.cursors }),
    caller('a session of an owner of another business', cookie((await world.logIn(business.id, 'owner')).cookie), {
      ...stranger,
      cursors: business.cursors,
    }),
    caller('a key of another marketplace', bearer(other.key), ofOther),
    caller('a key of another marketplace that names the seller', bearer(other.key), { ...ofOther, ...forSeller }),
    caller(
      'the client secret of another payment',
      {},
      {
        ...stranger,
        secrets: { ...NO_SECRETS, clientSecret: theirs.clientSecret },
      },
    ),
    caller(
      'the tokens of other hosted pages',
      {},
      {
        ...stranger,
        secrets: {
          ...NO_SECRETS,
          checkoutToken: theirs.checkoutToken,
          portalToken: theirs.portalToken,
          link: theirs.link,
        },
      },
    ),
    caller('the client secret of the payment', {}, { secrets: { ...NO_SECRETS, clientSecret } }),
    caller('the tokens of hosted pages', {}, { secrets: { ...NO_SECRETS, checkoutToken, portalToken, link } }),
  ]
  for (const role of ROLES) {
    const { cookie: secret, prove } = await world.logIn(mine.id, role)
    callers.push(caller(`a session of the role ${role}`, cookie(secret), { prove }))
  }
  callers.push(
    caller('a session of an owner with an old proof', cookie((await world.logInBefore(0.1, mine.id)).cookie)),
  )
  callers.push(caller('a key', bearer(mine.key)))
  callers.push(caller('a key that names its seller', bearer(mine.key), forSeller))
  callers.push(caller('a key that does not name the seller', bearer(mine.key), { subject: mine.ofSeller }))
  for (const scope of KEY_SCOPES)
    callers.push(caller(`a key with ${scope} alone`, bearer((await keyOf(mine.id, [scope])).apiKey)))
  callers.push(...(await openDisabled()))
  return { callers, mine, other, business }

  /** A marketplace whose operator disables it when everything is there. */
  async function openDisabled(): Promise<readonly Caller[]> {
    const { id, key, own, cursors } = await openMarketplace(world, 'cedar')
    // A disabled account is refused a new proof, so a long run has none for it.
    const { cookie: secret } = await world.logIn(id, 'owner')
    await world.operator(
      'mutation ($id: UUID!) { disableAccount(id: $id, reason: "It is being looked into.") { id } }',
      {
        id,
      },
    )
    const its = { subject: own, cursors }
    const { clientSecret, checkoutToken, portalToken } = own
    return [
      caller('a key of a disabled business', bearer(key), its),
      caller('a session of an owner of a disabled business', cookie(secret), its),
      caller('the client secret of its payment', {}, { ...its, secrets: { ...NO_SECRETS, clientSecret } }),
      caller('the tokens of its hosted pages', {}, { ...its, secrets: { ...NO_SECRETS, checkoutToken, portalToken } }),
    ]
  }
}

/** Refusals that say who may ask, by their code. */
const LETTERS: Readonly<Record<string, string>> = {
  unauthenticated: '1',
  not_found: '4',
  invalid_client_secret: '1',
  forbidden: '3',
  permission_denied: '3',
  subscription_service_unavailable: 'u',
  session_required: 's',
  step_up_required: 'p',
  own_pages_only: 'w',
  marketplace_not_found: 'm',
  account_disabled: 'x',
}

export type Answered = {
  readonly sent: Sent
  readonly code: string | null
  readonly status: number
  readonly text: string
}

/** Returns the cell of an answer: its refusal, or `+` when it is about the subject, or `o`. */
export function cellOf({ code, status, text }: Answered, isAbout: boolean): string {
  if (status === 500 || code === 'internal_error' || code === 'rate_limited') throw new Error(text)
  if (code !== null) {
    const letter = LETTERS[code] ?? (code.endsWith('_not_found') ? '4' : undefined)
    if (letter !== undefined) return letter
  }
  return isAbout ? '+' : 'o'
}

export const codeOf = ({ status, headers, body }: Reply, field: string | null): string | null => {
  if (field === null || body?.data == null) {
    return body?.errors?.[0]?.extensions?.code ?? headers.get('error-code') ?? (status > 399 ? String(status) : null)
  }
  if (body.data[field] !== null) return null
  return body.errors?.[0]?.extensions.code ?? 'null_not_found'
}

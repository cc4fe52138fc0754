// One service with businesses that have a thing of each kind, so that each can be asked for what belongs to another.
import { type Address, generateKeyPairSigner } from '@solana/kit'
import { vi } from 'vitest'
import type { Role } from '#core/accounts/permissions.ts'
import { signTransactionOf } from '#sandbox/chain/payment.ts'
import { newPerson } from '../support/approves.ts'
import { newBrowser, tokenOf } from '../support/members-edge.ts'
import { answerWith, startReceiver } from '../support/receiver.ts'
import { type Json, startStory } from '../support/running-service.ts'
import { until } from '../support/until.ts'

export const ORIGIN = 'https://pay.example.com'
/** The host of success pages. Each business has it as a redirect domain. */
const HOST = 'shop.example.com'

export type Sent = {
  readonly method: string
  readonly path: string
  readonly body?: object | Uint8Array<ArrayBuffer>
  readonly headers?: Readonly<Record<string, string>>
}
export type Reply = { readonly status: number; readonly headers: Headers; readonly text: string; readonly body: Json }

/** What requests name of a business, or of the seller of a marketplace. */
export type Subject = Readonly<
  Record<keyof Awaited<ReturnType<World['subjectOf']>> | 'sellerId' | 'sellerPaymentId', string>
>
export type Business = { readonly id: string; readonly key: string; readonly subject: Subject }
export type World = Awaited<ReturnType<typeof openWorld>>

export async function openWorld() {
  const receiver = await startReceiver(answerWith(204))
  const story = await startStory({
    PUBLIC_URL: ORIGIN,
    PAYOUT_CHANGE_DELAY_HOURS: '1',
    SPONSOR_LAMPORTS_PER_DAY: '1000000000',
  })
  const url = story.facts.operator_url
  const [dollar] = story.facts.tokens

  async function ask({ method, path, body, headers = {} }: Sent): Promise<Reply> {
    const isImage = body instanceof Uint8Array
    const response = await fetch(url + path, {
      method,
      headers: { 'content-type': isImage ? 'image/png' : 'application/json', ...headers },
      ...(body !== undefined && { body: isImage ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.includes('json') === true
    return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : null }
  }
  /** Asks, and fails unless the request succeeds. */
  async function must(key: string, method: string, path: string, body?: object, onBehalfOf?: string): Promise<Json> {
    const seller = onBehalfOf && { 'x-platform-on-behalf-of': onBehalfOf }
    const reply = await ask({ method, path, body, headers: { authorization: `Bearer ${key}`, ...seller } })
    if (reply.status > 299) throw new Error(`${method} ${path}: ${reply.text}`)
    return reply.body
  }
  const graphql = (query: string, variables: object = {}, headers: Record<string, string> = {}) =>
    ask({ method: 'POST', path: '/graphql', body: { query, variables }, headers })
  /** Returns the first field of the data. */
  async function data(key: string, query: string, variables: object = {}, path = '/graphql'): Promise<Json> {
    const body = await must(key, 'POST', path, { query, variables })
    if (body.errors !== undefined) throw new Error(`${query}: ${JSON.stringify(body.errors)}`)
    return Object.values(body.data)[0]
  }
  const operator = (query: string, variables: object = {}) =>
    data(story.operatorToken, query, variables, '/operator/graphql')
  const newWallet = async (): Promise<Address> => (await generateKeyPairSigner()).address

  async function account(name: string, mode = 'live'): Promise<{ readonly id: string; readonly key: string }> {
    const input = { name, mode, sweepDestination: await newWallet(), webhookUrl: receiver.url }
    const made = await operator(
      `mutation ($input: CreateAccountInput!) { createAccount(input: $input) { account { id } apiKey } }`,
      { input },
    )
    return { id: made.account.id, key: made.apiKey }
  }

  /** Invites a person to a business. Returns the member, and the token of the link. */
  async function invite(accountId: string, role: Role, name: string) {
    const made = await operator(
      `mutation ($accountId: UUID!, $name: Line!, $role: MemberRole!) {
        inviteAccountMember(accountId: $accountId, name: $name, role: $role) { member { id } url } }`,
      { accountId, name, role },
    )
    return { memberId: made.member.id, link: tokenOf(made.url) }
  }
  /** Lets a new member log in. */
  async function logIn(accountId: string, role: Role, name: string = role) {
    const { memberId, link } = await invite(accountId, role, name)
    const browser = newBrowser(graphql, ORIGIN)
    const wallet = newPerson()
    const { body, text } = await browser.addWallet(wallet, link)
    if (body.data?.addWalletLogin == null) throw new Error(text)
    return {
      memberId,
      cookie: browser.cookie,
      prove: () => browser.prove(wallet),
      sessionId: body.data.addWalletLogin.me.session.id,
      loginId: await loginOf(accountId, memberId),
    }
  }
  /** Lets a new owner log in, hours ago. */
  async function logInBefore(hours: number, accountId: string) {
    vi.setSystemTime(Date.now() - hours * 3_600_000)
    try {
      return await logIn(accountId, 'owner')
    } finally {
      vi.useRealTimers()
    }
  }
  async function loginOf(accountId: string, memberId: string): Promise<string> {
    const members = await operator(
      'query ($accountId: UUID!) { accountMembers(accountId: $accountId) { id logins { id } } }',
      { accountId },
    )
    return members.find(({ id }: Json) => id === memberId).logins[0]?.id
  }

  /** Returns a place in the events of a business, and adds an event after it. */
  async function eventCursorOf(key: string): Promise<string> {
    const test = 'mutation ($id: String!) { testWebhookEndpoint(id: $id) { id } }'
    const { edges } = await data(key, '{ webhookEndpoints { edges { node { uuid } } } }')
    const id = edges[0].node.uuid
    await data(key, test, { id })
    const events = await data(key, '{ events { edges { cursor } } }')
    await data(key, test, { id })
    return events.edges[0].cursor
  }

  /** Completes a checkout with a new wallet. */
  async function subscribe(token: string) {
    const wallet = await generateKeyPairSigner()
    const input = { network: 'live', address: wallet.address, asset: dollar?.mint, amount: '500000000' }
    await operator('mutation ($input: FaucetInput!) { faucet(input: $input) { signature } }', { input })
    const { subscription_id: id, transaction } = await must('', 'POST', `/pay/s/${token}/prepare`, {
      wallet: wallet.address,
    })
    const signed = Buffer.from(await signTransactionOf(wallet, Buffer.from(transaction, 'base64'))).toString('base64')
    await must('', 'POST', `/pay/s/${token}/activate`, { subscription_id: id, transaction: signed })
    return { wallet: wallet.address, subscriptionId: id }
  }

  /** Makes a thing of each kind of a business, or of the seller that its marketplace names. */
  async function subjectOf(
    name: string,
    { id: accountId, key }: { readonly id: string; readonly key: string },
    onBehalfOf?: string,
  ) {
    const make = (path: string, body: object = {}) => must(key, 'POST', path, body, onBehalfOf)
    const payment = () =>
      make('/intents', {
        amount_usd_cents: 1_500,
        accepted_tokens: [{ kind: 'sol' }],
        reference: `order-of-${name}`,
        customer: { email: `${name}@example.com` },
      })
    const endpoint = await must(key, 'POST', '/webhook-endpoints', {
      url: receiver.url,
      description: `endpoint-of-${name}`,
    })
    const intent = await payment()
    const delivery = await must(key, 'POST', `/webhook-endpoints/${endpoint.id}/test`)
    const product = await make('/subscription-products', { name: `product-of-${name}` })
    const tier = () =>
      make(`/subscription-products/${product.id}/tiers`, {
        name: `tier-of-${name}`,
        price_usd_cents: 500,
        interval: 'month',
      })
    const { id: tierId } = await tier()
    const { id: otherTierId } = await tier()
    const coupon = await make('/subscription-coupons', { code: `code-of-${name}`, percent_off: 10 })
    const domain = await make('/subscription-domains', { host: HOST })
    const checkout = () => make('/subscription-intents', { tier_id: tierId })
    const used = await checkout()
    const open = await checkout()
    const { wallet, subscriptionId } = await subscribe(used.checkout_token)
    const charges = () => must(key, 'GET', `/subscriptions/${subscriptionId}/charges`, undefined, onBehalfOf)
    await until(async () => (await charges()).charges[0]?.status === 'succeeded')
    const chargeId = (await charges()).charges[0].id
    const refund = await make('/refunds', { charge: chargeId, amount: 1 })
    const prepared = await must('', 'POST', `/pay/s/${open.checkout_token}/prepare`, { wallet })
    const link = await make(`/subscriptions/${subscriptionId}/portal-link`)
    const keys = await data(
      story.operatorToken,
      'query ($accountId: UUID!) { keys(accountId: $accountId) { id } }',
      { accountId },
      '/operator/graphql',
    )
    const member = await logIn(accountId, 'viewer', `member-of-${name}`)
    const { link: loginLink } = await invite(accountId, 'viewer', `guest-of-${name}`)
    return {
      accountId,
      intentId: intent.id,
      index: String(intent.derivation_index),
      reference: `order-of-${name}`,
      address: intent.address,
      clientSecret: intent.client_secret,
      endpointId: endpoint.id,
      deliveryId: delivery.delivery.id,
      eventId: (await data(key, '{ events { edges { node { id } } } }')).edges[0].node.id,
      eventCursor: await eventCursorOf(key),
      productId: product.id,
      tierId,
      otherTierId,
      couponId: coupon.id,
      domainId: domain.id,
      checkoutId: open.id,
      checkoutToken: open.checkout_token,
      subscriptionId,
      preparedId: prepared.subscription_id,
      wallet,
      chargeId,
      refundId: refund.id,
      portalToken: link.portal_url.split('/').at(-1),
      keyId: keys.at(-1).id,
      memberId: member.memberId,
      sessionId: member.sessionId,
      loginId: member.loginId,
      link: loginLink,
    }
  }

  return {
    ...story,
    url,
    ask,
    must,
    data,
    graphql,
    operator,
    newWallet,
    eventCursorOf,
    account,
    invite,
    logIn,
    logInBefore,
    subjectOf,
    close: async () => {
      await story.stop()
      await receiver.close()
    },
  }
}

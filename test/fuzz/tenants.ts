// Businesses with their own payments. Some texts of each are in no request, so that an answer to another business with
// such a text is noticed.
import { generateKeyPairSigner } from '@solana/kit'
import type { Dice } from '../simulator/dice.ts'
import { newPerson } from '../support/approves.ts'
import { newBrowser, tokenOf } from '../support/members-edge.ts'

export type Tenant = {
  readonly name: string
  readonly apiKey: string
  /** The cookie of a session of an owner. */
  readonly session: string
  /** Payments that requests name. */
  readonly payments: readonly Payment[]
  /** Payments of which requests name only the index. */
  readonly hidden: readonly Payment[]
  /** The ids of its webhook endpoint, a delivery, a product and a member, and the token of a login link. */
  readonly things: readonly string[]
  /** Texts that no request contains, and that only the business may see. */
  readonly secrets: readonly string[]
}

export type Payment = {
  readonly index: number
  readonly uuid: string
  readonly address: string
  readonly reference: string
  readonly clientSecret: string
}

type Ask = (method: 'GET' | 'POST', path: string, bearer: string | null, body?: object) => Promise<Json>
// biome-ignore lint/suspicious/noExplicitAny: reads an answer by names, as an integrator would.
type Json = any

const SHOWN = 5
const HIDDEN = 3

/** `origin` is that of its pages. */
type Service = { readonly origin: string; readonly ask: Ask }

export async function openTenants(
  service: Service,
  operatorToken: string,
  mints: readonly string[],
): Promise<readonly Tenant[]> {
  const tenants: Tenant[] = []
  for (const name of ['amber', 'birch', 'coral']) tenants.push(await openTenant(service, operatorToken, name, mints))
  return tenants
}

async function openTenant(
  service: Service,
  operatorToken: string,
  name: string,
  mints: readonly string[],
): Promise<Tenant> {
  const { ask } = service
  const mark = `secret-of-${name}`
  const document = 'mutation($input: CreateAccountInput!) { createAccount(input: $input) { account { id } apiKey } }'
  const { address: sweepDestination } = await generateKeyPairSigner()
  const input = { name: `Shop of ${name}`, mode: 'live', sweepDestination }
  const { data } = await ask('POST', '/operator/graphql', operatorToken, { query: document, variables: { input } })
  const { account, apiKey } = data.createAccount
  const accepted = [{ kind: 'sol' }, ...mints.map((mint) => ({ kind: 'spl', mint }))]
  const make = async (number: number, text: string): Promise<Payment> => {
    const reference = `${text}-${number}`
    const made = await ask('POST', '/intents', apiKey, {
      amount_usd_cents: 1_500,
      accepted_tokens: accepted,
      reference,
      customer: { email: `${text}@example.com`, first_name: text },
    })
    const { derivation_index, id, address, client_secret } = made
    if (typeof id !== 'string') throw new Error(`no payment was made: ${JSON.stringify(made)}`)
    return { index: derivation_index, uuid: id, address, reference, clientSecret: client_secret }
  }
  const payments: Payment[] = []
  for (let number = 0; number < SHOWN; number += 1) payments.push(await make(number, `order-of-${name}`))
  const hidden: Payment[] = []
  for (let number = 0; number < HIDDEN; number += 1) hidden.push(await make(number, mark))
  const things = await openThings(ask, { operatorToken, apiKey, accountId: account.id, mark })
  const session = await openSession(service, operatorToken, account.id)
  const secrets = [mark, ...hidden.flatMap(({ uuid, address, clientSecret }) => [uuid, address, clientSecret])]
  return { name, apiKey, session, payments, hidden, things, secrets }
}

/** Lets an owner join by a wallet, as a browser does at the address of the service. */
async function openSession({ origin, ask }: Service, operatorToken: string, accountId: string): Promise<string> {
  const query = `mutation ($id: UUID!) { inviteAccountMember(accountId: $id, name: "Owner", role: owner) { url } }`
  const { data } = await ask('POST', '/operator/graphql', operatorToken, { query, variables: { id: accountId } })
  const browser = newBrowser(async (query, variables, headers) => {
    const response = await fetch(`${origin}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ query, variables }),
    })
    const text = await response.text()
    return { status: response.status, headers: response.headers, text, body: JSON.parse(text) }
  }, origin)
  await browser.addWallet(newPerson(), tokenOf(data.inviteAccountMember.url))
  if (browser.cookie === '') throw new Error('no session began')
  return browser.cookie
}

type Opening = Readonly<Record<'operatorToken' | 'apiKey' | 'accountId' | 'mark', string>>

async function openThings(ask: Ask, { operatorToken, apiKey, accountId, mark }: Opening): Promise<readonly string[]> {
  const url = 'https://shop.example.com/webhooks'
  const { id: endpoint } = await ask('POST', '/webhook-endpoints', apiKey, { url, description: mark })
  const { delivery } = await ask('POST', `/webhook-endpoints/${endpoint}/test`, apiKey)
  const { id: product } = await ask('POST', '/subscription-products', apiKey, { name: mark })
  const query = `mutation ($id: UUID!, $name: Line!) {
    inviteAccountMember(accountId: $id, name: $name, role: owner) { member { id } url } }`
  const variables = { id: accountId, name: mark }
  const { data } = await ask('POST', '/operator/graphql', operatorToken, { query, variables })
  const { member, url: link } = data.inviteAccountMember
  return [endpoint, delivery.id, product, member.id, link.split('#')[1]]
}

/**
 * Returns every identifier and secret of the tenants, for requests that use them with the credential of another tenant.
 */
export function knownTexts(tenants: readonly Tenant[], mints: readonly string[]): readonly string[] {
  const own = tenants.flatMap(({ apiKey, payments, things }) => [
    apiKey,
    ...things,
    ...payments.flatMap((one) => [one.uuid, one.address, one.reference, one.clientSecret, String(one.index)]),
  ])
  return [...own, ...mints]
}

export const anyPayment = (dice: Dice, tenants: readonly Tenant[]): Payment => dice.pick(dice.pick(tenants).payments)

/** Returns the id of a payment, or of another thing of a tenant. */
export const anyId = (dice: Dice, tenants: readonly Tenant[]): string =>
  dice.chance(0.5) ? anyPayment(dice, tenants).uuid : dice.pick(dice.pick(tenants).things)

/** Returns the index of a payment that requests name, or of a hidden payment. */
export function anyIndex(dice: Dice, tenants: readonly Tenant[]): number {
  const { payments, hidden } = dice.pick(tenants)
  return dice.pick([...payments, ...hidden]).index
}

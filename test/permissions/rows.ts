// Every route, field and stream, as a row of the table: a good request about the subject of a caller.
import { hash } from 'node:crypto'
import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isInterfaceType,
  isLeafType,
  isNonNullType,
  isObjectType,
  isRequiredArgument,
} from 'graphql'
import { operatorSchema } from '#graphql/operator/schema.ts'
import { schema } from '#graphql/schema.ts'
import type { Endpoint } from '#http/endpoint.ts'
import { ROUTES } from '#rest/routes.ts'
import { picture } from '../support/images.ts'
import { examples, readCurl } from '../support/rest-page.ts'
import type { Caller } from './callers.ts'
import type { Sent, Subject } from './world.ts'

export type Row = {
  readonly section: string
  readonly name: string
  /** The field of the data that has the answer; null in REST. */
  readonly field: string | null
  readonly over: 'http' | 'websocket' | 'events'
  request(caller: Caller, subject: Subject): Sent
}

const DAY_MS = 86_400_000
const near = (days: number): string => new Date(Date.now() + days * DAY_MS).toISOString()
const YESTERDAY = near(-1)
const TOMORROW = near(1)
const SOME_WALLET = '7RXtDPWyeUhJpUg9Cnw1Nuhn1kRtWTLXQuZGAMk9wQCV'
const NO_ID = '00000000-0000-0000-0000-000000000000'

/** An active coupon of the same code would refuse the next one. A code says nothing of the subject. */
const newCode = (edge: string, { name }: Caller): string => `${edge}-${hash('sha256', name).slice(0, 20)}`

/** What requests contain, by the name of the argument, the field or the parameter. `row` is the field or the route. */
const VALUES: Readonly<Record<string, (caller: Caller, subject: Subject, row: string) => unknown>> = {
  index: (_caller, { index }) => Number(index),
  reference: (_caller, { reference }) => reference,
  clientSecret: ({ secrets }) => secrets.clientSecret,
  link: ({ secrets }) => (secrets.link.startsWith('li_0') ? null : secrets.link),
  token: ({ secrets }, _subject, row) =>
    row === 'loginLink' ? secrets.link : /checkout|\/s\//i.test(row) ? secrets.checkoutToken : secrets.portalToken,
  onBehalfOf: ({ onBehalfOf }) => onBehalfOf,
  // Who has a wallet is public: only the delegation of a wallet is a thing of a business.
  wallet: (_caller, { wallet }, row) => (/delegation/i.test(row) ? wallet : SOME_WALLET),
  // An address that a buyer proposes is no thing of a business either.
  address: (_caller, _subject, row) => (/refundAddress/i.test(row) ? SOME_WALLET : undefined),
  productId: (_caller, { productId }) => productId,
  tierId: (_caller, { tierId, otherTierId }, row) => (/change|PATCH/i.test(row) ? otherTierId : tierId),
  // A filter of one's own events: those of a foreign subscription are none.
  subscriptionId: (_caller, { preparedId }, row) => (row === 'events' ? undefined : preparedId),
  endpointId: (_caller, { endpointId }) => endpointId,
  memberId: (_caller, { memberId }) => memberId,
  accountId: (_caller, { accountId }) => accountId,
  intent: (_caller, { intentId }) => intentId,
  charge: (_caller, { chargeId }) => chargeId,
  chargeId: (_caller, { chargeId }) => chargeId,
  after: ({ cursors }, _subject, row) =>
    row === 'eventAdded' ? cursors.events : row === 'marketplacePaymentsUpdated' ? cursors.feed : null,
  from: () => YESTERDAY,
  since: () => YESTERDAY,
  to: () => TOMORROW,
  asset: () => 'SOL',
  code: (caller, _subject, row) => (row === 'POST /subscription-coupons' ? newCode('R', caller) : undefined),
  approvalId: () => NO_ID,
  transaction: () => 'AA==',
  answer: () => ({}),
  details: () => ({ firstName: 'Ada' }),
  custodians: () => [],
  purpose: () => 'add_login',
  // A repeat creates nothing, so that the limits of a business are not reached. A repeated key needs the scopes of the first.
  idempotencyKey: ({ onBehalfOf, subject, name }, _subject, row) =>
    `${row} ${onBehalfOf === null} ${subject.index} ${/api-?key/i.test(row) ? name : ''}`.replace(/\W+/g, '-'),
}

/** Which thing of the subject the id of a route or a field names. */
const IDS: Readonly<Record<string, keyof Subject>> = {
  '/payments': 'intentId',
  '/refunds': 'refundId',
  '/events': 'eventId',
  '/webhook-endpoints': 'endpointId',
  '/webhook-deliveries': 'deliveryId',
  '/api-keys': 'keyId',
  '/marketplace/sellers': 'sellerId',
  '/marketplace/payments': 'sellerPaymentId',
  '/subscription-products': 'productId',
  '/subscription-tiers': 'tierId',
  '/subscription-coupons': 'couponId',
  '/subscription-domains': 'domainId',
  '/subscription-intents': 'checkoutId',
  '/subscriptions': 'subscriptionId',
  PaymentIntent: 'intentId',
  refund: 'refundId',
  paymentIntentById: 'intentId',
  RefundAddress: 'intentId',
  marketplacePayment: 'sellerPaymentId',
  event: 'eventId',
  Seller: 'sellerId',
  WebhookEndpoint: 'endpointId',
  testWebhook: 'accountId',
  Delivery: 'deliveryId',
  redeliver: 'deliveryId',
  ApiKey: 'keyId',
  AccountKey: 'keyId',
  AccountMember: 'memberId',
  Session: 'sessionId',
  Login: 'loginId',
  Member: 'memberId',
  RedirectDomain: 'domainId',
  SubscriptionIntent: 'checkoutId',
  SubscriptionProduct: 'productId',
  SubscriptionTier: 'tierId',
  SubscriptionCoupon: 'couponId',
  SubscriptionCharges: 'subscriptionId',
  Charge: 'chargeId',
  BillingSubscription: 'subscriptionId',
  createPortalLink: 'subscriptionId',
  subscription: 'subscriptionId',
  account: 'accountId',
  updateAccount: 'accountId',
  setBrand: 'accountId',
}
/** The operator asks for these by an id that nothing has: there are none. */
const WITHOUT_SUBJECT = new Set(['clearHalt', 'retryTransfer'])

/** Returns the id that a route, a field or a node asks for: the longest name of `IDS` in it. */
function idOf(row: string, subject: Subject): string {
  if (WITHOUT_SUBJECT.has(row)) return NO_ID
  const names = Object.keys(IDS).filter((name) => row.toLowerCase().includes(name.toLowerCase()))
  const [longest] = names.sort((a, b) => b.length - a.length)
  if (longest === undefined) throw new Error(`what has the id in ${row}? Add it to IDS`)
  return subject[IDS[longest] as keyof Subject]
}

const SOLD = { website: 'https://shop.example.com', sells: 'Beans', expectedVolume: 'A few bags' }
const INPUTS: Readonly<Record<string, (caller: Caller, subject: Subject) => object>> = {
  createPaymentIntent: ({ onBehalfOf }) => ({
    onBehalfOf,
    acceptedAssets: ['SOL'],
    amountUsdCents: 1_500,
    customer: { email: 'a@example.com' },
  }),
  createRefund: (_caller, { chargeId }) => ({ chargeId, amount: '1' }),
  createSeller: () => ({ name: 'New', externalId: 'new' }),
  createSubscriptionCoupon: (caller) => ({ code: newCode('G', caller), percentOff: 10 }),
  createSubscriptionIntent: (_caller, { tierId }) => ({ tierId }),
  createSubscriptionProduct: () => ({ name: 'New' }),
  createSubscriptionTier: () => ({ name: 'New', priceUsdCents: 500, interval: 'month' }),
  createWebhookEndpoint: () => ({ url: 'https://shop.example.com/hooks' }),
  applyForMarketplace: () => SOLD,
  updateBusiness: () => ({ label: 'Amber' }),
  updateMarketplace: () => ({ defaultFeeBps: 0 }),
  updateSeller: () => ({ label: 'Amber' }),
  updateSubscriptionProduct: () => ({ name: 'Amber' }),
  updateSubscriptionTier: () => ({ name: 'Amber' }),
  updateWebhookEndpoint: () => ({ description: 'Amber' }),
  allowToken: () => ({ network: 'test', asset: 'SOL', name: 'Solana', ticker: 'SOL' }),
  createAccount: () => ({ mode: 'test', name: 'New' }),
  faucet: (_caller, { wallet }) => ({ network: 'live', address: wallet, asset: 'SOL', amount: '1000000' }),
  releaseHeld: (_caller, { intentId, wallet }) => ({ asset: 'SOL', intent: intentId, reason: 'Asked', to: wallet }),
  setBrand: () => ({ supportEmail: 'a@example.com' }),
  updateAccount: () => ({ label: 'Amber' }),
  correctSeller: () => ({ label: 'Amber' }),
}
/** Bodies other than those of the examples in src/rest/reference.md. */
const BODIES: Readonly<Record<string, object>> = {
  'POST /api-keys': { name: 'New' },
  // Tiers need a marketplace without a fee.
  'PATCH /marketplace': { default_fee_bps: 0 },
  'POST /refunds': { charge: NO_ID, amount: 1 },
  'POST /subscription-coupons': { code: 'NEW', percent_off: 10 },
  // No coupon is the coupon of every checkout here.
  'POST /pay/s/:token/coupon': { code: null },
  'PATCH /webhook-endpoints/:id': { description: 'Amber' },
  'PATCH /marketplace/sellers/:id': { label: 'Amber' },
  'POST /intents': {
    amount_usd_cents: 1_500,
    accepted_tokens: [{ kind: 'sol' }],
    customer: { email: 'a@example.com' },
  },
}

const camel = (name: string): string => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())

const IMAGE = Uint8Array.from(await picture().png().toBuffer())

/** The parameters of a query that requests have. Others narrow a list. */
const QUERIED = new Set(['index', 'reference', 'client_secret', 'from', 'to'])

function restRow({ method, path, takes }: Endpoint): Row {
  const name = `${method} ${path}`
  const example = examples.find(({ title }) => title === name)
  if (example === undefined) throw new Error(`src/rest/reference.md has no example of ${name}`)
  const { body = '{}', path: shown } = readCurl(example.request)
  const given: object = takes === 'json' ? (BODIES[name] ?? JSON.parse(body)) : {}
  const asked = [...new URL(shown, 'http://localhost').searchParams.keys()].filter((field) => QUERIED.has(field))
  return {
    section: 'REST',
    name,
    field: null,
    over: 'http',
    request(caller, subject) {
      const fitting = (field: string) => VALUES[camel(field)]?.(caller, subject, name)
      const target = path.replace(/:(\w+)/g, (_, part: string) =>
        part === 'id' ? idOf(path, subject) : String(fitting(part)),
      )
      const query = asked.flatMap((field) => (fitting(field) === undefined ? [] : [`${field}=${fitting(field)}`]))
      const { onBehalfOf } = caller
      return {
        method,
        path: query.length === 0 ? target : `${target}?${query.join('&')}`,
        headers: {
          ...(onBehalfOf !== null && { 'x-platform-on-behalf-of': onBehalfOf }),
          ...(method === 'POST' && { 'idempotency-key': String(fitting('idempotencyKey')) }),
        },
        ...(takes === 'image' && { body: IMAGE }),
        ...(takes === 'json' && {
          body: Object.fromEntries(Object.entries(given).map(([field, value]) => [field, fitting(field) ?? value])),
        }),
      }
    },
  }
}

type Field = GraphQLField<unknown, unknown>
type Kind = 'query' | 'mutation' | 'subscription'

/** Returns the value of an argument; undefined leaves it out. */
function argument(
  { name, type }: GraphQLArgument,
  isRequired: boolean,
  row: string,
  caller: Caller,
  subject: Subject,
): unknown {
  if (name === 'id') return idOf(row, subject)
  if (name === 'input') return INPUTS[row]?.(caller, subject)
  const value = VALUES[name]?.(caller, subject, row)
  if (value !== undefined || !isRequired) return value
  const named = getNamedType(type)
  if (isEnumType(named)) return named.name === 'Network' ? 'test' : named.getValues()[0]?.name
  const usual: Readonly<Record<string, unknown>> = {
    Int: 1,
    Line: 'New',
    Text: 'New',
    FormText: 'New',
    SolanaAddress: subject.wallet,
    String: 'new.example.com',
  }
  return usual[named.name]
}

/** The fields of a type that can be selected without arguments; those of a change without pages, which have rules of their own. */
const fieldsOf = (type: GraphQLNamedType, isChange: boolean): readonly Field[] =>
  isObjectType(type) || isInterfaceType(type)
    ? Object.values(type.getFields()).filter(({ args }) => !args.some((one) => isChange || isRequiredArgument(one)))
    : []

/** Selects the leaves of a type, to a depth. */
function selection(type: GraphQLNamedType, isChange: boolean, depth: number): string {
  const inner = fieldsOf(type, isChange).flatMap((field) => {
    const named = getNamedType(field.type)
    if (isLeafType(named)) return [field.name]
    return depth > 0 ? [`${field.name} ${selection(named, isChange, depth - 1)}`] : []
  })
  return isLeafType(type) ? '' : `{ __typename ${inner.join(' ')} }`
}

const MOST_TOKENS = 400
function selected(type: GraphQLNamedType, kind: Kind): string {
  const texts = [2, 1].map((depth) => selection(type, kind === 'mutation', depth))
  return texts.find((text) => text.split(' ').length < MOST_TOKENS) ?? selection(type, kind === 'mutation', 0)
}

function graphqlRow(path: string, kind: Kind, field: Field, over: Row['over'], node?: string): Row {
  const { name } = field
  const sections = { query: 'queries', mutation: 'mutations', subscription: 'streams' }
  const [, first = ''] = path.split('/')
  const declared = field.args.map((one) => `$${one.name}: ${one.type}`)
  const given = field.args.map((one) => `${one.name}: $${one.name}`)
  const nodeType = node === undefined ? undefined : schema.getType(node)
  const fields =
    nodeType === undefined
      ? selected(getNamedType(field.type), kind)
      : `{ ... on ${node} ${selection(nodeType, false, 0)} }`
  const query =
    field.args.length === 0
      ? `${kind} { ${name} ${fields} }`
      : `${kind} (${declared.join(', ')}) { ${name}(${given.join(', ')}) ${fields} }`
  return {
    section: `${first === 'operator' ? 'Operator' : 'GraphQL'} ${sections[kind]}`,
    name: [name, node, over === 'http' ? undefined : `by ${over}`].filter(Boolean).join(' '),
    field: name,
    over,
    request(caller, subject) {
      const variables = Object.fromEntries(
        field.args.map((one) => [one.name, argument(one, isNonNullType(one.type), node ?? name, caller, subject)]),
      )
      if (node !== undefined) variables.id = Buffer.from(`${node}:${variables.id}`).toString('base64')
      return { method: 'POST', path, body: { query, variables } }
    },
  }
}

function graphqlRows(path: string, of: GraphQLSchema): readonly Row[] {
  const rows = (kind: Kind, type: GraphQLNamedType | null | undefined, over: Row['over'] = 'http') =>
    Object.values(isObjectType(type) ? type.getFields() : {})
      .flatMap((field) =>
        field.name === 'node'
          ? nodeTypes(of).map((node) => graphqlRow(path, kind, field, over, node))
          : [graphqlRow(path, kind, field, over)],
      )
      .toSorted((a, b) => (a.name < b.name ? -1 : 1))
  return [
    ...rows('query', of.getQueryType()),
    ...rows('mutation', of.getMutationType()),
    ...rows('subscription', of.getSubscriptionType(), 'websocket'),
    ...rows('subscription', of.getSubscriptionType(), 'events'),
  ]
}

const nodeTypes = (of: GraphQLSchema): readonly string[] => {
  const node = of.getType('Node')
  return isInterfaceType(node) ? of.getPossibleTypes(node).map(({ name }) => name) : []
}

/** Routes that no list of endpoints has. */
const OTHERS = [
  ['GET', '/metrics'],
  ['PUT', '/operator/tokens/test/SOL/image'],
  ['DELETE', '/operator/tokens/test/SOL/image'],
].map(
  ([method = '', path = '']): Row => ({
    section: 'REST',
    name: `${method} ${path}`,
    field: null,
    over: 'http',
    request: () => ({ method, path, ...(method === 'PUT' && { body: IMAGE }) }),
  }),
)

export const ROWS: readonly Row[] = [
  ...ROUTES.map(restRow),
  ...OTHERS,
  ...graphqlRows('/graphql', schema),
  ...graphqlRows('/operator/graphql', operatorSchema),
]

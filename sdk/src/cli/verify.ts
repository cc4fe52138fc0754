// `solana-payments verify`: checks a receipt without trusting the service that shows it.
import { createPublicKey, type JsonWebKey, verify as verifySignature } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { withLongIntegers } from '../exact-json.ts'
import { checkReceipt } from '../generated/receipts/check.ts'
import {
  type ChargeReceipt,
  type PaymentReceipt,
  type Receipt,
  type RefundReceipt,
  readReceipt,
} from '../generated/receipts/shape.ts'
import { CommandError, type Given, MISUSE, text } from './context.ts'
import type { Output } from './output.ts'
import {
  brokenOnChain,
  type LandedTransaction,
  type OnChain,
  signaturesIn,
  uncheckedIn,
  unknownIn,
} from './receipt-on-chain.ts'

/** What a JWS of a receipt calls itself: another kind of JWS by the same issuer is no receipt. */
const TYPE = 'solana-payments-receipt'

/** Throws CommandError with the exit code 1 for a receipt that is not good, and with 2 where it cannot be checked. */
export async function verify({ values, positionals, output, signal }: Given): Promise<void> {
  const [file = ''] = positionals
  const signed = partsOf((await readText(file)).trim())
  const issuer = text(values, 'issuer')
  const receipt = receiptIn(signed.payload)
  if (issuer !== undefined && issuer.replace(/\/$/, '') !== receipt.iss)
    throw bad([`It is issued by ${receipt.iss}, not by ${issuer}.`])
  const keys = text(values, 'jwks')
  requireSignature(signed, keys === undefined ? await keysOf(receipt.iss, signal) : await readText(keys))
  requireNone(sumsBroken(receipt))
  const rpc = text(values, 'rpc')
  if (rpc !== undefined) await requireOnChain(rpc, receipt, signal)
  const unchecked = rpc === undefined ? [] : uncheckedIn(receipt)
  if (output.isJson) console.log(JSON.stringify(rpc === undefined ? receipt : { ...receipt, unchecked }))
  else show(receipt, output)
  output.say('')
  output.say(`The signature is of ${receipt.iss}, and the sums hold.`)
  if (receipt.network === 'test') output.say('It is of a test network: no real money has moved.')
  output.say(
    rpc === undefined
      ? 'The chain was not asked: --rpc URL compares each transaction.'
      : `The chain confirms all ${signaturesIn(receipt).length} transactions that are listed.`,
  )
  if (rpc !== undefined && receipt.kind === 'refund')
    output.say('Each transfer is compared with this refund alone: another refund may name the same transfer.')
  for (const { list, mint, amount, count } of unchecked)
    console.error(
      `Not checked: ${count} more ${list}, ${amount} base units of ${assetOf(mint)} together, are not listed.`,
    )
}

const bad = (reasons: readonly string[]): CommandError =>
  new CommandError(['The receipt is not good.', ...reasons].join('\n'))

function requireNone(reasons: readonly string[]): void {
  if (reasons.length > 0) throw bad(reasons)
}

const readText = (path: string): Promise<string> =>
  readFile(path, 'utf8').catch(() => {
    throw new CommandError(`${path} cannot be read.`, MISUSE)
  })

async function fetched(url: string, options: RequestInit): Promise<string> {
  try {
    const answer = await fetch(url, options)
    if (answer.ok) return await answer.text()
    throw new CommandError(`${url} answered ${answer.status}.`, MISUSE)
  } catch (error) {
    if (error instanceof CommandError) throw error
    throw new CommandError(`${url} does not answer.`, MISUSE)
  }
}

type Signed = {
  readonly header: { readonly alg?: unknown; readonly kid?: unknown; readonly typ?: unknown }
  readonly payload: unknown
  /** What the signature is of. */
  readonly input: string
  readonly signature: Buffer
}

function partsOf(jws: string): Signed {
  const [, header = '', payload = '', signature = ''] = /^([\w-]+)\.([\w-]+)\.([\w-]+)$/.exec(jws) ?? []
  try {
    return {
      header: Object(jsonOf(header)),
      payload: jsonOf(payload),
      input: `${header}.${payload}`,
      signature: decoded(signature),
    }
  } catch {
    throw bad(['It is no compact JWS.'])
  }
}

/**
 * Returns the JSON of a part, without characters that a terminal obeys. Throws for JSON that the service does not write, such as with a
 * name twice: readers do not agree what it says.
 */
function jsonOf(part: string): unknown {
  const json = decoded(part).toString()
  if (JSON.stringify(JSON.parse(json)) !== json) throw new Error('not as JSON.stringify writes it')
  return JSON.parse(json, (_name, value) => (typeof value === 'string' ? value.replace(OBEYED, '?') : value))
}

/** Control characters, and those that change the direction of a text. */
const OBEYED = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu

function decoded(part: string): Buffer {
  const bytes = Buffer.from(part, 'base64url')
  if (bytes.toString('base64url') !== part) throw new Error('no canonical base64url')
  return bytes
}

function receiptIn(payload: unknown): Receipt {
  try {
    return readReceipt(payload)
  } catch (error) {
    throw bad([`This version reads no such receipt: ${messageOf(error)}.`])
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/

/** Returns the keys that an issuer publishes. Any other address than the plain one of a site could show other keys than its site. */
async function keysOf(iss: string, signal: AbortSignal): Promise<string> {
  const url = URL.parse(iss)
  const isPlain = url !== null && url.href.replace(/\/$/, '') === iss && url.href === `${url.origin}${url.pathname}`
  if (!isPlain || !['https:', 'http:'].includes(url.protocol)) throw bad([`${iss} is not the address of an issuer.`])
  if (url.protocol === 'http:' && !LOOPBACK.test(url.hostname))
    throw new CommandError(
      `${iss} does not encrypt: anyone on the way can give other keys. Pass them with --jwks.`,
      MISUSE,
    )
  return await fetched(`${iss}/.well-known/jwks.json`, { signal, redirect: 'error' })
}

function requireSignature({ header, input, signature }: Signed, set: string): void {
  const names = Object.keys(header).sort().join(' ')
  if (names !== 'alg kid typ' || header.alg !== 'EdDSA' || header.typ !== TYPE)
    throw bad([`It is no JWS of type ${TYPE} by EdDSA.`])
  const keys = keysIn(set).filter(({ kid }) => kid === header.kid)
  if (keys.length === 0)
    throw new CommandError(
      `The receipt could not be checked: the key ${String(header.kid)} is not among those of the issuer. Fetch them again: kept ones may be older.`,
      MISUSE,
    )
  if (!keys.some((key) => isSignedBy(key, input, signature))) throw bad(['The signature is wrong.'])
}

function isSignedBy(key: JsonWebKey, input: string, signature: Buffer): boolean {
  try {
    return verifySignature(null, Buffer.from(input), createPublicKey({ key, format: 'jwk' }), signature)
  } catch {
    throw new CommandError('A key of the issuer cannot be read.', MISUSE)
  }
}

function keysIn(set: string): readonly (JsonWebKey & { readonly kid?: unknown })[] {
  try {
    const { keys } = JSON.parse(set)
    if (Array.isArray(keys)) return keys.filter((key) => key?.kty === 'OKP' && key?.crv === 'Ed25519')
  } catch {}
  throw new CommandError('The keys are no JSON Web Key Set.', MISUSE)
}

function sumsBroken(receipt: Receipt): readonly string[] {
  try {
    return checkReceipt(receipt)
  } catch (error) {
    return [`The sums cannot be made: ${messageOf(error)}.`]
  }
}

/** Throws CommandError: what the chain denies is bad, and what the provider does not know is not checked. */
async function requireOnChain(url: string, receipt: Receipt, signal: AbortSignal): Promise<void> {
  try {
    const transactions = await read(url, receipt, signal)
    requireNone(brokenOnChain(receipt, transactions))
    const unknown = unknownIn(receipt, transactions)
    if (unknown.length > 0)
      throw new CommandError(
        [
          'The receipt could not be checked: a provider that keeps the whole history is needed, and transactions that are final.',
          ...unknown.map((signature) => `The transaction ${signature} is unknown to this provider.`),
        ].join('\n'),
        MISUSE,
      )
  } catch (error) {
    if (error instanceof CommandError) throw error
    throw new CommandError(`What ${url} answers cannot be read: ${messageOf(error)}`, MISUSE)
  }
}

async function read(url: string, receipt: Receipt, signal: AbortSignal): Promise<OnChain> {
  const call = async (method: string, params: readonly unknown[]) => {
    const answer = await fetched(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      signal,
    })
    const { result, error } = JSON.parse(withLongIntegers(answer, (digits) => `"${digits}"`))
    if (error) throw new CommandError(`${url} refused ${method}: ${error.message}`, MISUSE)
    return result
  }
  const chain = await call('getGenesisHash', [])
  if (chain !== receipt.genesis_hash)
    throw new CommandError(
      `The provider is of another chain: ${chain}. The receipt is of ${receipt.genesis_hash}: pass a provider of that one.`,
      MISUSE,
    )
  const transactions = new Map<string, LandedTransaction | null>()
  const asked = { commitment: 'finalized', encoding: 'json', maxSupportedTransactionVersion: 0 }
  for (const signature of signaturesIn(receipt))
    transactions.set(signature, await call('getTransaction', [signature, asked]))
  return transactions
}

function show(receipt: Receipt, output: Output): void {
  const { kind, id, iss, as_of, network, genesis_hash, business, seller } = receipt
  const facts = {
    [kind]: id,
    issuer: iss,
    as_of,
    business: partyOf(business),
    ...(seller && { seller: partyOf(seller) }),
    network: `${network}, chain ${genesis_hash}`,
  }
  if (receipt.kind === 'refund') showRefund(receipt, facts, output)
  else showSettled(receipt, facts, output)
}

const partyOf = ({ id, name }: Receipt['business']): string => (name === null ? id : `${name} (${id})`)

function showRefund(receipt: RefundReceipt, common: object, output: Output): void {
  const { order, mint, decimals, amount, paid_amount, recipient, transactions, other_transactions } = receipt
  const asset = assetOf(mint)
  const facts = {
    ...common,
    ...(order.payment_id === null ? { of_charge: order.charge_id } : { of_payment: order.payment_id }),
    reference: order.reference,
    ...(order.part === 'marketplace' && { paid_for: 'the part of the marketplace' }),
    recipient,
    amount: `${whole(amount, decimals)} ${asset}`,
    paid: `${whole(paid_amount, decimals)} ${asset}`,
  }
  output.show(facts, Object.keys(facts))
  output.say('')
  output.table(
    transactions.map((one) => ({ ...one, amount: whole(one.amount, decimals), asset, wallet: one.paid_by })),
    ['amount', 'asset', 'wallet', 'signature'],
  )
  for (const one of other_transactions)
    output.say(`${one.count} more, ${whole(one.amount, decimals)} ${asset} together, are not listed.`)
}

function showSettled(receipt: PaymentReceipt | ChargeReceipt, common: object, output: Output): void {
  const { order, quote, settlement, totals } = receipt
  const what =
    'reference' in order
      ? { reference: order.reference }
      : { subscription: order.subscription_id, period: order.period_index }
  const facts = {
    ...common,
    ...what,
    price: `${order.price_usd} USD`,
    quoted: `${whole(quote.amount, quote.decimals)} ${assetOf(quote.mint)}${quote.usd === null ? '' : ` at ${quote.usd} USD`}`,
    ...Object.fromEntries(quote.sources.map(({ name, usd, at }) => [`rate of ${name}`, `${usd} USD, ${at}`])),
    settled: whole(settlement.destination_amount, quote.decimals),
  }
  output.show(facts, Object.keys(facts))
  const amountOf = ({ amount, mint }: { amount: string; mint: string | null }) =>
    mint === quote.mint ? whole(amount, quote.decimals) : `${amount} base units`
  const rows = [
    ...(receipt.kind === 'payment'
      ? receipt.deposits.map((one) => ({ ...one, what: `received, ${one.use}`, wallet: one.senders.join(' ') }))
      : []),
    ...settlement.legs.map((one) => ({ ...one, what: `paid, ${one.role}`, wallet: one.destination })),
    ...(receipt.kind === 'payment'
      ? receipt.returned.map((one) => ({ ...one, what: `returned, ${one.role}`, wallet: one.destination }))
      : []),
  ]
  output.say('')
  output.table(
    rows.map((one) => ({ ...one, amount: amountOf(one), asset: assetOf(one.mint) })),
    ['what', 'amount', 'asset', 'wallet', 'signature'],
  )
  if (receipt.kind === 'payment')
    for (const [name, others] of [
      ['received', receipt.other_deposits],
      ['returned', receipt.other_returned],
    ] as const)
      for (const one of others)
        output.say(`${one.count} more ${name}, ${amountOf(one)} ${assetOf(one.mint)} together, are not listed.`)
  output.say('')
  const isWhole = (mint: string | null) => mint === quote.mint
  output.table(
    totals.map(({ mint, ...sums }) => ({
      asset: assetOf(mint),
      ...Object.fromEntries(
        Object.entries(sums).map(([name, amount]) => [name, isWhole(mint) ? whole(amount, quote.decimals) : amount]),
      ),
    })),
    ['asset', 'received', 'settled', 'returned', 'remaining'],
  )
}

const assetOf = (mint: string | null): string => mint ?? 'SOL'

/** Returns base units in whole units, as a plain decimal. */
function whole(amount: string, decimals: number): string {
  const digits = amount.padStart(decimals + 1, '0')
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '')
  const units = digits.slice(0, digits.length - decimals)
  return decimals === 0 || fraction === '' ? units : `${units}.${fraction}`
}

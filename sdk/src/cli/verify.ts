// `solana-payments verify`: checks a receipt without trusting the service that shows it.
import { createPublicKey, type JsonWebKey, verify as verifySignature } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { withLongIntegers } from '../exact-json.ts'
import { checkReceipt, type Receipt } from '../generated/receipt.ts'
import { CommandError, type Given, MISUSE, text } from './context.ts'
import type { Output } from './output.ts'
import { brokenOnChain, type OnChain, signaturesIn } from './receipt-on-chain.ts'

/** What a JWS of a receipt calls itself: another kind of JWS by the same issuer is no receipt. */
const TYPE = 'solana-payments-receipt'

/** Throws CommandError with the exit code 1 for a receipt that is not good, and with 2 where it cannot be checked. */
export async function verify({ values, positionals, output, signal }: Given): Promise<void> {
  const [file = ''] = positionals
  const signed = partsOf((await readText(file)).trim())
  const { receipt } = signed
  const issuer = text(values, 'issuer')
  if (issuer !== undefined && issuer.replace(/\/$/, '') !== receipt.iss)
    throw bad([`It is issued by ${receipt.iss}, not by ${issuer}.`])
  const keys = text(values, 'jwks')
  requireSignature(
    signed,
    keys === undefined ? await fetched(`${receipt.iss}/.well-known/jwks.json`, { signal }) : await readText(keys),
  )
  requireNone(rulesBroken(receipt))
  const rpc = text(values, 'rpc')
  if (rpc !== undefined) requireNone(brokenOnChain(receipt, await read(rpc, receipt, signal)))
  if (output.isJson) console.log(JSON.stringify(receipt))
  else show(receipt, output)
  output.say('')
  output.say(`The signature is of ${receipt.iss}, and the sums hold.`)
  output.say(
    rpc === undefined
      ? 'The chain was not asked: --rpc URL compares each transaction.'
      : `The chain confirms all ${signaturesIn(receipt).length} transactions that are listed.`,
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
  readonly receipt: Receipt
  /** What the signature is of. */
  readonly input: string
  readonly signature: Buffer
}

function partsOf(jws: string): Signed {
  const [, header = '', payload = '', signature = ''] = /^([\w-]+)\.([\w-]+)\.([\w-]+)$/.exec(jws) ?? []
  try {
    return {
      header: Object(JSON.parse(decoded(header).toString())),
      // A terminal obeys control characters, and no text of a receipt has them.
      receipt: Object(
        JSON.parse(decoded(payload).toString(), (_name, value) =>
          typeof value === 'string' ? value.replace(/\p{Cc}/gu, '?') : value,
        ),
      ),
      input: `${header}.${payload}`,
      signature: decoded(signature),
    }
  } catch {
    throw bad(['It is no compact JWS.'])
  }
}

const decoded = (part: string): Buffer => Buffer.from(part, 'base64url')

function requireSignature({ header, input, signature }: Signed, set: string): void {
  if (header.alg !== 'EdDSA' || header.typ !== TYPE) throw bad([`It is no JWS of type ${TYPE} by EdDSA.`])
  const keys = keysIn(set).filter(({ kid }) => kid === header.kid)
  if (keys.length === 0) throw bad([`The issuer has no key ${String(header.kid)}.`])
  const isGood = keys.some((key) =>
    verifySignature(null, Buffer.from(input), createPublicKey({ key, format: 'jwk' }), signature),
  )
  if (!isGood) throw bad(['The signature is wrong.'])
}

function keysIn(set: string): readonly (JsonWebKey & { readonly kid?: unknown })[] {
  try {
    const { keys } = JSON.parse(set)
    if (Array.isArray(keys)) return keys.filter((key) => key?.kty === 'OKP' && key?.crv === 'Ed25519')
  } catch {}
  throw new CommandError('The keys are no JSON Web Key Set.', MISUSE)
}

function rulesBroken(receipt: Receipt): readonly string[] {
  try {
    return checkReceipt(receipt)
  } catch (error) {
    return [`It is no receipt that this version can read: ${error instanceof Error ? error.message : String(error)}.`]
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
  const transactions: [string, OnChain['transactions'] extends ReadonlyMap<string, infer T> ? T : never][] = []
  const asked = { commitment: 'finalized', encoding: 'json', maxSupportedTransactionVersion: 0 }
  for (const signature of signaturesIn(receipt))
    transactions.push([signature, await call('getTransaction', [signature, asked])])
  return { genesisHash: await call('getGenesisHash', []), transactions: new Map(transactions) }
}

function show(receipt: Receipt, output: Output): void {
  const { kind, id, iss, as_of, network, genesis_hash, business, seller, order, quote, settlement, totals } = receipt
  const what =
    'reference' in order
      ? { reference: order.reference }
      : { subscription: order.subscription_id, period: order.period_index }
  const facts = {
    [kind]: id,
    issuer: iss,
    as_of,
    business: `${business.name} (${business.id})`,
    ...(seller && { seller: `${seller.name} (${seller.id})` }),
    network: `${network}, chain ${genesis_hash}`,
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

// `solana-payments verify` against an attacker: what is no receipt of the issuer is refused, with the exit code of a bad one.
import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createReceiptSigner } from '#adapters/solana/keys/receipt-signer.ts'
import { SOL } from '#core/chain/types.ts'
import { receiptOfRefund } from '#core/receipts/receipt.ts'
import type { Movement, Receipt } from '#core/receipts/shape.ts'
import type { OnChain } from '../../sdk/src/cli/receipt-on-chain.ts'
import { MERCHANT } from '../support/example-intent.ts'
import { exampleRefund } from '../support/example-refund.ts'
import { addressNo, BUYER, FEE_PAYER, signatureNo, units } from '../support/payment.ts'
import { anyReceipted, anyRefunded, GENESIS, ISSUER, landed } from '../support/receipts.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { runCommand } from '../support/spawned-program.ts'

const SEED = new Uint8Array(64).fill(5)
const signer = createReceiptSigner(SEED, 2)
const [sample = null] = fc.sample(anyReceipted, { numRuns: 1, seed: 7 })
const [refunded = null] = fc.sample(anyRefunded, { numRuns: 1, seed: 7 })
if (sample === null || refunded === null) throw new Error('a sample has a value')
const { receipt } = sample

let directory: string
let keys: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'receipts-'))
  keys = await file('jwks.json', JSON.stringify({ keys: signer.publicKeys }))
})
afterAll(() => rm(directory, { recursive: true, force: true }))

async function file(name: string, content: string): Promise<string> {
  const path = join(directory, name)
  await writeFile(path, content)
  return path
}

const encoded = (text: string): string => Buffer.from(text).toString('base64url')
const HEADER = { alg: 'EdDSA', kid: 'receipts-2', typ: 'solana-payments-receipt' }

/** A key whose public half is listed as `mine`: the issuer itself lies with it. */
const mine = generateKeyPairSync('ed25519')
const LISTED = { ...createPublicKey(mine.privateKey).export({ format: 'jwk' }), kid: 'mine' }

/** Signs any text as a receipt. */
function signed(
  payload: string,
  header: object = { ...HEADER, kid: 'mine' },
  key: KeyObject = mine.privateKey,
): string {
  const input = `${encoded(JSON.stringify(header))}.${encoded(payload)}`
  return `${input}.${sign(null, Buffer.from(input), key).toString('base64url')}`
}

async function verify(jws: string, ...args: readonly string[]) {
  const { code, out, err } = await runCommand(['verify', await file('receipt.jws', jws), ...args], {})
  return { code, out, err: err.trim() }
}

const offline = async (jws: string) => verify(jws, '--jwks', keys)
const byLiar = async (jws: string) => verify(jws, '--jwks', await file('mine.json', JSON.stringify({ keys: [LISTED] })))
const asText = (of: Receipt | Record<string, unknown>) => JSON.stringify(of)

describe('a receipt of the issuer', () => {
  it('is good, also one of an older key and of a refund, and says when it is of a test network', async () => {
    const now = await offline(signer.sign(receipt))
    expect([now.code, now.err]).toEqual([0, ''])
    expect(now.out).toContain('The signature is of https://pay.example.com, and the sums hold.')
    expect(now.out).not.toContain('test network')
    const before = await offline(createReceiptSigner(SEED, 1).sign({ ...receipt, network: 'test' }))
    expect([before.code, before.err]).toEqual([0, ''])
    expect(before.out).toContain('It is of a test network: no real money has moved.')
    const refund = await offline(signer.sign(refunded.receipt))
    expect([refund.code, refund.err]).toEqual([0, ''])
    expect(refund.out).toMatch(new RegExp(`refund +${refunded.receipt.id}\\n`))
  })

  it('is not good with other last bits of its signature, which mean the same', async () => {
    const jws = signer.sign(receipt)
    const last = jws.at(-1) ?? ''
    const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    const other = `${jws.slice(0, -1)}${letters[letters.indexOf(last) ^ 1]}`
    expect(Buffer.from(other.split('.')[2] ?? '', 'base64url')).toEqual(
      Buffer.from(jws.split('.')[2] ?? '', 'base64url'),
    )
    expect(await offline(other)).toMatchObject({ code: 1, out: '' })
  })
})

describe('a forged receipt is refused, with the exit code 1 and nothing shown', () => {
  const hmacKey = Buffer.from(signer.publicKeys[1]?.x ?? '', 'base64url')
  it.each([
    [
      'without an algorithm',
      `${encoded('{"alg":"none","kid":"receipts-2","typ":"solana-payments-receipt"}')}.${encoded(asText(receipt))}.AA`,
    ],
    [
      'by the public key as a secret',
      signed(asText(receipt), { ...HEADER, alg: 'HS256' }, createPrivateKeyOf(hmacKey)),
    ],
    ['by a key of its own', signed(asText(receipt), HEADER)],
    ['by a key in its header', signed(asText(receipt), { ...HEADER, jwk: LISTED })],
    ['by a key elsewhere', signed(asText(receipt), { ...HEADER, jku: 'https://example.com/jwks.json' })],
    ['of another type', signed(asText(receipt), { ...HEADER, typ: 'JWT' })],
    ['without a signature', signer.sign(receipt).split('.').slice(0, 2).join('.')],
    ['of an object without a kind', signer.sign({ ...receipt, kind: undefined })],
  ])('%s', async (_what, jws) => {
    const { code, out, err } = await offline(jws)
    expect([code, out, err]).toEqual([1, '', expect.stringMatching(/^The receipt is not good\.\n/)])
  })
})

/** Returns a private key from bytes that everyone knows. */
function createPrivateKeyOf(bytes: Buffer): KeyObject {
  const prefix = Buffer.from('302e020100300506032b657004220420', 'hex')
  return createPrivateKey({ key: Buffer.concat([prefix, bytes]), format: 'der', type: 'pkcs8' })
}

describe('a receipt that its issuer has signed', () => {
  it.each([
    [
      'has a name twice',
      asText(receipt).replace('"kind":"payment"', '"kind":"charge","kind":"payment"'),
      'no compact JWS',
    ],
    ['has a number for an amount', asText(receipt).replace(/"amount":"(\d+)"/, '"amount":$1'), 'is not an amount'],
    ['has a negative amount', asText(receipt).replace(/"amount":"(\d+)"/, '"amount":"-$1"'), 'is not an amount'],
    ['has no list of deposits', asText({ ...receipt, deposits: null }), 'deposits is not a list'],
    ['leaves out a deposit', asText({ ...receipt, deposits: receipt.deposits.slice(1) }), 'add up to'],
    ['is a text', '"receipt"', 'the receipt is not an object'],
  ])('and that %s is refused', async (_what, payload, reason) => {
    const { code, out, err } = await byLiar(signed(payload))
    expect([code, out, err]).toEqual([1, '', expect.stringContaining(reason)])
  })

  it('and whose header has more than the service writes is refused: it could say how to read the rest', async () => {
    const header = { ...HEADER, kid: 'mine', crit: ['b64'], b64: false }
    expect(await byLiar(signed(asText(receipt), header))).toMatchObject({ code: 1, out: '' })
  })

  it('shows no character that a terminal obeys, and no field that is not checked', async () => {
    const business = { ...receipt.business, name: 'Shop\u001b[2J\u202egpj.\u2066' }
    const { code, out } = await byLiar(signed(asText({ ...receipt, business, paid_in_full: 'SURELY' })))
    expect(code).toBe(0)
    expect(out).toContain('Shop?[2J?gpj.?')
    expect(out).not.toContain('SURELY')
    const { err } = await byLiar(signed(asText(receipt), { ...HEADER, kid: '\u001b[2J' }))
    expect(err).toContain('the key ?[2J is not among')
  })
})

describe('the keys of an issuer', () => {
  it.each([
    `data:application/json,${encodeURIComponent(JSON.stringify({ keys: [LISTED] }))}#`,
    'https://pay.example.com@localhost:1',
    'https://localhost:1/?',
    'file:///etc',
  ])('are not read from %s', async (iss) => {
    const { code, out, err } = await verify(signed(asText({ ...receipt, iss })))
    expect([code, out, err]).toEqual([1, '', expect.stringContaining('is not the address of an issuer')])
  })

  it('are not fetched without encryption, nor from where a redirect leads', async () => {
    const plain = await verify(signed(asText({ ...receipt, iss: 'http://pay.example.com' })))
    expect([plain.code, plain.err]).toEqual([2, expect.stringContaining('--jwks')])
    let site: Receiver | null = null
    const elsewhere = await startReceiver((response) => response.writeHead(200).end(JSON.stringify({ keys: [LISTED] })))
    site = await startReceiver((response) => response.writeHead(302, { location: elsewhere.url }).end())
    const iss = new URL(site.url).origin
    expect((await verify(signed(asText({ ...receipt, iss })))).code).toBe(2)
    expect((await verify(signed(asText({ ...receipt, iss: new URL(elsewhere.url).origin })))).code).toBe(0)
    await Promise.all([site.close(), elsewhere.close()])
  })

  it('that cannot be read, and answers of a provider that make no sense, have the exit code 2', async () => {
    const broken = await file(
      'broken.json',
      JSON.stringify({ keys: [{ kty: 'OKP', crv: 'Ed25519', x: 'AA', kid: 'mine' }] }),
    )
    expect((await verify(signed(asText(receipt)), '--jwks', broken)).code).toBe(2)
    for (const answer of ['hello', '{"jsonrpc":"2.0","id":1,"result":{"slot":1}}']) {
      const provider = await startReceiver((response) => response.writeHead(200).end(answer))
      expect((await verify(signer.sign(receipt), '--jwks', keys, '--rpc', provider.url)).code).toBe(2)
      await provider.close()
    }
  })
})

describe('a receipt that could not be checked has the exit code 2, and is not called bad', () => {
  it('where its key is not among those that are known', async () => {
    const { code, out, err } = await offline(signed(asText(receipt)))
    expect([code, out, err]).toEqual([2, '', expect.stringContaining('the key mine is not among those of the issuer')])
  })

  it('where the provider is of another chain, whatever else it says', async () => {
    const { code, out, err } = await onChain(signer.sign(receipt), new Map(), 'another')
    expect([code, out, err]).toEqual([2, '', expect.stringContaining('of another chain: another.')])
  })

  it('where the provider does not know a transaction, but not where it denies another one', async () => {
    const { transactions } = sample
    const pruned = new Map([...transactions].slice(1))
    const [missing = ''] = transactions.keys()
    const { code, out, err } = await onChain(signer.sign(receipt), pruned)
    expect([code, out, err]).toEqual([2, '', expect.stringContaining(`${missing} is unknown to this provider.`)])
    const lie = { ...receipt, settlement: { ...receipt.settlement, legs: receipt.settlement.legs.map(elsewhere) } }
    expect((await onChain(signer.sign(lie), pruned)).code).toBe(1)
  })
})

describe('a receipt that the chain confirms', () => {
  it('says that each transfer of a refund is compared with this refund alone', async () => {
    const { code, out, err } = await onChain(signer.sign(refunded.receipt), refunded.transactions)
    expect([code, err]).toEqual([0, ''])
    expect(out).toContain('compared with this refund alone: another refund may name the same transfer.')
  })

  it('says what was not checked: entries that are not listed', async () => {
    const paid = Array.from({ length: 102 }, (_, at) => ({
      refundId: exampleRefund.id,
      signature: signatureNo(500 + at),
      slot: 3_000n,
      amount: units(at === 0 ? 1_000n : 1n),
      paidBy: null,
    }))
    const known = { amount: units(1_000n), paidAmount: units(1_101n), recipient: BUYER, status: 'succeeded' as const }
    const dusty = receiptOfRefund({ ...exampleRefund, asset: SOL, ...known }, paid, ISSUER)
    if (dusty === null) throw new Error('it has succeeded')
    const transactions = paid.map(({ signature, slot, amount: by }) =>
      landed({
        signature,
        slot,
        feePayer: FEE_PAYER,
        names: [exampleRefund.referenceKey],
        changes: [
          { account: MERCHANT, owner: MERCHANT, mint: null, by: -by },
          { account: BUYER, owner: BUYER, mint: null, by },
        ],
      }),
    )
    const { code, out, err } = await onChain(signer.sign(dusty), new Map(transactions), GENESIS, '--json')
    expect([code, err]).toEqual([0, 'Not checked: 2 more paid, 2 base units of SOL together, are not listed.'])
    expect(JSON.parse(out)).toEqual({ ...dusty, unchecked: [{ list: 'paid', mint: null, amount: '2', count: 2 }] })
  })
})

const elsewhere = (leg: Movement): Movement => ({ ...leg, destination: addressNo(9_999) })

/** Verifies against a provider that has these transactions. */
async function onChain(jws: string, chain: OnChain, genesisHash = GENESIS, ...args: readonly string[]) {
  const provider = await startReceiver((response, { body }) => {
    const { method, params } = JSON.parse(body)
    const result = method === 'getGenesisHash' ? genesisHash : (chain.get(params[0]) ?? null)
    response.writeHead(200).end(JSON.stringify({ jsonrpc: '2.0', id: 1, result }))
  })
  const outcome = await verify(jws, '--jwks', keys, '--rpc', provider.url, ...args)
  await provider.close()
  return outcome
}

// A service with an embedded chain, and a browser that opens its pages with wallets of the test.

import {
  type Address,
  address,
  createKeyPairSignerFromPrivateKeyBytes,
  createSolanaRpc,
  generateKeyPairSigner,
  getBase58Encoder,
  getBase64EncodedWireTransaction,
  getTransactionDecoder,
} from '@solana/kit'
import { getApproveCheckedInstruction } from '@solana-program/token'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { onTestFailed } from 'vitest'
import { associatedTokenAddress } from '#adapters/solana/keys/associated-token.ts'
import { addressOfBytes } from '#core/chain/public-key.ts'
import { operatorClient } from '#demo/service.ts'
import { once } from '#lib/cache.ts'
import { sendTransaction } from '#sandbox/chain/send-transaction.ts'
import { addWallets, newWallet, openBrowser, PHONE, type TestWallet } from './browser.ts'
import type { WalletKind } from './browser-wallets.ts'
import { type Json, type Story, startStory } from './running-service.ts'

export type PageOptions = BrowserContextOptions & { readonly wallets?: readonly WalletKind[] }

export type PageWorld = {
  readonly story: Story
  readonly wallets: Readonly<Record<WalletKind, TestWallet>>
  /** Opens a page; the options are those of its context, a phone with a wallet that signs when left out. */
  open(path: string, options?: PageOptions): Promise<Page>
  /** Creates a payment, and returns its body. */
  createPayment(body?: object): Promise<Json>
  /** Opens a subscription's checkout, and returns its body. */
  createCheckout(body?: object): Promise<Json>
  call(method: 'GET' | 'POST', path: string, body?: object): Promise<Json>
  advance(seconds: number): Promise<void>
  addressOf(kind: WalletKind): string
  /** Lets another app take a token from a wallet. Returns its key. */
  approve(kind: WalletKind, ticker: string): Promise<{ readonly key: Address }>
  stop(): Promise<void>
}

const SIGNING: readonly WalletKind[] = ['signs']
const KINDS: readonly WalletKind[] = ['signs', 'signs_in', 'sends', 'refuses', 'alters']

export async function startPageWorld(): Promise<PageWorld> {
  const story = await startStory()
  const browser = await openBrowser()
  const [signs, signsIn, sends, refuses, alters] = await Promise.all(KINDS.map(newWallet))
  if (!signs || !signsIn || !sends || !refuses || !alters) throw new Error('five wallets')
  const wallets = { signs, signs_in: signsIn, sends, refuses, alters }
  const addressOf = (kind: WalletKind): string => addressOfBytes(Uint8Array.from(wallets[kind].publicKey))
  await Promise.all(KINDS.map((kind) => fund(story, addressOf(kind))))
  const operator = operatorClient(story.facts, story.operatorToken)
  const call: PageWorld['call'] = async (method, path, body) => {
    const answer = await story.rest(method, path, { key: story.facts.api_key, ...(body && { body }) })
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`)
    return answer.body
  }
  const tier = once(async () => {
    const product = await call('POST', '/subscription-products', { name: 'Coffee Club', description: 'Fresh beans.' })
    const path = `/subscription-products/${product.id}/tiers`
    const terms = { interval: 'month', authorization_periods: 12 }
    await call('POST', path, { ...terms, name: 'Large box', price_usd_cents: 2_999 })
    await call('POST', '/subscription-domains', { host: 'shop.example' })
    return await call('POST', path, { ...terms, name: 'Monthly box', price_usd_cents: 1_999 })
  })
  return {
    story,
    wallets,
    addressOf,
    call,
    open: (path, { wallets: kinds = SIGNING, ...options } = {}) =>
      openPage({ browser, story, wallets: kinds.map((kind) => wallets[kind]) }, path, options),
    createPayment: (body = {}) =>
      call('POST', '/intents', {
        amount_usd_cents: 1_999,
        accepted_tokens: [{ kind: 'sol' }, ...story.facts.tokens.map(({ mint }) => ({ kind: 'spl', mint }))],
        ...body,
      }),
    createCheckout: async (body = {}) =>
      await call('POST', '/subscription-intents', {
        tier_id: (await tier()).id,
        success_url: 'https://shop.example/thanks',
        cancel_url: 'https://shop.example/cart',
        ...body,
      }),
    async approve(kind, ticker) {
      const token = story.facts.tokens.find((one) => one.ticker === ticker)
      const bytes = Buffer.from(wallets[kind].privateKey.d ?? '', 'base64url')
      const [owner, other] = [await createKeyPairSignerFromPrivateKeyBytes(bytes), await generateKeyPairSigner()]
      if (token === undefined) throw new Error(`no ${ticker}`)
      const mint = address(token.mint)
      const tokenProgram = address(token.token_program)
      await sendTransaction(story.facts.rpc_url, owner, [
        getApproveCheckedInstruction(
          {
            source: associatedTokenAddress(owner.address, mint, tokenProgram),
            mint,
            delegate: other.address,
            owner,
            amount: 1_000n,
            decimals: token.decimals,
          },
          { programAddress: tokenProgram },
        ),
      ])
      return { key: other.address }
    },
    advance: (seconds) => operator.advanceClock(seconds).then(() => {}),
    async stop() {
      await browser.close()
      await story.stop()
    },
  }
}

async function openPage(
  { browser, story, wallets }: { browser: Browser; story: Story; wallets: readonly TestWallet[] },
  path: string,
  options: BrowserContextOptions,
): Promise<Page> {
  const context = await browser.newContext({ viewport: PHONE, ...options })
  const rpc = createSolanaRpc(story.facts.rpc_url)
  await addWallets(context, wallets, async (transaction) => {
    const wire = getBase64EncodedWireTransaction(getTransactionDecoder().decode(Buffer.from(transaction, 'base64')))
    const signature = await rpc.sendTransaction(wire, { encoding: 'base64', skipPreflight: true }).send()
    return Buffer.from(getBase58Encoder().encode(signature)).toString('base64')
  })
  const page = await context.newPage()
  onTestFailed(() => printPage(page))
  await page.goto(new URL(path, story.facts.base_url).href)
  return page
}

/** Prints what a page shows, with its frames: the reason of a failure is seldom in what was waited for. */
async function printPage(page: Page): Promise<void> {
  if (page.isClosed()) return
  for (const frame of page.frames()) {
    process.stderr.write(`${frame.url()} shows:\n${await frame.locator('body').innerText()}\n`)
  }
}

/** Gives a wallet SOL and demo tokens. */
async function fund({ facts }: Story, wallet: string): Promise<void> {
  const query = 'mutation($wallet: SolanaAddress!) { fundDemoWallet(wallet: $wallet) }'
  const response = await fetch(`${facts.base_url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables: { wallet } }),
  })
  const { errors } = await response.json()
  if (errors !== undefined) throw new Error(JSON.stringify(errors))
}

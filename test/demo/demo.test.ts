import { spawn } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { generateKeyPair, writeKeyPair } from '@solana/kit'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { WebSocketServer } from 'ws'
import { z } from 'zod'
import { announceService } from '#adapters/node/running-service.ts'
import { legRows, sumOfLegs } from '#demo/settlement.ts'
import { INHERITED } from '../support/spawned-program.ts'

// The demo ends whatever becomes of the service, and changes nothing of any business but its own. The service is a
// stand-in that can be made to end in the middle of the payment.
describe('the demo', () => {
  /** Nothing that the demo waits for takes longer than its patience with a connection, twice. */
  const ENDS_WITHIN_MS = 14_000
  let dataDir: string
  let open: { close(): void } | undefined
  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'demo-'))
  })
  afterEach(async () => {
    open?.close()
    await rm(dataDir, { recursive: true, force: true })
  })

  const INTENT = {
    derivation_index: 7,
    address: '9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin',
    client_secret: 'cs_x',
    checkout_url: 'http://x/pay/i/cs_x',
  }
  const ANSWERS: Readonly<Record<string, object>> = {
    '/intents': INTENT,
    '/intents/quote': { quotes: [{ symbol: 'SOL', decimals: 9, expected_lamports: 1_000 }] },
    '/marketplace/sellers': { id: 'seller-1', name: 'Demo Seller', sweep_destination: INTENT.address, created: true },
    '/intents/select-token': { expected_lamports: 1_000, payment_uri: 'solana:x' },
  }
  const TOKEN = { ticker: 'USDC', mint: INTENT.address, token_program: INTENT.address, decimals: 6 }
  const BUSINESS = '6f1c2a52-8a9d-4b57-9a35-2b1f5f3f8f10'
  const SECRET = 'whsec_eA=='
  const asked = z.object({
    query: z.string(),
    variables: z.union([
      z.object({ input: z.object({ webhookUrl: z.string(), mode: z.literal('live') }).loose() }),
      z.object({ id: z.string(), url: z.string().nullable() }),
      z.object({ accountId: z.string(), monthsAgo: z.int() }),
      z.object({ accountId: z.string(), terms: z.object({ defaultFeeBps: z.int() }) }),
    ]),
  })

  type Ways = { complete(): void; end(): void; deliver(secret: string): Promise<number> }

  /** Answers up to the selection; what the buyer pays is never seen to arrive. `onPaying` is called at that point. */
  async function startStandIn(onPaying: (ways: Ways) => void | Promise<void>) {
    /** Webhook URLs by account. */
    const hooks = new Map<string, string | null>([[BUSINESS, 'https://shop.example.com/hooks']])
    const shops: { opened: number; keyIsKnown: boolean } = { opened: 0, keyIsKnown: true }
    /** The calls that a marketplace makes, in order. */
    const calls: string[] = []
    const graphql = async (request: IncomingMessage) => {
      const { variables } = asked.parse(JSON.parse(await text(request)))
      if ('monthsAgo' in variables) {
        calls.push(`month ${variables.monthsAgo} of ${variables.accountId}`)
        return { data: { addExamplePayments: { count: 40 } } }
      }
      if ('accountId' in variables) {
        calls.push(`approve ${variables.accountId}`)
        return { data: { approveMarketplace: { status: 'active' } } }
      }
      if ('id' in variables) {
        const errors = [{ message: 'account not found', extensions: { code: 'account_not_found' } }]
        if (!hooks.has(variables.id)) return { data: null, errors }
        hooks.set(variables.id, variables.url)
        return { data: { updateAccount: { id: variables.id } } }
      }
      const id = `shop-${++shops.opened}`
      hooks.set(id, variables.input.webhookUrl)
      return { data: { createAccount: { account: { id }, apiKey: `sk_live_${id}`, webhookSecret: SECRET } } }
    }
    const deliver = async (secret: string) => {
      const account = { name: 'Demo Shop', is_seller: false }
      const body = JSON.stringify({ type: 'intent.created', account, data: { status: 'pending', derivation_index: 7 } })
      const signed = createHmac('sha256', Buffer.from(secret.slice(6), 'base64'))
        .update(`id.1.${body}`)
        .digest('base64')
      const headers = { 'webhook-id': 'id', 'webhook-timestamp': '1', 'webhook-signature': `v1,${signed}` }
      return (await fetch(hooks.get(`shop-${shops.opened}`) ?? '', { method: 'POST', headers, body })).status
    }
    const server = createServer(async (request, response) => {
      const path = request.url?.replace(/\?.*/, '') ?? ''
      if (path === '/chain') return onPaying({ complete, end, deliver })
      if (path === '/marketplace/sellers') calls.push(`seller ${JSON.parse(await text(request)).external_id}`)
      if (path === '/intents') {
        const { customer, accepted_tokens: tokens } = JSON.parse(await text(request))
        calls.push(
          `payment for ${request.headers['x-platform-on-behalf-of']}, ${customer.email}, ${tokens.length} asset(s)`,
        )
      }
      const isRefused = path === '/intents' && !shops.keyIsKnown
      if (isRefused) return void response.writeHead(401).end('{}')
      const answer = path === '/operator/graphql' ? await graphql(request) : ANSWERS[path]
      response.setHeader('content-type', 'application/json').end(JSON.stringify(answer))
    })
    const sockets = new WebSocketServer({ server, handleProtocols: () => 'graphql-transport-ws' })
    let complete = () => {}
    sockets.on('connection', (socket) =>
      socket.on('message', (message) => {
        const { type, id } = JSON.parse(String(message))
        if (type === 'connection_init') socket.send(JSON.stringify({ type: 'connection_ack' }))
        if (type === 'subscribe') complete = () => socket.send(JSON.stringify({ type: 'complete', id }))
      }),
    )
    const end = () => {
      for (const socket of sockets.clients) socket.terminate()
      server.close()
      server.closeAllConnections()
    }
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    open = { close: end }
    const { port } = z.object({ port: z.number() }).parse(server.address())
    await prepareDataDir(`http://127.0.0.1:${port}`)
    return { hooks, shops, calls }
  }

  async function prepareDataDir(url: string): Promise<void> {
    const facts = {
      ...{ base_url: url, operator_url: url, rpc_url: `${url}/chain`, tokens: [TOKEN] },
      ...{ account_id: BUSINESS, api_key: 'sk_live_x', webhook_secret: 'whsec_other' },
    }
    await writeFile(join(dataDir, 'demo.json'), JSON.stringify(facts))
    await announceService(dataDir, url)
    await writeFile(join(dataDir, 'operator-token'), 'op_0123456789abcdef')
    await writeKeyPair(await generateKeyPair(true), join(dataDir, 'demo-keys/buyer.json'))
  }

  async function runDemo(...args: string[]): Promise<{ code: number | null; err: string; out: string }> {
    const main = new URL('../../src/demo/main.ts', import.meta.url).pathname
    const child = spawn(process.execPath, [main, ...args], {
      cwd: dataDir,
      env: { ...INHERITED, DATA_DIR: dataDir },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: ENDS_WITHIN_MS,
      killSignal: 'SIGKILL',
    })
    const [out, err] = [text(child.stdout), text(child.stderr)]
    const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
    return { code, err: (await err).trimEnd(), out: await out }
  }

  it('a service that has stopped is not asked: another program at its address would get the operator token', async () => {
    const { hooks } = await startStandIn(() => {})
    await rm(join(dataDir, 'service.json'))
    expect(await runDemo()).toMatchObject({ code: 1, err: expect.stringMatching(/^Nothing answers at .+$/) })
    untouched(hooks)
    expect(hooks.size).toBe(1)
  })

  /** The business that `npm start` prints keeps its webhook URL. */
  const untouched = (hooks: ReadonlyMap<string, string | null>) =>
    expect(hooks.get(BUSINESS)).toBe('https://shop.example.com/hooks')

  describe('a demo whose service ends in the middle of the payment ends too, and says why in one line', () => {
    it('a service that dies', async () => {
      const { hooks } = await startStandIn(({ end }) => end())
      expect(await runDemo()).toMatchObject({
        code: 1,
        err: expect.stringMatching(/^(The service at|The buyer's payment).+$/),
      })
      untouched(hooks)
    })

    it('a service that says that nothing more will come, and still answers: it is left without a webhook URL', async () => {
      const { hooks } = await startStandIn(({ complete }) => complete())
      expect(await runDemo()).toMatchObject({
        code: 1,
        err: expect.stringMatching(/^The service at .+ ended before.+$/),
      })
      expect(hooks.get('shop-1')).toBe(null)
      untouched(hooks)
    })

    it('a service that hangs, and leaves pings unanswered', async () => {
      await startStandIn(() => {})
      expect(await runDemo()).toMatchObject({
        code: 1,
        err: expect.stringMatching(/^The service at .+ ended before.+$/),
      })
    })
  })

  describe('the business of the demo', () => {
    it('is opened once, kept for its owner alone, and opened again where the service does not know it', async () => {
      const { hooks, shops } = await startStandIn(({ complete }) => complete())
      await runDemo()
      await runDemo()
      expect(shops.opened).toBe(1)
      const file = join(dataDir, 'demo-shop.json')
      expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({
        account_id: 'shop-1',
        api_key: 'sk_live_shop-1',
      })
      expect((await stat(file)).mode & 0o777).toBe(0o600)
      hooks.delete('shop-1')
      await runDemo()
      expect(shops.opened).toBe(2)
      untouched(hooks)
    })

    it('whose webhook secret was rotated ends the demo at once, and the demo says what to do', async () => {
      const replies: number[] = []
      const { hooks } = await startStandIn(async ({ deliver }) => {
        for (const secret of [SECRET, 'whsec_bmV3']) replies.push(await deliver(secret))
      })
      const { code, err, out } = await runDemo()
      expect([code, err]).toEqual([1, expect.stringMatching(/^The webhook secret .+ was rotated\. Remove .+ again.+$/)])
      expect(out).toContain('intent.created, signature verified')
      expect(replies).toEqual([204, 401])
      untouched(hooks)
    })

    it('whose API key was revoked ends the demo at once, and the demo says what to do', async () => {
      const { shops } = await startStandIn(() => {})
      shops.keyIsKnown = false
      expect(await runDemo()).toMatchObject({ code: 1, err: expect.stringMatching(/API key of the demo\. Remove .+$/) })
    })
  })

  describe('--marketplace', () => {
    it('approves the business of the demo, and pays in SOL for a seller of it', async () => {
      const { hooks, calls } = await startStandIn(({ complete }) => complete())
      const { out } = await runDemo('--marketplace')
      expect(calls).toEqual([
        'approve shop-1',
        'seller demo-seller',
        'payment for seller-1, buyer@example.com, 1 asset(s)',
      ])
      expect(out).toContain('Demo Seller seller-1')
      untouched(hooks)
    })

    it('is left out: the payment is for the business itself', async () => {
      const { calls } = await startStandIn(({ complete }) => complete())
      await runDemo()
      expect(calls).toEqual(['payment for undefined, buyer@example.com, 2 asset(s)'])
    })
  })

  it('--year adds each month to the business whose dashboard `npm start` prints, and says where to look', async () => {
    const { shops, calls } = await startStandIn(() => {})
    const { code, out } = await runDemo('--year')
    const months = Array.from({ length: 13 }, (_, at) => `month ${12 - at} of ${BUSINESS}`)
    expect([code, calls, shops.opened]).toEqual([0, months, 0])
    expect(out).toMatch(/520 made-up payments[\s\S]+No money has moved[\s\S]+\/dashboard/)
  })

  it.each([
    [['--cents', '0']],
    [['--cents', 'ten']],
    [['--marketplace', '--asset', 'USDC']],
    [['--subscription', '--marketplace']],
    [['--year', '--asset', 'USDC']],
    [['--market']],
  ])('%j is refused in one line, before a business is opened', async (args) => {
    const { shops } = await startStandIn(() => {})
    expect(await runDemo(...args)).toEqual({ code: 1, err: expect.stringMatching(/^.*--.+$/), out: '' })
    expect(shops.opened).toBe(0)
  })
})

describe('a settlement', () => {
  const leg = (role: string, amount: number, fee_bps: number | null) => ({
    ...{ role, destination: `${role}-wallet`, fee_bps },
    ...{ amount, amount_ui: amount / 1e9 },
  })
  const settled = (received: number) => ({
    status: 'swept',
    received_lamports: received,
    settlement: {
      ...{ asset: 'SOL', decimals: 9, destination_amount: 899_990_000, destination_ui: 0.89999, signatures: ['s'] },
      legs: [
        leg('seller', 899_990_000, null),
        leg('marketplace', 100_000_000, 1_000),
        leg('network_fee', 10_000, null),
      ],
    },
  })

  it('each leg is a row with its role, destination, amount and rate', () => {
    expect(legRows(settled(1_000_000_000))).toEqual([
      { role: 'seller', destination: 'seller-wallet', SOL: 0.89999, fee: '' },
      { role: 'marketplace', destination: 'marketplace-wallet', SOL: 0.1, fee: '10 %' },
      { role: 'network_fee', destination: 'network_fee-wallet', SOL: 0.00001, fee: '' },
    ])
  })

  it('the legs sum to the amount that was received, and any other sum ends the demo', () => {
    expect(sumOfLegs(settled(1_000_000_000))).toBe('1.000000000 SOL')
    expect(() => sumOfLegs(settled(1_000_000_001))).toThrow('1000000000 base units, and 1000000001 were received')
  })
})

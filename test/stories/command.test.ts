// The command `solana-payments` next to the program that `npm start` runs.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, test, vi } from 'vitest'
import { SolanaPayments, verifyWebhook } from '../../sdk/src/index.ts'
import { copyEmbeddedTemplate } from '../support/database.ts'
import { freePort } from '../support/free-port.ts'
import { type Received, startReceiver } from '../support/receiver.ts'
import { type ServiceProcess, STORY_TIMEOUT_MS, startProcess, storyTools } from '../support/running-service.ts'
import { runCommand, startCommand } from '../support/spawned-program.ts'

vi.setConfig({ testTimeout: STORY_TIMEOUT_MS, hookTimeout: STORY_TIMEOUT_MS })

let dataDir: string
let port: number
let service: ServiceProcess
let client: SolanaPayments
let env: Record<string, string>
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'command-'))
  await copyEmbeddedTemplate(join(dataDir, 'database'))
  port = await freePort()
  service = await startProcess(dataDir, port)
  const { facts } = await storyTools(dataDir)
  client = new SolanaPayments({ apiKey: facts.api_key, baseUrl: facts.base_url })
  env = { DATA_DIR: dataDir, XDG_STATE_HOME: join(dataDir, 'state') }
})
afterAll(async () => {
  await service?.stop()
  await rm(dataDir, { recursive: true, force: true })
})

const createPayment = (reference: string) =>
  client.payments.create({ amount_usd_cents: 1_500, accepted_tokens: [{ kind: 'sol' }], reference })

describe('listen', () => {
  /** The references of the payments that were forwarded, verified with the secret that the command printed. */
  const verified = (received: readonly Received[], output: string): readonly unknown[] => {
    const [secret = ''] = /whsec_\S+/.exec(output) ?? []
    return received.map(({ body, headers }) => {
      const event = verifyWebhook(body, headers, secret)
      return event.type === 'intent.created' && event.data.reference
    })
  }

  it('forwards each event, signed with a secret that stays: after its own end, and that of the service', async () => {
    const receiver = await startReceiver((response) => response.writeHead(204).end())
    const args = ['listen', '--forward-to', receiver.url, '--types', 'intent.created']
    const first = startCommand(args, env)
    await expect.poll(first.output).toContain('Ready')
    await createPayment('while it listens')
    await expect.poll(() => receiver.received).toHaveLength(1)
    expect(await first.stop()).toBe(0)

    await createPayment('while it is off')
    const second = startCommand(args, env)
    await expect.poll(() => receiver.received).toHaveLength(2)
    await service.kill()
    await expect.poll(second.output).toContain('Lost')
    service = await startProcess(dataDir, port)
    await createPayment('after the service')
    await expect.poll(() => receiver.received, { timeout: 60_000 }).toHaveLength(3)
    await second.stop()
    expect(verified(receiver.received, first.output())).toEqual([
      'while it listens',
      'while it is off',
      'after the service',
    ])
    await receiver.close()
  })

  it('waits for a program that is not there, and gives one up that fails three times', async () => {
    const away = await freePort()
    const listening = startCommand(
      ['listen', '--forward-to', `http://127.0.0.1:${away}/hook`, '--types', 'intent.created'],
      env,
    )
    await expect.poll(listening.output).toContain('Ready')
    await createPayment('waits')
    await expect.poll(listening.output).toContain('start your program')
    const receiver = await startReceiver(
      (response, { body }) => response.writeHead(body.includes('"fails"') ? 500 : 200).end(),
      away,
    )
    await createPayment('fails')
    await createPayment('works')
    await expect.poll(() => receiver.received.length).toBe(5)
    const [, , , failed] = receiver.received
    expect(verified(receiver.received, listening.output())).toEqual(['waits', 'fails', 'fails', 'fails', 'works'])
    const { id } = JSON.parse(failed?.body ?? '{}')
    await expect.poll(listening.output).toContain(`--event ${id}`)
    await listening.stop()

    await runCommand(['listen', '--forward-to', receiver.url, '--event', id, '--json'], env)
    // The same text, so that a receiver sees a repeat.
    expect(receiver.received.at(-1)?.body).toBe(failed?.body)
    await receiver.close()
  })
})

describe('payments, events and webhooks', () => {
  const run = async (...args: string[]) => {
    const { code, out, err } = await runCommand(args, env)
    expect({ code, err }).toEqual({ code: 0, err: '' })
    return out
  }

  it('a payment is created, paid and shown', async () => {
    const created = JSON.parse(await run('payments', 'create', '--cents', '1234', '--reference', 'by hand', '--json'))
    expect(created).toMatchObject({ price_usd_cents: 1_234, received_lamports: '0' })
    const index = String(created.derivation_index)
    expect(await run('payments', 'pay', index)).toMatch(/is swept\n/)
    expect(await run('payments', 'show', index, '--wait', 'swept')).toMatch(/status\s+swept/)
    expect(await run('payments', 'list', '--status', 'swept', '--search', 'by hand')).toMatch(
      /^derivation_index.+\n.+swept.+by hand/,
    )
    const [, newest] = (await run('events', 'list', '--type', 'intent.swept', '--limit', '1')).trim().split('\n')
    const id = newest?.split(/\s+/).at(-1) ?? ''
    expect(await run('events', 'show', id)).toMatch(/type\s+intent\.swept/)
  })

  it('a webhook endpoint is made, tested and deleted', async () => {
    const receiver = await startReceiver((response) => response.writeHead(200).end())
    const { id } = JSON.parse(await run('webhooks', 'create', receiver.url, '--types', 'intent.swept', '--json'))
    expect(await run('webhooks', 'test', id)).toMatch(/status\s+succeeded/)
    const [delivery] = (await run('webhooks', 'deliveries', '--json')).trim().split('\n')
    expect(await run('webhooks', 'redeliver', JSON.parse(delivery ?? '{}').id)).toMatch(/last_status_code\s+200/)
    expect(await run('webhooks', 'list')).toContain(receiver.url)
    await run('webhooks', 'delete', id)
    expect(await run('webhooks', 'list')).toBe('none\n')
    await receiver.close()
  })

  test.each([
    [['payments', 'show'], /^solana-payments payments show <index or id>/, 2],
    [['payments', 'show', '999999'], /^payment intent not found \(intent_not_found, request .+\)/],
    [['payments', 'create', '--cents', '-1'], /--cents/, 2],
    [['payments', 'list', '--status', 'done'], /^The statuses are pending, /],
    [['payments', 'list', '--key', 'sk_live_wrong'], /unauthenticated.+\n--key or SOLANA_PAYMENTS_KEY/],
    [['payments', 'list', '--url', 'http://127.0.0.1:1'], /connection_failed.+\nIs it running\?/],
    [['payments', 'list', '--data-dir', '/nowhere'], /^No API key: pass --key/],
    [['trigger', 'intent.done'], /^The types are:\n {2}intent\.created/],
    [['pay'], /^solana-payments <command>/, 2],
  ])('%j fails, and says what to do', async (args, message, exitCode = 1) => {
    const { code, err } = await runCommand(args, env)
    expect([code, err]).toEqual([exitCode, expect.stringMatching(message)])
  })

  test('--help is shown of every command', async () => {
    const overview = await run('--help')
    const names = [...overview.matchAll(/^ {2}([a-z]+(?: [a-z]+)?)/gm)].map(([, name = '']) => name)
    expect(names).toContain('webhooks redeliver')
    expect(await run('listen', '--help')).toContain('--forward-to URL')
  })
})

// The log: one line for each request, without secrets.
import { spawnSync } from 'node:child_process'
import { describe, expect, it, vi } from 'vitest'
import { ServiceError } from '#core/errors.ts'
import { createLog, withoutSecrets } from '#server/log.ts'
import { createRepeatedLines } from '#server/repeated-lines.ts'
import { pendingIntent } from '../support/example-intent.ts'
import { API_KEY, CLIENT_SECRET, OPERATOR_TOKEN, startTestService, withKey } from '../support/services.ts'
import { until } from '../support/until.ts'

describe('log', () => {
  const SECRETS = [API_KEY, CLIENT_SECRET, OPERATOR_TOKEN, 'whsec_c2VjcmV0IHdlYmhvb2s=']

  function capture() {
    const lines: string[] = []
    return { log: createLog('debug', { write: (line) => void lines.push(line) }), text: () => lines.join('') }
  }

  const LOG_MODULE = new URL('../../src/server/log.ts', import.meta.url)

  /** Runs a process that logs lines and then ends in one way. Returns the numbers of the lines that it wrote. */
  function linesOfProcess(lines: number, end: string): readonly unknown[] {
    const program = `import { createLog } from ${JSON.stringify(LOG_MODULE)}
    const log = createLog('info')
    for (let line = 0; line < ${lines}; line += 1) log.info({ line }, 'a line')
    ${end}`
    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], { encoding: 'utf8' })
    return stdout
      .trimEnd()
      .split('\n')
      .map((text) => JSON.parse(text).line)
  }

  describe('the log', () => {
    it.each([
      ['has nothing left to do', ''],
      ['is stopped', 'process.exit(1)'],
      ['fails', "throw new Error('a bug')"],
    ])('is whole and in order when the process %s', (_, end) => {
      for (const lines of [3, 2_000])
        expect(linesOfProcess(lines, end)).toEqual(Array.from({ length: lines }, (_, line) => line))
    })

    it('has one line for each request: method, route, status, time', async () => {
      const service = await startTestService({ services: { intents: { findByIndex: async () => pendingIntent } } })
      await service.get('/status?index=42', { ...withKey(), 'x-request-id': 'r-1' })
      await until(() => service.logLines.length > 0)
      await service.close()
      expect(service.logLines).toHaveLength(1)
      expect(JSON.parse(service.logLines[0] ?? '')).toMatchObject({
        level: 30,
        requestId: 'r-1',
        method: 'GET',
        route: '/status',
        status: 200,
        ms: expect.any(Number),
        msg: 'request',
      })
    })

    it('contains no key and no client secret, wherever they are in a request, and however it ends', async () => {
      const fail = async () => {
        throw new Error(
          `could not use ${CLIENT_SECRET} of ${API_KEY}: whsec_c2VjcmV0IHdlYmhvb2s=, Bearer ${OPERATOR_TOKEN}`,
        )
      }
      const refuse = async () => {
        throw new ServiceError('invalid_client_secret')
      }
      const service = await startTestService({
        services: {
          intents: { findByIndex: fail, quote: fail, checkoutStatus: refuse, selectToken: fail, create: fail },
        },
      })
      const create = { amount_usd_cents: 1, accepted_tokens: [{ kind: 'sol' }] }
      await service.get('/status?index=1', { ...withKey(), 'x-request-id': CLIENT_SECRET })
      await service.post('/intents', create, withKey())
      await service.post('/intents', `{"api_key":"${API_KEY}"`, withKey())
      await service.get(`/intents/quote?client_secret=${CLIENT_SECRET}`)
      await service.get(`/intents/status?client_secret=${CLIENT_SECRET}`)
      await service.get(`/nope/${CLIENT_SECRET}?client_secret=${CLIENT_SECRET}`)
      await service.post('/intents/select-token', { client_secret: CLIENT_SECRET, mint: null })
      await service.graphql(`{ quote(clientSecret: "${CLIENT_SECRET}") { expiresInSeconds } }`)
      await service.graphql(`{ quote(clientSecret: "${CLIENT_SECRET}") { nonsense } }`)
      await service.get(`/graphql?query={checkout(clientSecret:"${CLIENT_SECRET}"){status}}`)
      await service.get('/status', { authorization: `Bearer ${OPERATOR_TOKEN}` })
      await service.operator('{ __typename }', {}, { authorization: `Bearer ${OPERATOR_TOKEN}x` })
      await service.get('/status', { authorization: `Bearer ${API_KEY}x` })
      await until(() => service.logLines.filter((line) => line.includes('"msg":"request"')).length === 13)
      await service.close()
      const text = service.logLines.join('')
      expect(text).toContain('could not use cs_[redacted] of sk_live_[redacted]')
      for (const secret of SECRETS) expect(text).not.toContain(secret)
    })

    it('censors fields that are secret by their name', () => {
      const { log, text } = capture()
      log.info({ api_key: 'plain', request: { authorization: 'plain', body: { client_secret: 'plain' } } })
      log.info({ webhookSecret: 'plain', account: { webhook_secret: 'plain' } })
      expect(text()).not.toContain('plain')
    })

    it('censors secrets within a longer word, and leaves other words', () => {
      const random = 'Zk3_x-9'.repeat(7).slice(0, 43)
      for (const secret of [API_KEY, 'whsec_c2VjcmV0IHdlYmhvb2s=', `os_1795211999_${random}`])
        expect(withoutSecrets(`x_${secret}`)).toMatch(/^x_(sk_live|whsec|os)_\[redacted\]$/)
      for (const form of ['cs_', 'co_', 'po_', 'li_', 'ss_', 'op_'])
        expect(withoutSecrets(`retry1${form}${random}`)).toBe(`retry1${form}[redacted]`)
      const words =
        'loop_counters success_url did_business_payout_change_requested shop_0190f3c2-7d1e-7c3a-9b44-5f2d8c6e1a70'
      expect(withoutSecrets(words)).toBe(words)
    })

    it('censors secrets by their form, in any text', () => {
      for (const secret of SECRETS) {
        expect(withoutSecrets(`{"msg":"got ${secret}"}`)).not.toContain(secret.slice(-12))
      }
      expect(withoutSecrets('GET /x?client_secret=abc&index=7')).toBe('GET /x?client_secret=[redacted]&index=7')
      expect(withoutSecrets('Bearer abcdef.ghi')).toBe('Bearer [redacted]')
      expect(withoutSecrets('bearer abcdef.ghi')).toBe('bearer [redacted]')
      expect(withoutSecrets(`op=${OPERATOR_TOKEN}&loop_counters=7`)).toBe('op=op_[redacted]&loop_counters=7')
      const linkToken = 'Zk3_x-'.repeat(7)
      expect(withoutSecrets(`/pay/s/co_${linkToken} /pay/m/po_${linkToken}`)).toBe(
        '/pay/s/co_[redacted] /pay/m/po_[redacted]',
      )
      expect(withoutSecrets('"po_number":7')).toBe('"po_number":7')
      const random = 'Zk3_x-9'.repeat(7).slice(0, 43)
      expect(withoutSecrets(`session=ss_${random}; operator=os_1795211999_${random} /login/li_${random}`)).toBe(
        'session=ss_[redacted]; operator=os_[redacted] /login/li_[redacted]',
      )
      expect(withoutSecrets('{"route":"/intents/status","ms":3}')).toBe('{"route":"/intents/status","ms":3}')
    })
  })
})

// Log lines that a client can cause without limit.
describe('repeated lines', () => {
  function capture() {
    const lines: string[] = []
    const log = createLog('info', { write: (line) => void lines.push(line) })
    return { log, lines: () => lines.map((line) => JSON.parse(line)) }
  }

  describe('repeated lines', () => {
    it('are written up to a number of each kind, then counted, with one line a minute', () => {
      vi.useFakeTimers()
      const { log, lines } = capture()
      const repeated = createRepeatedLines(log, { lines: 2, everyMs: 60_000, renewed: true })
      for (let time = 0; time < 1_000; time++) repeated.info('noise', { time }, 'ended')
      repeated.info('other', {}, 'ended')
      expect(lines()).toHaveLength(3)
      vi.advanceTimersByTime(60_000)
      expect(lines()).toHaveLength(4)
      expect(lines().at(-1)).toMatchObject({ kind: 'noise', leftOut: 998, msg: 'ended: lines left out' })
      vi.advanceTimersByTime(60_000)
      expect(lines()).toHaveLength(4)
      repeated.info('noise', {}, 'ended')
      expect(lines()).toHaveLength(5)
      repeated.close()
      vi.useRealTimers()
    })

    it('of a kind that is not renewed are only counted until a period has none', () => {
      vi.useFakeTimers()
      const { log, lines } = capture()
      const repeated = createRepeatedLines(log, { lines: 1, everyMs: 10_000, renewed: false })
      const fail = () => repeated.error('outage', {}, 'failed')
      const periods = [3, 2, 0, 1].map((failures) => {
        for (let time = 0; time < failures; time++) fail()
        vi.advanceTimersByTime(10_000)
        return lines().map(({ level, leftOut }) => [level, leftOut])
      })
      const [first, more, further] = [
        [50, undefined],
        [50, 2],
        [50, 2],
      ]
      expect(periods).toEqual([
        [first, more],
        [first, more, further],
        [first, more, further],
        [first, more, further, first],
      ])
      repeated.close()
      vi.useRealTimers()
    })

    it('of a kind that comes once in each period are written once, then counted', () => {
      vi.useFakeTimers()
      const { log, lines } = capture()
      const repeated = createRepeatedLines(log, { lines: 1, everyMs: 10_000, renewed: false })
      for (let period = 0; period < 3; period++) {
        repeated.error('outage', {}, 'failed')
        vi.advanceTimersByTime(10_000)
      }
      expect(lines().map(({ leftOut }) => leftOut)).toEqual([undefined, 1, 1])
      repeated.close()
      vi.useRealTimers()
    })

    it('the count of lines left out is written at the end', () => {
      const { log, lines } = capture()
      const repeated = createRepeatedLines(log, { lines: 1, everyMs: 60_000, renewed: true })
      for (let time = 0; time < 3; time++) repeated.info('noise', {}, 'ended')
      repeated.close()
      expect(lines().at(-1)).toMatchObject({ leftOut: 2 })
    })
  })
})

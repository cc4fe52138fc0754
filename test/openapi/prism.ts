// npm run prism: sends what succeeded in the tests of REST through Prism, which compares each request and reply with
// openapi.json. Prism is no dependency: npm fetches it. docs/decisions/interfaces.md
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { OPENAPI_FILE } from '#http/reply-check.ts'
import { freePort } from '../support/free-port.ts'
import { type Exchange, endpointOf } from '../support/stated-replies.ts'

const PRISM = '@stoplight/prism-cli@5.16.0'
const NUMBER = 'x-exchange'
/** These are of the connection. */
const HOP = new Set(['connection', 'content-encoding', 'content-length', 'date', 'keep-alive', 'transfer-encoding'])
/** Forms that the service reads on purpose and the document does not state: a flag as a number, and a leap second. */
const LENIENT = /[?&]\w+=1(?:&|$)|:60\.0%2B/

const directory = mkdtempSync(join(tmpdir(), 'prism-'))
const exchanges = record(join(directory, 'exchanges'))
const upstream = createServer((asked, response) => {
  asked.resume()
  const { status, replyHeaders, reply } = exchanges[Number(asked.headers[NUMBER])] ?? missing()
  response.writeHead(status, Object.fromEntries(replyHeaders.filter(([name]) => !HOP.has(name)))).end(reply)
}).listen(0, '127.0.0.1')
const port = await freePort()
const { port: upstreamPort } = upstream.address() as AddressInfo
const options = ['--errors', '--host', '127.0.0.1', '--port', String(port)]
const command = [
  'exec',
  '--yes',
  `--package=${PRISM}`,
  '--',
  'prism',
  'proxy',
  OPENAPI_FILE,
  `http://127.0.0.1:${upstreamPort}`,
]
const prism = spawn('npm', [...command, ...options], { detached: true, stdio: ['ignore', 'ignore', 'inherit'] })
try {
  while (
    !(await fetch(`http://127.0.0.1:${port}/`).then(
      () => true,
      () => false,
    ))
  ) {
    if (prism.exitCode !== null) throw new Error('Prism did not start')
    await sleep(200)
  }
  let violations = 0
  for (const [at, exchange] of exchanges.entries()) {
    const fault = await replay(exchange, at)
    if (fault === null) continue
    violations += 1
    process.stdout.write(`${exchange.method} ${exchange.path}\n  ${fault}\n`)
  }
  const endpoints = new Set(exchanges.map(({ method, path }) => endpointOf(method, path)))
  process.stdout.write(`${exchanges.length} exchanges of ${endpoints.size} endpoints, ${violations} violations\n`)
  process.exitCode = violations === 0 && exchanges.length > 0 ? 0 : 1
} finally {
  if (prism.pid !== undefined) process.kill(-prism.pid)
  upstream.close()
  rmSync(directory, { recursive: true })
}

/** Runs the tests of REST, and returns their exchanges: those that differ by more than an id. */
function record(file: string): readonly Exchange[] {
  const env = { ...process.env, EXCHANGES: file }
  const tests = spawnSync('npx', ['vitest', 'run', 'test/rest', 'test/docs'], { env, stdio: 'inherit' })
  if (tests.status !== 0) throw new Error('the tests of REST fail')
  const all = readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line): Exchange => JSON.parse(line))
  const ofRest = all.filter(({ method, path }) => endpointOf(method, path) !== undefined && !LENIENT.test(path))
  const kindOf = ({ method, path, body, status }: Exchange): string =>
    JSON.stringify([method, path.replace(/[\da-f-]{36}/g, ''), body, status])
  return [...new Map(ofRest.map((exchange) => [kindOf(exchange), exchange])).values()]
}

function missing(): never {
  throw new Error('Prism sends what it was not sent')
}

/** Returns what Prism says of an exchange; null where it has nothing to say. */
async function replay({ method, path, headers, body, status }: Exchange, at: number): Promise<string | null> {
  const { pathname, search } = new URL(path, 'http://localhost')
  const asked = request({
    ...{ host: '127.0.0.1', port, method, path: pathname + search },
    headers: { ...Object.fromEntries(headers), [NUMBER]: String(at) },
  })
  asked.end(body === null ? undefined : Buffer.from(body, 'base64'))
  const response = await new Promise<import('node:http').IncomingMessage>((resolve, reject) =>
    asked.on('response', resolve).on('error', reject),
  )
  const text = (await response.toArray()).join('')
  const { 'sl-violations': violations } = response.headers
  return response.statusCode === status && violations === undefined ? null : String(violations ?? '') || text
}

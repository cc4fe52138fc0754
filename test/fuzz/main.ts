// npm run fuzz: requests of every kind to every route and operation of a running service; each reply must be documented.
import { Command } from 'commander'
import { countOption } from '../support/count-option.ts'
import { operationNames } from './graphql-requests.ts'
import { routeNames } from './rest-requests.ts'
import { type Finding, type FuzzResult, fuzz } from './run.ts'
import { startFuzzedService } from './service.ts'

const { requests, seed, connections }: { requests: number; seed: string; connections: number } = new Command('fuzz')
  .description('Sends strange requests to every route and operation, and judges each reply.')
  .option('--requests <n>', 'how many', countOption, 1_000_000)
  .option('--seed <text>', 'draws the requests', String(Date.now()))
  .option('--connections <n>', 'at the same time', countOption, 16)
  .parse()
  .opts()
const say = (line: string): void => void process.stdout.write(`${line}\n`)
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))

say(`${routeNames().length} routes, ${operationNames().length} operations; seed ${seed}`)
const service = await startFuzzedService()
let shownAt = performance.now()
const onProgress = (done: number, findings: number): void => {
  const now = performance.now()
  if (now - shownAt < 15_000) return
  shownAt = now
  process.stderr.write(`${done}/${requests} requests, ${findings} findings\n`)
}
const onFinding = ({ number, what, request, reply }: Finding): void =>
  say(`\nrequest ${number} of seed ${seed}: ${what}\n${request}\n→ ${reply}\n`)
const { port, world } = service
const result = await fuzz({ port, world, requests, seed, connections, onProgress, onFinding })
await service.stop()
for (const line of describe(result)) say(line)
process.exit(result.findings.length === 0 ? 0 : 1)

function describe({ requests: done, seconds, statuses, findings }: FuzzResult): readonly string[] {
  const sorted = [...statuses].sort(([, a], [, b]) => b - a)
  return [
    `${done} requests in ${seconds.toFixed(0)} s, ${Math.round(done / seconds)} a second`,
    `replies: ${sorted.map(([status, count]) => `${status} ${count}`).join(', ')}`,
    `${findings.length} findings`,
  ]
}

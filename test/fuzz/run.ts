// Sends many requests over several connections to one running service, and judges each reply.
import { createDice, type Dice } from '../simulator/dice.ts'
import { createConnection } from './connection.ts'
import { graphqlRequest } from './graphql-requests.ts'
import { createJudge } from './judge.ts'
import { type Sent, send } from './request.ts'
import { restRequest, type World } from './rest-requests.ts'

export type Finding = {
  readonly number: number
  readonly what: string
  readonly request: string
  readonly reply: string
}

export type FuzzOptions = {
  readonly port: number
  readonly world: World
  readonly requests: number
  readonly seed: string
  readonly connections: number
  /** Receives the number of finished requests at intervals. */
  readonly onProgress: (done: number, findings: number) => void
  /** Receives each finding when it is made: a long run need not end before a person can read it. */
  readonly onFinding?: (finding: Finding) => void
}

export type FuzzResult = {
  readonly requests: number
  readonly seconds: number
  /** Counts replies by status, and requests without a reply by how they ended. */
  readonly statuses: ReadonlyMap<string, number>
  readonly findings: readonly Finding[]
}

const MAX_FINDINGS = 50
const PROGRESS_EVERY = 1_000

/** Each request is drawn from the seed and its number, so a single request can be repeated. */
export function drawRequest(seed: string, number: number, world: World): Sent {
  const dice: Dice = createDice(`${seed}/${number}`)
  const draft = dice.chance(0.5) ? restRequest(dice, world) : graphqlRequest(dice, world)
  return send(dice, draft, world.known)
}

export async function fuzz(options: FuzzOptions): Promise<FuzzResult> {
  const { port, world, requests, seed, connections, onProgress, onFinding } = options
  const judge = createJudge(world)
  const statuses = new Map<string, number>()
  const findings: Finding[] = []
  const started = performance.now()
  let next = 0
  const work = async (): Promise<void> => {
    const connection = createConnection(port)
    while (next < requests && findings.length < MAX_FINDINGS) {
      next += 1
      const number = next
      const sent = drawRequest(seed, number, world)
      const answer = await connection.ask(sent.bytes, { isHead: sent.isHead, isLast: !sent.isWhole })
      const status = typeof answer === 'string' ? answer : String(answer.status)
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
      const what = judge(sent, answer)
      if (what !== null) {
        const finding = describe(number, what, sent, typeof answer === 'string' ? answer : answer.body)
        findings.push(finding)
        onFinding?.(finding)
      }
      if (number % PROGRESS_EVERY === 0) onProgress(number, findings.length)
    }
    connection.close()
  }
  await Promise.all(Array.from({ length: connections }, work))
  return { requests: next, seconds: (performance.now() - started) / 1_000, statuses, findings }
}

const describe = (number: number, what: string, { bytes }: Sent, reply: string): Finding => ({
  number,
  what,
  request: bytes.subarray(0, 600).toString(),
  reply: reply.slice(0, 300),
})

// The attacker's own process: on each connection the next request follows the last answer at once.
import { Agent, request } from 'node:http'
import { text } from 'node:stream/consumers'
import type { Answers, Attack } from './attacker.ts'

const COUNTER = '########'
let number = 10_000_000

function ask({ port, headers, query }: Attack, agent: Agent): Promise<string> {
  number += 1
  const body = JSON.stringify({ query: query.replace(COUNTER, String(number)) })
  return new Promise((resolve) => {
    const asked = request({ port, host: '127.0.0.1', agent, method: 'POST', path: '/graphql', headers }, (response) => {
      const code = (answer: string) => /"code":"(\w+)"/.exec(answer.slice(0, 4_000))?.[1] ?? 'data'
      text(response).then(
        (answer) => resolve(`${response.statusCode} ${code(answer)}`),
        () => resolve('cut off'),
      )
    })
    asked.on('error', () => resolve('cut off'))
    asked.end(body)
  })
}

async function run(attack: Attack): Promise<Answers> {
  const agent = new Agent({ keepAlive: true, maxSockets: attack.connections })
  const until = performance.now() + attack.seconds * 1_000
  const answers: Record<string, number> = {}
  const drive = async () => {
    while (performance.now() < until) {
      const answer = await ask(attack, agent)
      answers[answer] = (answers[answer] ?? 0) + 1
    }
  }
  await Promise.all(Array.from({ length: attack.connections }, drive))
  agent.destroy()
  return answers
}

process.on('message', (attack: Attack) => void run(attack).then((answers) => process.send?.(answers)))
process.on('disconnect', () => process.exit())

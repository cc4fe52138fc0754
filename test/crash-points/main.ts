// npm run crash-points: every point and every pair of points of every flow, on all cores, and a table at the end.
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { Command } from 'commander'
import { countOption } from '../support/count-option.ts'
import { COURSES } from './flows.ts'
import type { Count, Survey } from './survey.ts'
import type { Task } from './worker.ts'

const options: { flow: string; from: number; singles: number; stride: number } = new Command('crash-points')
  .description(
    'Lets the service die at every call, and its successor at every call of its own, in every flow of money.',
  )
  .option('--flow <text>', 'only the flows whose names contain the text', '')
  .option('--from <n>', 'begin at the nth flow', countOption, 1)
  .option('--singles <n>', 'of single crashes, every nth call', countOption, 1)
  .option('--stride <n>', 'of pairs, every nth call with every nth after it', countOption, 1)
  .parse()
  .opts()
const say = (line: string): void => void process.stdout.write(`${line}\n`)
const counted = ({ tried, survived }: Count): string =>
  survived === tried ? tried.toLocaleString('en') : `${survived.toLocaleString('en')} of ${tried.toLocaleString('en')}`
const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
const rowOf = ({ flow, calls, singles, pairs }: Survey): string =>
  row([flow, String(calls), counted(singles), counted(pairs)])

const names = COURSES.map(({ name }) => name)
  .slice(options.from - 1)
  .filter((name) => name.includes(options.flow))
const left: Task[] = names.map((name) => ({
  name,
  singleStride: options.singles,
  pairStride: options.stride,
}))
const surveys: Survey[] = []

async function work(): Promise<void> {
  const worker = new Worker(new URL('./worker.ts', import.meta.url))
  try {
    for (let task = left.shift(); task !== undefined; task = left.shift()) {
      const began = performance.now()
      const answered = once(worker, 'message')
      worker.postMessage(task)
      const [done]: Survey[] = await answered
      if (done === undefined) throw new Error('a survey answers')
      surveys.push(done)
      say(`${surveys.length}/${names.length} in ${((performance.now() - began) / 1_000).toFixed(0)} s: ${rowOf(done)}`)
      for (const problem of done.problems) say(`  ${problem}`)
    }
  } finally {
    await worker.terminate()
  }
}

await Promise.all(Array.from({ length: availableParallelism() }, work))
const total = (of: (survey: Survey) => Count): Count => ({
  tried: surveys.reduce((sum, one) => sum + of(one).tried, 0),
  survived: surveys.reduce((sum, one) => sum + of(one).survived, 0),
})
const all: Survey = {
  flow: '**all**',
  calls: surveys.reduce((sum, { calls }) => sum + calls, 0),
  singles: total((one) => one.singles),
  pairs: total((one) => one.pairs),
  problems: surveys.flatMap(({ problems }) => problems),
}
say('')
say(row(['flow', 'calls', 'one crash', 'two crashes']))
say(row(['---', '--:', '--:', '--:']))
for (const one of surveys.toSorted((a, b) => names.indexOf(a.flow) - names.indexOf(b.flow))) say(rowOf(one))
say(rowOf(all))
if (all.problems.length > 0) process.exitCode = 1

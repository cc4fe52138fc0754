// npm run crash-points: every point and every pair of points of every flow, on all cores, and a table at the end.
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { FLOWS } from './flows.ts'
import type { Count, Survey } from './survey.ts'

const say = (line: string): void => void process.stdout.write(`${line}\n`)
const counted = ({ tried, survived }: Count): string =>
  survived === tried ? tried.toLocaleString('en') : `${survived.toLocaleString('en')} of ${tried.toLocaleString('en')}`
const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`

async function surveyAll(names: readonly string[]): Promise<readonly Survey[]> {
  const left = [...names]
  const surveys: Survey[] = []
  const work = async (): Promise<void> => {
    const worker = new Worker(new URL('./worker.ts', import.meta.url))
    try {
      for (let name = left.shift(); name !== undefined; name = left.shift()) {
        const began = performance.now()
        const done = await new Promise<Survey>((resolve, reject) => {
          worker.once('message', resolve)
          worker.once('error', reject)
          worker.postMessage(name)
        })
        surveys.push(done)
        const seconds = ((performance.now() - began) / 1_000).toFixed(0)
        say(`${surveys.length}/${names.length} ${name}: ${counted(done.pairs)} pairs in ${seconds} s`)
        for (const problem of done.problems) say(`  ${problem}`)
      }
    } finally {
      await worker.terminate()
    }
  }
  await Promise.all(Array.from({ length: availableParallelism() }, work))
  return surveys.toSorted((a, b) => names.indexOf(a.flow) - names.indexOf(b.flow))
}

const [, , only = ''] = process.argv
const names = FLOWS.map(({ name }) => name).filter((name) => name.includes(only))
const surveys = await surveyAll(names)
const total = (of: (survey: Survey) => Count): Count => ({
  tried: surveys.reduce((sum, one) => sum + of(one).tried, 0),
  survived: surveys.reduce((sum, one) => sum + of(one).survived, 0),
})
say('')
say(row(['flow', 'calls', 'one crash', 'two crashes']))
say(row(['---', '--:', '--:', '--:']))
for (const { flow, calls, singles, pairs } of surveys) say(row([flow, String(calls), counted(singles), counted(pairs)]))
const [singles, pairs] = [total((one) => one.singles), total((one) => one.pairs)]
say(row(['**all**', String(surveys.reduce((sum, { calls }) => sum + calls, 0)), counted(singles), counted(pairs)]))
if (singles.survived + pairs.survived < singles.tried + pairs.tried) process.exitCode = 1

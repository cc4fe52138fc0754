// A thread that surveys one flow after the other, as the main thread sends them.
import { parentPort } from 'node:worker_threads'
import { FLOWS } from './flows.ts'
import { survey } from './survey.ts'

export type Task = { readonly name: string; readonly pairStride: number }

parentPort?.on('message', ({ name, pairStride }: Task) => {
  const flow = FLOWS.find((one) => one.name === name)
  if (flow === undefined) throw new Error(`there is no flow ${name}`)
  void survey(flow, { pairStride, paces: 'all' }).then((done) => parentPort?.postMessage(done))
})

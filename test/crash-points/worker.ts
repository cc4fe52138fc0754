// A thread that goes through flows, one after the other, for as long as there are some.
import { parentPort } from 'node:worker_threads'
import { FLOWS } from './flows.ts'
import { EVERYTHING, survey } from './survey.ts'

parentPort?.on('message', (name: string) => {
  const flow = FLOWS.find((one) => one.name === name)
  if (flow === undefined) throw new Error(`there is no flow ${name}`)
  void survey(flow, EVERYTHING).then((done) => parentPort?.postMessage(done))
})

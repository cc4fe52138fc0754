// A price source on loopback that gives prepared answers, and records its requests.
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import { onTestFinished } from 'vitest'
import type { PricedAsset } from '#ports/price-feed.ts'

export const NOW = new Date('2026-03-01T12:00:00.000Z')
export const clock = { now: () => NOW }

export const SOL: PricedAsset = { feedKey: 'SOL', mint: 'So11111111111111111111111111111111111111112' }
export const USDC: PricedAsset = { feedKey: 'USDC', mint: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v' }

export type Question = { readonly url: URL; readonly headers: IncomingHttpHeaders }
type Answer = (response: ServerResponse, question: Question) => void

export type FakeSource = { readonly baseUrl: URL; readonly questions: Question[] }

/** Runs until the test is over. */
export async function startSource(answer: Answer): Promise<FakeSource> {
  const questions: Question[] = []
  const server = createServer((request, response) => {
    const question = { url: new URL(request.url ?? '/', 'http://source.test'), headers: request.headers }
    questions.push(question)
    answer(response, question)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return { baseUrl: new URL(`http://127.0.0.1:${address.port}`), questions }
}

/** Answers with JSON text, given as text because the sources' numbers matter to the last digit. */
export const json =
  (text: string, { status = 200, headers = {} }: { status?: number; headers?: Record<string, string> } = {}): Answer =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text)
  }

/** Takes the question and never answers. */
export const silence: Answer = () => {}

/** Starts an answer and breaks the connection in the middle of it. */
export const breakOff: Answer = (response) => {
  response.writeHead(200, { 'content-length': '1000' })
  response.write('{"', () => response.destroy())
}

/** Sends without an end, far beyond what any price answer needs. */
export const flood: Answer = (response) => {
  const chunk = ' '.repeat(64 * 1024)
  const pour = (): void => {
    while (!response.destroyed && response.write(chunk));
    if (!response.destroyed) response.once('drain', pour)
  }
  response.writeHead(200)
  pour()
}

export const unhurried = (): AbortSignal => AbortSignal.timeout(10_000)

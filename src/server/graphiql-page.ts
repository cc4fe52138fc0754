// GraphiQL's page in every encoding: 9 MB plain, a quarter of it compressed.
import { Worker } from 'node:worker_threads'

export const ENCODINGS = ['br', 'gzip', 'identity'] as const
export type Encoding = (typeof ENCODINGS)[number]

/** `tag` tells one page from another. */
export type Page = { readonly tag: string; readonly bytes: Readonly<Record<Encoding, Uint8Array>> }

/** The title of a page, and the query that it begins with. */
export type PageWords = { readonly title: string; readonly query: string }

/** Makes the page in a thread of its own, so that no other request waits for it. */
export function makePage(words: PageWords): Promise<Page> {
  const thread = new Worker(new URL('./graphiql-thread.ts', import.meta.url), { name: 'graphiql', workerData: words })
  return new Promise((resolve, reject) => {
    thread.once('message', (page: Page) => resolve(page))
    thread.once('error', reject)
    thread.once('exit', () => reject(new Error('the thread of the GraphiQL page ended')))
  })
}

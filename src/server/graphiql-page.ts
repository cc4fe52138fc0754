// GraphiQL's page in every encoding: 9 MB plain, a quarter of it compressed.
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { z } from 'zod'

export const ENCODINGS = ['br', 'gzip', 'identity'] as const
export type Encoding = (typeof ENCODINGS)[number]

/** `tag` identifies the content of a page. */
export type Page = { readonly tag: string; readonly bytes: Readonly<Record<Encoding, Buffer>> }

export const pageWords = z.object({ title: z.string(), query: z.string() })
/** The title of a page, and the query that it begins with. */
export type PageWords = Readonly<z.infer<typeof pageWords>>

const length = z.int().positive()
const pageHead = z.object({ tag: z.string(), lengths: z.object({ br: length, gzip: length, identity: length }) })
export type PageHead = z.infer<typeof pageHead>

const PROCESS = fileURLToPath(new URL('./graphiql-process.ts', import.meta.url))
const LIMITS = { maxBuffer: 64 * 1024 * 1024, timeout: 60_000 }

/** Makes the page in a child process, so that no other request waits for it and its memory is freed. */
export async function makePage(words: PageWords): Promise<Page> {
  const options = { ...LIMITS, encoding: 'buffer' } as const
  const { stdout } = await promisify(execFile)(process.execPath, [PROCESS, JSON.stringify(words)], options)
  const endOfHead = stdout.indexOf('\n')
  const { tag, lengths } = pageHead.parse(JSON.parse(stdout.toString('utf8', 0, endOfHead)))
  let at = endOfHead + 1
  const take = (length: number): Buffer => {
    at += length
    return stdout.subarray(at - length, at)
  }
  return { tag, bytes: { br: take(lengths.br), gzip: take(lengths.gzip), identity: take(lengths.identity) } }
}

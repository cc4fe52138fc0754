// The reader of bodies, behind a server that answers with the bytes or the refusal.
import { createServer, type Server } from 'node:http'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { BodyRefused, readBytes } from '#http/body.ts'

const LIMIT = 1_000
const TEXT = 'x'.repeat(LIMIT)

let server: Server
let url: string
beforeAll(async () => {
  server = createServer((request, response) => {
    readBytes(request, LIMIT).then(
      (bytes) => response.end(bytes),
      (error: unknown) => {
        response.statusCode = error instanceof BodyRefused ? error.status : 500
        response.end()
      },
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
})
afterAll(() => server.close())

async function post(body: string | Uint8Array<ArrayBuffer> | ReadableStream, encoding?: string) {
  const headers = new Headers(encoding === undefined ? [] : [['content-encoding', encoding]])
  const init = { method: 'POST', body, headers, duplex: 'half' } as const
  const response = await fetch(url, init)
  return { status: response.status, text: await response.text() }
}

const chunked = (...chunks: readonly string[]): ReadableStream => new Blob([...chunks]).stream()

const compressed = (compress: (bytes: Buffer) => Buffer, text: string) => Uint8Array.from(compress(Buffer.from(text)))

describe('a body', () => {
  it('is read plain, with a declared length and without one', async () => {
    expect(await post(TEXT)).toEqual({ status: 200, text: TEXT })
    expect(await post(chunked('a', 'b', 'c'))).toEqual({ status: 200, text: 'abc' })
    expect(await post('', 'gzip')).toEqual({ status: 400, text: '' })
    expect(await (await fetch(url)).text()).toBe('')
  })

  it.each([
    ['gzip', gzipSync],
    ['GZIP', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ] as const)('is inflated: %s', async (encoding, compress) => {
    expect(await post(compressed(compress, TEXT), encoding)).toEqual({ status: 200, text: TEXT })
  })

  it('beyond the limit is 413: declared, in chunks, and inflated', async () => {
    expect((await post(`${TEXT}x`)).status).toBe(413)
    expect((await post(chunked(TEXT, 'x'))).status).toBe(413)
    expect((await post(compressed(gzipSync, `${TEXT}x`), 'gzip')).status).toBe(413)
    expect((await post(compressed(gzipSync, TEXT.repeat(100_000)), 'gzip')).status).toBe(413)
  })

  it('that ends early, or is not what its encoding says, is 400', async () => {
    expect((await post(compressed(gzipSync, TEXT).slice(0, -9), 'gzip')).status).toBe(400)
    expect((await post(TEXT, 'br')).status).toBe(400)
  })

  it('in an unknown encoding is 415, and so is a gzip file that no header names', async () => {
    expect((await post(TEXT, 'zstd')).status).toBe(415)
    expect((await post(compressed(gzipSync, TEXT))).status).toBe(415)
  })
})

it('a connection is used again after a refusal', async () => {
  const refusals = await Promise.all(Array.from({ length: 20 }, () => post(TEXT.repeat(1_000))))
  expect(new Set(refusals.map(({ status }) => status))).toEqual(new Set([413]))
  expect((await post('next')).text).toBe('next')
})

// Pictures, and a storage that keeps them in memory.

import { createHash, createHmac } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import sharp from 'sharp'
import type { ObjectStorage } from '#ports/images.ts'

export const createMemoryStorage = (objects = new Map<string, Uint8Array>()): ObjectStorage => ({
  put: async (name, _type, bytes) => void objects.set(name, bytes),
  get: async (name) => objects.get(name) ?? null,
})

/** What the metadata of each picture says. */
export const METADATA = 'a home address'

/** Makes a picture from pixels, because the codec of the service switches off every decoder that it does not need. */
export const picture = (width = 60, height = 40, background = 'teal') =>
  sharp({ create: { width, height, channels: 3, background } }).withExif({ IFD0: { Copyright: METADATA } })

// An S3 bucket in this process, which checks the signature of each request by the published rules of AWS Signature Version 4.

export type FakeS3 = {
  readonly url: string
  readonly objects: ReadonlyMap<string, { readonly type: string; readonly bytes: Uint8Array }>
  /** The statuses of all replies. */
  readonly statuses: readonly number[]
  /** Answers requests with this status until it is null. */
  fail(status: number | null): void
  close(): Promise<void>
}

const sha256 = (data: string | Uint8Array): string => createHash('sha256').update(data).digest('hex')
const hmac = (key: string | Uint8Array, data: string): Buffer => createHmac('sha256', key).update(data).digest()

/** Returns the signature that the request must have. */
function signatureFor({ method = '', url = '', headers }: IncomingMessage, body: Uint8Array, secret: string) {
  const authorization = headers.authorization ?? ''
  const [, scope = ''] = /Credential=[^/]+\/([^,]+)/.exec(authorization) ?? []
  const [, signed = ''] = /SignedHeaders=([^,]+)/.exec(authorization) ?? []
  const payload = String(headers['x-amz-content-sha256'])
  if (payload !== 'UNSIGNED-PAYLOAD' && payload !== sha256(body)) return null
  const [path = '', query = ''] = url.split('?')
  const canonical = [
    method,
    path,
    query,
    ...signed.split(';').map((name) => `${name}:${String(headers[name]).trim()}`),
    '',
    signed,
    payload,
  ].join('\n')
  const [date = '', region = '', service = ''] = scope.split('/')
  const text = ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope, sha256(canonical)].join('\n')
  const key = hmac(hmac(hmac(hmac(`AWS4${secret}`, date), region), service), 'aws4_request')
  return { signature: hmac(key, text).toString('hex'), region, service }
}

export async function startFakeS3(options: { bucket: string; region: string; secret: string }): Promise<FakeS3> {
  const objects = new Map<string, { type: string; bytes: Uint8Array }>()
  const statuses: number[] = []
  let failing: number | null = null
  const answer = async (request: IncomingMessage): Promise<{ status: number; bytes?: Uint8Array }> => {
    const body = await buffer(request)
    if (failing !== null) return { status: failing }
    const expected = signatureFor(request, body, options.secret)
    const isSigned =
      expected !== null &&
      request.headers.authorization?.endsWith(`Signature=${expected.signature}`) === true &&
      expected.region === options.region &&
      expected.service === 's3'
    if (!isSigned) return { status: 403 }
    const prefix = `/${options.bucket}/`
    if (request.url?.startsWith(prefix) !== true) return { status: 404 }
    const name = request.url.slice(prefix.length)
    if (request.method === 'PUT') {
      objects.set(name, { type: request.headers['content-type'] ?? '', bytes: new Uint8Array(body) })
      return { status: 200 }
    }
    const found = objects.get(name)
    return found === undefined ? { status: 404 } : { status: 200, bytes: found.bytes }
  }
  const server = createServer((request, response) => {
    void answer(request).then(({ status, bytes }) => {
      statuses.push(status)
      response.statusCode = status
      response.end(bytes)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    objects,
    statuses,
    fail: (status) => {
      failing = status
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

// The bytes of a request's body, for REST and GraphQL alike.
import type { IncomingMessage } from 'node:http'
import type { Readable, Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { CONTENT_TYPES, MAX_IMAGE_BYTES } from '#core/images/image.ts'
import { declaresBody, isJsonType, mediaTypeOf } from '#http/media-type.ts'
import { isUtf8Type } from '#http/utf8.ts'

/** The bytes of a body that has no image. */
export const MAX_BYTES = 64 * 1024
/** An image of 1 MB in base64, with its document. */
export const MAX_BYTES_WITH_IMAGE = 1_468_006

/** A body that is refused for its form. `message` is for the caller. */
export class BodyRefused extends Error {
  readonly status: number

  constructor(status: number, message: string, options?: ErrorOptions) {
    super(message, options)
    this.status = status
  }
}

const UNREADABLE = 'the body could not be read'
const TOO_LARGE = 'the body is too large'
/** What to do about an encoding that is not read. */
const ENCODINGS = 'send the body plain, or as the gzip, deflate or br that its Content-Encoding header names'

/** Returns whether a body declares that it has more than `MAX_BYTES`. */
export const declaresLargeBody = (request: Pick<IncomingMessage, 'headers'>): boolean =>
  declaredLength(request) > MAX_BYTES

const declaredLength = ({ headers }: Pick<IncomingMessage, 'headers'>): number => Number(headers['content-length'] ?? 0)

/**
 * Returns the bytes of the body, inflated as Content-Encoding says; none for a request without a body. The limit counts
 * inflated bytes. Throws BodyRefused, and discards the rest of the body.
 */
export async function readBytes(request: IncomingMessage, limit: number = MAX_BYTES): Promise<Uint8Array> {
  if (!declaresBody(request)) return new Uint8Array()
  try {
    const encoding = request.headers['content-encoding']?.toLowerCase() ?? 'identity'
    const isPlain = encoding === 'identity'
    if (isPlain && declaredLength(request) > limit) throw new BodyRefused(413, TOO_LARGE)
    const bytes = await (isPlain ? collect(request, limit) : inflate(request, encoding, limit))
    if (isGzip(bytes)) throw new BodyRefused(415, ENCODINGS)
    return bytes
  } catch (error) {
    request.resume()
    throw error
  }
}

/** Recognizes a gzip file (RFC 1952, 2.3.1) that Content-Encoding does not name: nothing would inflate it. */
const isGzip = (bytes: Uint8Array): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b

const INFLATERS: ReadonlyMap<string, () => Transform> = new Map([
  ['gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
])

async function inflate(request: IncomingMessage, encoding: string, limit: number): Promise<Uint8Array> {
  const inflater = INFLATERS.get(encoding)?.()
  if (inflater === undefined) throw new BodyRefused(415, ENCODINGS)
  const cut = (cause: Error) => void inflater.destroy(cause)
  request.once('error', cut)
  request.pipe(inflater)
  try {
    return await collect(inflater, limit)
  } finally {
    request.off('error', cut)
    request.unpipe(inflater)
    inflater.destroy()
  }
}

function collect(source: Readable, limit: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let length = 0
    source.on('data', (chunk: Buffer) => {
      length += chunk.length
      if (length <= limit) chunks.push(chunk)
      else reject(new BodyRefused(413, TOO_LARGE))
    })
    source.once('end', () => resolve(Buffer.concat(chunks)))
    source.once('error', (cause) => reject(new BodyRefused(400, UNREADABLE, { cause })))
  })
}

/** Throws BodyRefused on a body that is not declared as JSON in UTF-8. A request without a body passes. */
export function requireJsonType(request: Pick<IncomingMessage, 'headers'>): void {
  const { headers } = request
  // A client that has nothing to send can say so, and then names no type.
  if (!declaresBody(request) || (headers['content-length'] === '0' && headers['content-type'] === undefined)) return
  if (!isJsonType(request) || !isUtf8Type(headers['content-type']))
    throw new BodyRefused(415, 'send the body as application/json, in UTF-8')
}

const IMAGE_TYPES = Object.values(CONTENT_TYPES)
const SEND_AN_IMAGE = `send the image as ${IMAGE_TYPES.slice(0, -1).join(', ')} or ${IMAGE_TYPES.at(-1)}`

/** Throws BodyRefused on a body that is not declared as an image. A request without a body passes. */
export function requireImageType(request: Pick<IncomingMessage, 'headers'>): void {
  const type = mediaTypeOf(request)
  if (declaresBody(request) && !IMAGE_TYPES.some((one) => one === type)) throw new BodyRefused(415, SEND_AN_IMAGE)
}

/** Returns the bytes of an image of at most 1 MB. Throws BodyRefused. */
export async function imageOf(request: IncomingMessage): Promise<Uint8Array> {
  try {
    return await readBytes(request, MAX_IMAGE_BYTES)
  } catch (cause) {
    if (cause instanceof BodyRefused && cause.status === 413)
      throw new BodyRefused(413, 'the image must have at most 1 MB', { cause })
    throw cause
  }
}

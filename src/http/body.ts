// The bytes of a request's body, for REST and GraphQL alike.
import express, { type Request, type RequestHandler, type Response } from 'express'
import { CONTENT_TYPES, MAX_IMAGE_BYTES } from '#core/images/image.ts'

const MAX_BYTES = 64 * 1024
/** An image of 1 MB in base64, with its document. */
const MAX_BYTES_WITH_IMAGE = 1_468_006

/** A body that is refused for its form. `message` is for the caller. */
export class BodyRefused extends Error {
  readonly status: number

  constructor(status: number, message: string, options?: ErrorOptions) {
    super(message, options)
    this.status = status
  }
}

/** What to do about an encoding that is not read. */
export const ENCODINGS = 'send the body plain, or as the gzip, deflate or br that its Content-Encoding header names'

/** Throws on a gzip file (RFC 1952, 2.3.1) that Content-Encoding does not name: nothing would inflate it. */
function refuseGzip(_request: unknown, _response: unknown, bytes: Buffer): void {
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) throw new BodyRefused(415, ENCODINGS)
}

const reader = (limit: number): RequestHandler => express.raw({ type: () => true, limit, verify: refuseGzip })

/** Puts the bytes on the request, inflated as Content-Encoding says. The limit counts inflated bytes. */
export const readBytes: RequestHandler = reader(MAX_BYTES)

/** The same for a caller that may send an image in JSON. */
export const readBytesWithImage: RequestHandler = reader(MAX_BYTES_WITH_IMAGE)

/** Returns whether a body says that it is larger than `readBytes` reads. */
export const declaresLargeBody = ({ headers }: Pick<Request, 'headers'>): boolean =>
  Number(headers['content-length'] ?? 0) > MAX_BYTES

/** Returns the bytes that a reader reads; none for a request without a body. Throws what the reader refuses. */
export function bytesOf(read: RequestHandler, request: Request, response: Response): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    read(request, response, (error?: unknown) => {
      if (error === undefined) resolve(request.body instanceof Uint8Array ? request.body : new Uint8Array())
      else reject(error)
    })
  })
}

/** Refuses a body that is not declared as an image. A request without a body passes: its input is refused later. */
export const declaredImage: RequestHandler = (request, _response, next) => {
  const types = Object.values(CONTENT_TYPES)
  if (request.is(types) !== false) next()
  else next(new BodyRefused(415, `send the image as ${types.slice(0, -1).join(', ')} or ${types.at(-1)}`))
}

const readImageBytes = reader(MAX_IMAGE_BYTES)

/** Returns the bytes of an image of at most 1 MB. Throws BodyRefused. */
export async function imageOf(request: Request, response: Response): Promise<Uint8Array> {
  try {
    return await bytesOf(readImageBytes, request, response)
  } catch (cause) {
    if (cause instanceof Error && 'status' in cause && cause.status === 413)
      throw new BodyRefused(413, 'the image must have at most 1 MB', { cause })
    throw cause
  }
}

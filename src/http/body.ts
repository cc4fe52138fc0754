// The bytes of a request's body, for REST and GraphQL alike.
import express, { type RequestHandler } from 'express'

const MAX_BYTES = 64 * 1024
/** An image of 1 MB in base64, with its document. */
const MAX_BYTES_WITH_IMAGE = 1_468_006

class Compressed extends Error {
  readonly status = 415
}

/** Throws on a gzip file (RFC 1952, 2.3.1) that Content-Encoding does not name: nothing would inflate it. */
function refuseGzip(_request: unknown, _response: unknown, bytes: Buffer): void {
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) throw new Compressed('the body is a gzip file')
}

/** Puts the bytes on the request, inflated as Content-Encoding says. The limit counts inflated bytes. */
export const readBytes: RequestHandler = express.raw({ type: () => true, limit: MAX_BYTES, verify: refuseGzip })

/** The same for a caller that may send an image. */
export const readBytesWithImage: RequestHandler = express.raw({
  type: () => true,
  limit: MAX_BYTES_WITH_IMAGE,
  verify: refuseGzip,
})

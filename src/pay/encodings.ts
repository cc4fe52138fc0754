// How the pages and their files are compressed.
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Request, Response } from 'express'

const ENCODINGS = ['br', 'gzip', 'identity'] as const
export type Encoding = (typeof ENCODINGS)[number]

/** `thorough`: what is sent often is compressed once, for as long as that takes. */
export async function encode(bytes: Buffer, encoding: Encoding, { thorough }: { thorough: boolean }): Promise<Buffer> {
  if (encoding === 'identity') return bytes
  if (encoding === 'gzip') return await promisify(gzip)(bytes)
  const quality = thorough ? constants.BROTLI_MAX_QUALITY : QUICK
  return await promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: quality } })
}

/** A page takes less than a millisecond, and is as small as by gzip at its best. */
const QUICK = 4

/** Returns what the browser prefers, and names it in the headers of the answer. */
export function chooseEncoding(request: Request, response: Response): Encoding {
  response.vary('Accept-Encoding')
  const preferred = request.acceptsEncodings(...ENCODINGS)
  const encoding = ENCODINGS.find((one) => one === preferred) ?? 'identity'
  if (encoding !== 'identity') response.setHeader('Content-Encoding', encoding)
  return encoding
}

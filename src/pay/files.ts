// The files that pages load. The name of a file has a hash of its content, so that every cache may keep it.
import { readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Request, RequestHandler, Response } from 'express'
import { isReadableOn, textOn } from '#core/accounts/brand.ts'
import { PAY_PATH } from '#http/endpoint.ts'
import { sendError } from '#http/replies.ts'
import { once } from '#lib/cache.ts'
import { accentName, colorOfName } from './accent.ts'
import loads from './generated/loads.json' with { type: 'json' }
import type { PageLinks, PageName } from './page-input.ts'

// How the pages and their files are compressed.

const ENCODINGS = ['br', 'gzip', 'identity'] as const
type Encoding = (typeof ENCODINGS)[number]

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

// The accent color of a business, as a style of its own: no style is inside of a page. docs/contract.md, "Brands".

/** What is behind the text of a page: `--ground` and `--card` of tokens.css. */
export const GROUNDS = { light: ['#f3f4f8', '#ffffff'], dark: ['#0f1117', '#191c25'] } as const

/** Returns the style: the color where it can be read, and the color of the text elsewhere. */
function accentStyle(color: string): string {
  const link = (grounds: readonly string[]) => (isReadableOn(color, grounds) ? color : 'var(--text)')
  const links = `light-dark(${link(GROUNDS.light)}, ${link(GROUNDS.dark)})`
  const onAccent = textOn(color)
  return (
    `:root { --accent: ${color}; --on-accent: ${onAccent}; --link: ${links} }\n` +
    // The color may be that of the card.
    `.button.primary { border-color: color-mix(in srgb, ${color} 70%, ${onAccent}) }\n`
  )
}

const DIRECTORY = join(import.meta.dirname, 'generated/files')
const FOR_A_YEAR = 'public, max-age=31536000, immutable'
/** The widget and the style of a color have fixed names, and so they change under them. */
export const FOR_FIVE_MINUTES = 'public, max-age=300'
const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
}

/** Relative to the pages, so that they work under every path of {pay_url}. */
export const FILES_PATH = `${PAY_PATH}/files`
export const FILE_ROUTE = `${FILES_PATH}/:name`
export const WIDGET_PATH = `${PAY_PATH}/widget.js`

export type File = { readonly type: string; readonly bytes: Readonly<Record<Encoding, () => Promise<Buffer>>> }

const files: ReadonlyMap<string, File> = new Map(
  readdirSync(DIRECTORY).map((name) => [name, fileOf(name, () => readFileSync(join(DIRECTORY, name)))]),
)

/** Each form is made at its first request. */
export function fileOf(name: string, read: () => Buffer): File {
  const formOf = (encoding: Encoding) => once(async () => await encode(read(), encoding, { thorough: true }))
  return {
    type: TYPES[extname(name)] ?? 'application/octet-stream',
    bytes: { br: formOf('br'), gzip: formOf('gzip'), identity: formOf('identity') },
  }
}

export const serveFile: RequestHandler = async (request, response) => {
  response.locals.route = FILE_ROUTE
  const name = String(request.params.name)
  await send(name, colorOfName(name) === null ? FOR_A_YEAR : FOR_FIVE_MINUTES, request, response)
}

export const serveWidget: RequestHandler = async (request, response) => {
  response.locals.route = WIDGET_PATH
  await send('widget.js', FOR_FIVE_MINUTES, request, response)
}

async function send(name: string, caching: string, request: Request, response: Response): Promise<void> {
  const file = files.get(name) ?? accentFile(name)
  if (file === undefined) return sendError(response, 404, 'not found')
  await sendFile(file, caching, request, response)
}

export async function sendFile(file: File, caching: string, request: Request, response: Response): Promise<void> {
  const bytes = await file.bytes[chooseEncoding(request, response)]()
  response.setHeader('Cache-Control', caching)
  response.setHeader('Content-Type', file.type)
  response.setHeader('Content-Length', bytes.length)
  response.end(bytes)
}

/** Returns the style of an accent color, which its name has; undefined for every other name. */
function accentFile(name: string): File | undefined {
  const color = colorOfName(name)
  if (color === null) return undefined
  return fileOf(name, () => Buffer.from(accentStyle(color)))
}

/** Returns what a page loads, as paths below `path`. */
export function filesOf(
  page: PageName,
  path: string,
  { isSandbox, accent }: { readonly isSandbox: boolean; readonly accent: string | null },
): Omit<PageLinks, 'languages'> {
  const pathsOf = (entry: string): string[] =>
    Object.entries(loads).flatMap(([name, all]) => (name === entry ? all.map((file) => `${path}/${file}`) : []))
  const styles = [...pathsOf('style.css'), ...(accent === null ? [] : [`${path}/${accentName(accent)}`])]
  const [script, ...modules] = pathsOf(`${page}.tsx`)
  const scripts = script === undefined ? [] : [script, ...(isSandbox ? pathsOf('demo-wallet.ts').slice(0, 1) : [])]
  return { styles, scripts, modules }
}

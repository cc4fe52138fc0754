// A drawn request, and its bytes.
import type { Dice } from '../simulator/dice.ts'
import { mutated, strangeText } from './values.ts'

export type Draft = {
  readonly method: string
  readonly target: string
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: Buffer | null
}

/** `isWhole`: the request is valid HTTP, so the service must reply to it. */
export type Sent = { readonly bytes: Buffer; readonly isHead: boolean; readonly isWhole: boolean }

const HOSTS = [
  'a b',
  'x/y',
  '',
  'localhost:99999',
  'user@host',
  'exa\u00e4mple',
  '[::1',
  '127.0.0.1',
  'a,b',
  '..',
  '%00',
]
const PATHS = [
  '//',
  '/.',
  '/..',
  '/%',
  '/%zz',
  '/%00',
  '/\\',
  '/?',
  '/#',
  `/${'a'.repeat(9_000)}`,
  '/INTENTS',
  '/Status/',
]
const TYPES = [
  'application/json',
  'application/json; charset=utf-16',
  'application/json; charset=utf-8; charset=latin1',
  'text/plain',
  'multipart/form-data; boundary=x',
  'application/x-www-form-urlencoded',
  'application/graphql',
  'application/graphql-response+json',
  ';;;',
  '',
]
const ACCEPTS = ['*/*', 'application/json', 'text/html', 'text/event-stream', 'image/png', 'application/*;q=0', ';', '']
const METHODS = ['GET', 'POST', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'QUERY']

type Alter = (dice: Dice, draft: Draft, known: readonly string[]) => Draft

const withHeader = (draft: Draft, name: string, value: string): Draft => ({
  ...draft,
  headers: [...draft.headers.filter(([other]) => other.toLowerCase() !== name.toLowerCase()), [name, value]],
})

const ALTERATIONS: readonly Alter[] = [
  (dice, draft) => withHeader(draft, 'Host', dice.pick(HOSTS)),
  (dice, draft) => ({ ...draft, headers: [...draft.headers, ['Host', dice.pick(HOSTS)]] }),
  (_dice, draft) => ({ ...draft, headers: draft.headers.filter(([name]) => name !== 'Host') }),
  (dice, draft) => ({ ...draft, target: dice.pick(PATHS) }),
  (dice, draft) => ({ ...draft, target: `${draft.target}${dice.pick(PATHS)}` }),
  (dice, draft) => ({
    ...draft,
    target: dice.pick(['http://[bad', 'http://a b', 'https://x', '*', 'ftp:']) + draft.target,
  }),
  (_dice, draft) => ({ ...draft, target: draft.target.toUpperCase() }),
  (dice, draft) => ({ ...draft, method: dice.pick(METHODS) }),
  (dice, draft) => withHeader(draft, 'Content-Type', dice.pick(TYPES)),
  (dice, draft) => withHeader(draft, 'Accept', dice.pick(ACCEPTS)),
  (dice, draft, known) => withHeader(draft, 'Authorization', `Bearer ${inHeader(strangeText(dice, known))}`),
  (dice, draft) =>
    withHeader(draft, 'Authorization', dice.pick(['', 'Bearer', 'Basic YTpi', 'bearer  x y', 'Bearer sk_'])),
  (dice, draft, known) => withHeader(draft, 'X-Platform-On-Behalf-Of', inHeader(strangeText(dice, known))),
  (dice, draft, known) => withHeader(draft, 'X-Request-Id', inHeader(strangeText(dice, known))),
  (dice, draft, known) => withHeader(draft, 'X-Forwarded-For', inHeader(strangeText(dice, known))),
  (dice, draft) => withHeader(draft, 'Content-Encoding', dice.pick(['gzip', 'br', 'deflate', 'identity', 'x'])),
  (dice, draft) => withHeader(draft, 'Expect', dice.pick(['100-continue', '200-ok', ''])),
  (dice, draft) => withHeader(draft, 'Upgrade', dice.pick(['websocket', 'h2c', 'x'])),
  (_dice, draft) => withHeader(draft, 'X-Long', 'y'.repeat(20_000)),
  (dice, draft) => ({
    ...draft,
    headers: [...draft.headers, ...Array.from({ length: dice.between(1, 120) }, (_, at) => [`X-${at}`, '1'] as const)],
  }),
]

/** Removes characters that no header may contain: they would add a second mistake. */
const inHeader = (text: string): string => Buffer.from(text.replace(/\p{Cc}/gu, '')).toString('latin1')

/** Draws a change of a request: none mostly, otherwise other texts or other bytes. */
export function send(dice: Dice, draft: Draft, known: readonly string[]): Sent {
  let altered = draft
  if (dice.chance(0.35)) {
    for (let count = dice.between(1, 2); count > 0; count -= 1) altered = dice.pick(ALTERATIONS)(dice, altered, known)
  }
  const bytes = bytesOf(altered)
  if (dice.chance(0.06)) return { bytes: mutated(dice, bytes), isHead: altered.method === 'HEAD', isWhole: false }
  return { bytes, isHead: altered.method === 'HEAD', isWhole: isValid(altered) }
}

function bytesOf({ method, target, headers, body }: Draft): Buffer {
  const length = body === null ? [] : [['Content-Length', String(body.length)] as const]
  const lines = [...headers, ...length].map(([name, value]) => `${name}: ${value}\r\n`)
  const head = `${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n`
  return Buffer.concat([Buffer.from(head, 'latin1'), body ?? Buffer.alloc(0)])
}

/** A client that sends other methods may be cut off without a reply. */
const isValid = ({ target, headers }: Draft): boolean =>
  /^[!-~]+$/.test(target) && headers.every(([, value]) => !/[^\P{Cc}\t\u0080-\u009f]/u.test(value))

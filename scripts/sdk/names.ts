// The names of the client's methods. They derive from the path, the method and the id of an operation, so that a new endpoint has one
// without a line here.

/** Groups of endpoints whose paths do not show what they are about. */
const RESOURCES: readonly (readonly [path: RegExp, resource: string])[] = [
  [/^\/(?:intents|status|sweep|cancel|payments)$/, 'payments'],
  [/^\/payments(?=\/)/, 'payments'],
  [/^\/intents(?=\/)/, 'checkout'],
  [/^\/pay\/s(?=\/)/, 'subscription-checkout'],
  [/^\/pay\/m(?=\/)/, 'subscription-portal'],
  [/^\/pay\/manage/, 'portal-recovery'],
]

export type Named = {
  readonly method: string
  readonly path: string
  readonly id: string
  readonly isList: boolean
  /** Whether another operation has a longer path that begins with this one, or the same path. */
  readonly isResource: boolean
}

const camel = (text: string): string => text.replace(/[-_](\w)/g, (_all, letter: string) => letter.toUpperCase())
const upperFirst = (text: string): string => text.replace(/^./, (letter) => letter.toUpperCase())
const isParameter = (part: string | undefined): boolean => part?.startsWith('{') === true

/** Returns the place of a method in the client, such as `['webhookEndpoints', 'rotateSecret']`. */
export function placeOf({ method, path, id, isList, isResource }: Named): readonly string[] {
  const [pattern, resource] = RESOURCES.find(([one]) => one.test(path)) ?? []
  const rest = pattern === undefined ? path : path.replace(pattern, '')
  const parts = rest.split('/').filter((part) => part !== '')
  const own = resource === undefined ? [] : [camel(resource)]
  const last = parts.at(-1)
  const named = parts.filter((part) => !isParameter(part)).map((part) => camel(part.replace(/\.\w+$/, '')))
  const [verb = id] = /^[a-z]+/.exec(id) ?? []

  if (isList) return [...own, ...named, 'list']
  if (isParameter(last)) return [...own, ...named, method === 'GET' ? 'get' : verb]
  const isAction = parts.some(isParameter) && method !== 'GET'
  if (isAction && (method === 'PUT' || method === 'DELETE'))
    return [...own, ...named.slice(0, -1), `${verb}${upperFirst(named.at(-1) ?? '')}`]
  if (verb === 'create') return [...own, ...named, 'create']
  if (resource !== undefined && named.length === 0) return [...own, nameAtTop(path, verb)]
  if (isResource && !isAction) return [...own, ...named, method === 'GET' ? 'get' : verb]
  return [...own, ...named]
}

/** Names what the whole path is: `GET /status` is `payments.status`, and `GET /intents`, which the id calls `findIntent`, `payments.find`. */
function nameAtTop(path: string, verb: string): string {
  const name = path.split('/').at(-1) ?? ''
  return name === 'intents' ? verb : name === 'manage' ? 'get' : camel(name)
}

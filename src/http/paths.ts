// Finds the route of a path. A part of a route such as `:id` stands for any one part of a path.

export type FoundRoute<Route> = { readonly route: Route; readonly params: Readonly<Record<string, string>> }

/**
 * Returns a function that finds the route of a path, or null. A fixed route is found before a route with parameters; those
 * are tried in their order. One slash at the end of a path does not count. A path must be decodable.
 */
export function createPaths<Route>(routes: ReadonlyMap<string, Route>): (path: string) => FoundRoute<Route> | null {
  const fixed = new Map<string, FoundRoute<Route>>()
  const patterns: { readonly pattern: RegExp; readonly route: Route }[] = []
  for (const [path, route] of routes) {
    if (path.includes(':')) patterns.push({ pattern: patternOf(path), route })
    else fixed.set(path, { route, params: {} })
  }

  const matching = (path: string): FoundRoute<Route> | null => {
    for (const { pattern, route } of patterns) {
      const match = pattern.exec(path)
      if (match !== null) return { route, params: decoded(match.groups ?? {}) }
    }
    return null
  }

  return (path) => {
    const bare = path.endsWith('/') ? path.slice(0, -1) : path
    return fixed.get(bare) ?? matching(bare)
  }
}

const patternOf = (path: string): RegExp => new RegExp(`^${path.replace(/:(\w+)/g, '(?<$1>[^/]+)')}$`)

const decoded = (params: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(params).map(([name, value]) => [name, decodeURIComponent(value)]))

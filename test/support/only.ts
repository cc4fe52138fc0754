/** A port of which only what is given may be called: anything else fails the test by its name. */
export function only<T extends object>(port: string, given: Partial<T>): T {
  const target: object = given
  return new Proxy(target, {
    get(_, method) {
      if (method in target) return Reflect.get(target, method)
      // Whoever awaits the port itself asks for this; it is no call.
      if (method === 'then') return undefined
      throw new Error(`${port}.${String(method)} is not expected here`)
    },
  }) as T
}

/** A port of which only the given methods may be called. Every other call throws an error that names the method. */
export function only<T extends object>(port: string, given: Partial<T>): T {
  const target: object = given
  return new Proxy(target, {
    get(_, method) {
      if (method in target) return Reflect.get(target, method)
      // `await` on the port itself reads this property; it is no call.
      if (method === 'then') return undefined
      throw new Error(`${port}.${String(method)} is not expected here`)
    },
  }) as T
}

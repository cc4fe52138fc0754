/**
 * A port of which only the given methods may be called. Every other call does what `otherwise` does; without it, an error
 * names the method.
 */
export function only<T extends object>(port: string, given: Partial<T>, otherwise?: () => never): T {
  const target: object = given
  return new Proxy(target, {
    get(_, method) {
      if (method in target) return Reflect.get(target, method)
      // `await` on the port itself reads this property; it is no call.
      if (method === 'then') return undefined
      const refuse = () => {
        throw new Error(`${port}.${String(method)} is not expected here`)
      }
      return otherwise ?? refuse
    },
  }) as T
}

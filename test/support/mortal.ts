/** The error that every call of a dead instance throws. */
export class Crash extends Error {}

export type CrashPoint = { readonly at: number; readonly when: 'before' | 'after' }

/** Methods that answer at once cannot be wrapped: their caller would receive a promise. */
type Asynchronous<T> = {
  [Name in keyof T]: T[Name] extends (...args: never[]) => infer Answer
    ? Answer extends Promise<unknown> | null
      ? T[Name]
      : never
    : T[Name]
}

/**
 * Creates the life of an instance that dies at its `at`th call of any port: `before` the call has its effect, or
 * `after` it, when the answer is lost. From then on no call of this instance has any effect.
 */
export function createLife(end: CrashPoint | null) {
  let calls = 0
  let over = false
  let fellAt: string | null = null
  const die = (): never => {
    over = true
    throw new Crash('the instance is dead')
  }
  return {
    /** Returns the port as this instance sees it. */
    wrap<T extends object>(port: T & Asynchronous<T>): T {
      return new Proxy(port, {
        get(target, name) {
          const method: unknown = Reflect.get(target, name)
          if (typeof method !== 'function') return method
          return async (...args: unknown[]) => {
            if (over) die()
            calls += 1
            const last = calls === end?.at
            if (last) fellAt = `${end.when} ${String(name)}`
            if (last && end.when === 'before') die()
            const answer: unknown = await Reflect.apply(method, target, args)
            if (over || last) die()
            return answer
          }
        },
      })
    },
    calls: () => calls,
    isOver: () => over,
    /** The call at which the instance died, for people. */
    fellAt: () => fellAt,
  }
}
export type Life = ReturnType<typeof createLife>

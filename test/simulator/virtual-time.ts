// The time of the simulated world. Whatever in this process asks the machine for it, the database engine and its client
// included, is told this one: a day passes in a moment, and the same day again in a second run.

/** When every simulated life begins. */
export const DAWN = Date.UTC(2026, 10, 20, 6, 0, 0)

const RealDate = globalThis.Date
let now: number | null = null

export const virtualNow = (): number => now ?? DAWN

/** Moves the world's time; never back. */
export function passTo(time: number): void {
  now = Math.max(virtualNow(), time)
}

/** From now on this process lives at dawn. */
export function stopTheClock(): void {
  now = DAWN
  globalThis.Date = new Proxy(RealDate, {
    construct: (target, args, newTarget) =>
      Reflect.construct(target, args.length === 0 ? [virtualNow()] : args, newTarget),
    apply: () => new RealDate(virtualNow()).toString(),
    get: (target, name) => (name === 'now' ? virtualNow : Reflect.get(target, name)),
  })
}

// The time of the simulated world. Everything in this process, including the database engine and its client, reads this
// time. A day passes in a moment, and is the same in a second run.

/** When every simulated life begins. */
export const DAWN = Date.UTC(2026, 10, 20, 6, 0, 0)

const RealDate = globalThis.Date
let now: number | null = null

export const virtualNow = (): number => now ?? DAWN

/** Moves the simulated time forward; never back. */
export function passTo(time: number): void {
  now = Math.max(virtualNow(), time)
}

/** From now on this process uses simulated time, at its start. */
export function stopTheClock(): void {
  now = DAWN
  globalThis.Date = new Proxy(RealDate, {
    construct: (target, args, newTarget) =>
      Reflect.construct(target, args.length === 0 ? [virtualNow()] : args, newTarget),
    apply: () => new RealDate(virtualNow()).toString(),
    get: (target, name) => (name === 'now' ? virtualNow : Reflect.get(target, name)),
  })
}

// One attack in a process of its own, behind the shop's client in the queue for the processor: in truth it would have a
// machine of its own. Told which by its parent; its connections end with it.
import { setPriority } from 'node:os'
import type { Target } from './attack.ts'
import { ATTACKS } from './attacks/attacks.ts'

const BEHIND = 10

setPriority(BEHIND)
process.once('message', ({ name, target, ms }: { name: string; target: Target; ms: number }) => {
  const attack = ATTACKS.find((one) => one.name === name)
  if (attack === undefined) throw new Error(`there is no attack ${name}`)
  const over = new AbortController()
  // A timer of its own: connections that are not read keep no process alive, and neither does AbortSignal.timeout.
  setTimeout(() => over.abort(), ms)
  void attack.run(target, over.signal).then((deed) => process.send?.(deed))
})

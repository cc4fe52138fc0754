// One attack in its own process, with a lower priority than the shop's client: a real attacker would have its own
// machine. The parent process names the attack. The connections end with the process.
import { setPriority } from 'node:os'
import type { Target } from './attack.ts'
import { ATTACKS } from './attacks/attacks.ts'

const BEHIND = 10

setPriority(BEHIND)
process.once('message', ({ name, target, ms }: { name: string; target: Target; ms: number }) => {
  const attack = ATTACKS.find((one) => one.name === name)
  if (attack === undefined) throw new Error(`there is no attack ${name}`)
  const over = new AbortController()
  // A timer keeps the process alive: connections that are not read and AbortSignal.timeout do not.
  setTimeout(() => over.abort(), ms)
  void attack.run(target, over.signal).then((deed) => process.send?.(deed))
})

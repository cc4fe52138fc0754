// What the intent machine needs besides the intent: the platform's terms on a network, and its allowlist.
import type { Network } from '#core/chain/types.ts'

import type { FeeTerms } from '#core/intents/settlement-plan.ts'
import type { Surroundings } from '#core/intents/surroundings.ts'
import type { Clock } from '#ports/clock.ts'
import type { Directory } from '#services/directory.ts'

export type ReadSurroundings = (network: Network) => Promise<Surroundings>

export const createSurroundings =
  (deps: {
    clock: Clock
    directory: Pick<Directory, 'tokens'>
    terms: (network: Network) => FeeTerms
  }): ReadSurroundings =>
  async (network) => ({
    now: deps.clock.now(),
    terms: deps.terms(network),
    tokens: await deps.directory.tokens(network),
  })

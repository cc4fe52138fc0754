// A planted bug between the services and their ports, which the monitor must find.
import type { InstancePorts, WorldPorts } from '../ports.ts'
import type { Ground } from '../world.ts'

export type Plant = {
  readonly name: string
  /** The mistake, in a sentence. */
  readonly mistake: string
  /** Each seed has a season of subscriptions. */
  readonly subscriptions?: true
  /** Each seed has failovers of the database. */
  readonly failovers?: true
  /** A mistake of a service: it calls its ports wrongly, or trusts uncertain data. */
  readonly above?: (ports: InstancePorts, ground: Ground) => InstancePorts
  /** A mistake of a store or a signer: it breaks its contract. */
  readonly below?: (ports: WorldPorts, ground: Ground) => WorldPorts
  /** A mistake in the rules of the database. */
  readonly sql?: string
}

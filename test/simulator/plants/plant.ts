// A bug put in on purpose, between the services and their ports: whoever looks for bugs must find it.
import type { InstancePorts, WorldPorts } from '../ports.ts'
import type { Ground } from '../world.ts'

export type Plant = {
  readonly name: string
  /** What somebody did wrong. */
  readonly mistake: string
  /** A mistake of a service: it asks its ports for the wrong thing, or trusts what it should not. */
  readonly above?: (ports: InstancePorts, ground: Ground) => InstancePorts
  /** A mistake of a store or a signer: it does not keep what it promises. */
  readonly below?: (ports: WorldPorts, ground: Ground) => WorldPorts
  /** A mistake of the database's own rules. */
  readonly sql?: string
}

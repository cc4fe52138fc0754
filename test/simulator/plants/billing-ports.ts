// Where mistakes of recurring billing are planted: between the services and the stores of subscriptions and allowances.
import type { BillingChange } from '#core/billing/machine/change.ts'
import type { Slice } from '#core/billing/room.ts'
import type { DelegationStore } from '#ports/billing.ts'
import { type InstancePorts, replaced, type WorldPorts } from '../ports.ts'
import type { Plant } from './plant.ts'

export type Above = NonNullable<Plant['above']>
export type Below = NonNullable<Plant['below']>

export const withBilling = <T extends Pick<WorldPorts, 'billing'>>(
  ports: T,
  patch: Partial<WorldPorts['billing']>,
): T => ({
  ...ports,
  billing: replaced(ports.billing, patch),
})

/** Changes are altered on their way to the store. */
export const changed =
  (alter: (change: BillingChange, ports: InstancePorts) => BillingChange | Promise<BillingChange>): Above =>
  (ports) =>
    withBilling(ports, {
      apply: async (change, ...rest) => ports.billing.apply(await alter(change, ports), ...rest),
    })

export const slicesRead =
  (alter: (slices: readonly Slice[]) => readonly Slice[]): Above =>
  (ports) => ({
    ...ports,
    delegations: replaced<DelegationStore>(ports.delegations, {
      slices: async (id) => alter(await ports.delegations.slices(id)),
    }),
  })

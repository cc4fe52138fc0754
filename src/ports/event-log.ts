// The stored event log of each business.
import type { Tenant } from '#core/accounts/account.ts'
import type { LoggedEvent, LogPage } from '#core/events/log.ts'

export type EventLog = {
  /**
   * Returns the events that the business receives, those of its sellers included, whose place in the order is certain. An
   * event that is read later has a place behind them. Deleted events are missing.
   */
  read(tenant: Tenant, page: LogPage): Promise<readonly LoggedEvent[]>
}

// What the document says of the service.
import { type DashboardSite, type EarlyRequest, SITE_ID } from '#dashboard/site.ts'

declare global {
  interface Window {
    /** The answers to what was asked before the script was there, by `earlyKey`. Each is taken once. The first script makes it. */
    early: Map<string, Promise<Response | null>>
  }
}

/** Names a request by its operation and its variables, in any order: the client sorts those that it sends. */
export const earlyKey = ({ operationName, variables }: Omit<EarlyRequest, 'query'>): string =>
  JSON.stringify([operationName, Object.entries(variables).toSorted()])

export const site: DashboardSite = JSON.parse(document.getElementById(SITE_ID)?.textContent ?? 'null')

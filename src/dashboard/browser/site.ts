// What the document says of the service.
import { type DashboardSite, type EarlyRequest, SITE_ID } from '#dashboard/site.ts'

declare global {
  interface Window {
    /** The answers to what was asked before the script was there, by `earlyKey`. Each is taken once. */
    early?: Map<string, Promise<Response | null>>
  }
}

export const earlyKey = ({ operationName, variables }: Omit<EarlyRequest, 'query'>): string =>
  JSON.stringify([operationName, variables])

export const site: DashboardSite = JSON.parse(document.getElementById(SITE_ID)?.textContent ?? 'null')

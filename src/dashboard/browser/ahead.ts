// Asks for what the start page shows before it is known who is logged in: it is there one round trip earlier.
import { client } from '#dashboard/browser/client.ts'
import { LATEST_PAYMENTS } from '#dashboard/browser/pages/home.tsx'
import { HOME } from '#dashboard/browser/paths.ts'
import { site } from '#dashboard/browser/site.ts'
import { DashboardMeDocument, DashboardNowDocument, DashboardPaymentsDocument } from '#dashboard/documents.generated.ts'

/** The answers wait in the cache of the client. */
export function askAhead(): void {
  if (!site.hasSession) return
  void client.query(String(DashboardMeDocument), {}).toPromise()
  if (location.pathname !== HOME) return
  void client.query(String(DashboardPaymentsDocument), LATEST_PAYMENTS).toPromise()
  void client.query(String(DashboardNowDocument), {}).toPromise()
}

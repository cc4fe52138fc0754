// What the document says of the service.
import { type DashboardSite, SITE_ID } from '#dashboard/site.ts'

export const site: DashboardSite = JSON.parse(document.getElementById(SITE_ID)?.textContent ?? 'null')

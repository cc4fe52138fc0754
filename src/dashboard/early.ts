// What a browser asks for before the script of the dashboard has arrived: who is logged in, and what the start page shows.
import {
  DashboardMeDocument,
  DashboardNowDocument,
  DashboardPaymentsDocument,
  type DashboardPaymentsQueryVariables,
} from '#dashboard/documents.generated.ts'
import type { DashboardSite, EarlyRequest } from '#dashboard/site.ts'

export const LATEST_PAYMENTS: DashboardPaymentsQueryVariables = {
  first: 8,
  after: null,
  last: null,
  before: null,
  filter: null,
}

const request = (operationName: string, document: object, variables: object = {}): EarlyRequest => ({
  operationName,
  query: String(document),
  variables,
})

export const EARLY: DashboardSite['early'] = {
  always: [request('DashboardMe', DashboardMeDocument)],
  home: [
    request('DashboardPayments', DashboardPaymentsDocument, LATEST_PAYMENTS),
    request('DashboardNow', DashboardNowDocument),
  ],
}

// What the document of the dashboard and its script share.

/** What the script knows of the service. */
export type DashboardSite = {
  /** The path of {base_url}, without a slash at the end. The API is below it; the operator's has a path of its own. */
  readonly root: string
  readonly isSandbox: boolean
  /** Whether the browser has the cookie of a session, which may be over. Without one the way in is shown at once. */
  readonly hasSession: boolean
  /** The chains as wallets name them, such as `solana:mainnet`. Null for a network that is not configured. */
  readonly chains: Readonly<Record<'live' | 'test', string | null>>
  /** The directory of the files that pages load, and the styles of the pages of buyers in it. */
  readonly files: string
  readonly buyerStyles: readonly string[]
  /** What is asked before the script is there: on every page, and on the start page. null without a session. */
  readonly early: { readonly always: readonly EarlyRequest[]; readonly home: readonly EarlyRequest[] } | null
}

/** A request of GraphQL. */
export type EarlyRequest = { readonly operationName: string; readonly query: string; readonly variables: object }

/** The elements that the script fills, and reads. */
export const APP_ID = 'app'
export const SITE_ID = 'site'

/** The path of the dashboard below `root`: {base_url} for businesses. */
export const DASHBOARD_PATH = '/dashboard'
/** The root of the operator's dashboard and API. */
export const OPERATOR_ROOT = '/operator'

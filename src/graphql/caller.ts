// Who asks: one request, and the principal that it proved.
import { countedAs } from '#core/network/ip-address.ts'
import type { OnCounted } from '#graphql/limits.ts'
import type { AnyPrincipal, Principal, Sent } from '#graphql/principal.ts'

export type Caller<P extends AnyPrincipal = Principal> = {
  readonly principal: P
  /** What proved the principal, so that a long-lived stream can ask again; null for anonymous. */
  readonly sent: Sent
  /** The network address that the request came from. */
  readonly address: string
  readonly requestId: string
  /** Aborts when the request is over or its client is gone. Only a request that can wait has it. */
  readonly signal?: AbortSignal
  /** Called with each tally that the request counts towards. A request over HTTP has it. */
  readonly onCounted?: OnCounted
  /** Called with the code of a refusal. A request to /graphql over HTTP has it. */
  readonly onRefused?: (code: string) => void
  /** Called when the answer shows what an earlier request has created. A request over HTTP has it. */
  readonly onRepeat?: () => void
  /** The browser of one of our own pages, which can keep a session. Only a request to /graphql over HTTP has it. */
  readonly browser?: OwnBrowser
  /** Called with the digest of a client secret or a hosted token that was accepted. Only an operation of a websocket has it. */
  readonly onProof?: (digest: string) => void
}

export type OwnBrowser = {
  readonly userAgent: string
  /** Keeps the secret of a session in a cookie. */
  keep(secret: string): void
  /** Removes the cookie. */
  forget(): void
}

/** Returns the name under which the work of a caller is counted: its business, or its address. */
export const callerName = ({ principal, address }: Pick<Caller<AnyPrincipal>, 'principal' | 'address'>): string =>
  principal.kind === 'business' ? principal.tenant.accountId : `${principal.kind} ${countedAs(address)}`

// /graphql over a websocket, for live status: graphql-transport-ws, with the same documents, limits and errors as HTTP.

import type { IncomingMessage, Server } from 'node:http'
import { type GraphQLError, OperationTypeNode } from 'graphql'
import type { SubscribePayload } from 'graphql-ws'
import { ServiceError } from '#core/errors.ts'
import { isRecord } from '#core/json.ts'
import type { Caller } from '#graphql/caller.ts'
import type { Context, Edge } from '#graphql/context.ts'
import { onlyDeclared } from '#graphql/documents/admission.ts'
import type { Principal, Sent } from '#graphql/principal.ts'
import { isShown } from '#graphql/public-error.ts'
import { doneInSteps } from '#lib/steps.ts'
import { GRAPHQL_PATH } from './graphql.ts'
import { headFault, readHead } from './request-head.ts'
import type { AdmittedClient, Asking, Client, Host } from './websocket/connection.ts'
import type { WebSocketLimits } from './websocket/limits.ts'
import type { Preparation } from './websocket/operation.ts'
import type { EndingReason, Reports } from './websocket/reports.ts'
import { Upgrades } from './websocket/upgrades.ts'
import type { Yoga } from './yoga-over-http.ts'

// The places where a websocket client can put its credential. A browser cannot set a header of the upgrade request.

type Fields = Readonly<Record<string, unknown>>

/**
 * Returns the Authorization texts of a connection_init payload, or of a subscribe payload's extensions: GraphiQL sends
 * the headers of its editor as `headers` there. A field that is not a string is ignored.
 */
function authorizationsIn(payload: unknown): readonly string[] {
  if (!isRecord(payload)) return []
  const { headers } = payload
  return [...namedAuthorization(payload), ...(isRecord(headers) ? namedAuthorization(headers) : [])]
}

const namedAuthorization = (fields: Fields): readonly string[] =>
  Object.entries(fields).flatMap(([name, value]) =>
    name.toLowerCase() === 'authorization' && typeof value === 'string' ? [value] : [],
  )

/**
 * Returns the Authorization text, which may be given in several places; what the connection was sent with where there is none.
 * Throws `unauthenticated` on two different texts.
 */
function agreedCredential(sent: Sent, given: readonly string[]): Sent {
  const different = new Set(typeof sent === 'string' ? [sent, ...given] : given)
  if (different.size > 1) throw new ServiceError('unauthenticated')
  const [text = sent] = different
  return text
}

/** Operations of clients without a key that begin in one turn of the event loop. Others are served between two turns. */
export const BEGUN_IN_A_TURN = 10

type WebSocketParts = {
  readonly yoga: Yoga<Principal, Context>
  readonly edge: Edge
  readonly limits: WebSocketLimits
  readonly newId: () => string
  readonly sentWith: Host['sentWith']
  readonly reports: Reports
}

export type WebSockets = {
  count(): number
  /** Bytes that wait for clients to read them. */
  bufferedBytes(): number
  close(): Promise<void>
}

export function attachWebSockets(server: Server, trustProxy: boolean, parts: WebSocketParts): WebSockets {
  const { limits, newId, edge, reports, sentWith } = parts
  const begin = doneInSteps(BEGUN_IN_A_TURN, (start: () => void) => start())
  const upgrades = new Upgrades(
    {
      limits,
      newId,
      reports,
      sentWith,
      now: () => performance.now(),
      admit: (params, upgrade) => admit(parts, params, upgrade),
      async prepare(client, payload, asking) {
        if (client.accountId === null) await new Promise<void>(begin)
        return await prepare(parts, client, payload, asking)
      },
      show: (error) => showThrown(edge, error, newId()),
    },
    trustProxy,
  )
  upgrades.listen(server)
  return {
    count: () => upgrades.count,
    bufferedBytes: () => upgrades.bufferedBytes,
    async close() {
      await upgrades.close()
      reports.close()
    },
  }
}

/**
 * Returns true for the only upgrade that is accepted. Others, such as the h2c of many HTTP clients, are ignored: RFC
 * 9110, 7.8. An upgrade whose head is not valid is ignored too: the request is then refused like a plain request.
 */
export function offersWebSocket(request: IncomingMessage): boolean {
  if (request.headers.upgrade?.toLowerCase() !== 'websocket') return false
  readHead(request)
  return headFault(request) === null && pathOf(request) === GRAPHQL_PATH
}

const pathOf = ({ url = '' }: IncomingMessage): string => url.split('?', 1)[0] ?? ''

/** Reads the credential of the upgrade request or of connection_init. Without a credential the connection is anonymous. */
async function admit(
  { edge, newId }: WebSocketParts,
  params: Record<string, unknown>,
  upgrade: Client,
): Promise<AdmittedClient | EndingReason> {
  const { address } = upgrade
  try {
    const sent = agreedCredential(upgrade.sent, authorizationsIn(params))
    const principal = await edge.identify(sent, address)
    const accountId = principal.kind === 'business' ? principal.tenant.accountId : null
    return { sent, address, accountId }
  } catch (error) {
    const { code } = edge.errors.show(error, newId())
    return WRONG.has(code) ? 'wrong_credential' : 'unchecked_credential'
  }
}

/** The codes of a credential that proves nothing. Any other code means that it could not be checked. */
const WRONG: ReadonlySet<string> = new Set(['unauthenticated', 'rate_limited'])

async function prepare(
  { yoga, edge, newId }: WebSocketParts,
  client: AdmittedClient,
  asked: SubscribePayload,
  { signal, onProof }: Asking,
): Promise<Preparation> {
  const requestId = newId()
  const { address } = client
  try {
    const sent = agreedCredential(client.sent, authorizationsIn(asked.extensions))
    const principal = await edge.identify(sent, address)
    if (principal.kind === 'business') onProof(principal.tenant.accountId)
    const caller: Caller = { principal, sent, address, requestId, signal, onProof }
    const admission = await edge.admit(caller, asked)
    if ('refused' in admission) return admission.refused
    const { document, kind } = admission
    const { operationName, variables } = onlyDeclared(asked, document)
    const { schema, contextFactory, execute, subscribe } = yoga.getEnveloped({ caller, admission })
    const run = kind === OperationTypeNode.SUBSCRIPTION ? subscribe : execute
    const contextValue = await contextFactory()
    return () => run({ schema, document, variableValues: variables, operationName, contextValue })
  } catch (error) {
    return [edge.errors.showGraphQL(error, requestId)]
  }
}

const showThrown = ({ errors }: Edge, error: unknown, requestId: string): GraphQLError =>
  isShown(error) ? error : errors.showGraphQL(error, requestId)

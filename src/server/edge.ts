// The dependencies of the resolvers and gates of both schemas, created once. They share the limits and the turns of
// heavy work.
import type { TenantReads } from '#adapters/prisma/tenant-reads.ts'
import type { Tenant } from '#core/accounts/account.ts'
import type { Edge } from '#graphql/context.ts'
import { createCursors } from '#graphql/cursor.ts'
import { createAdmit } from '#graphql/documents/admission.ts'
import { createKnownDocuments } from '#graphql/documents/known.ts'
import { DOCUMENT_LIMITS, DOCUMENT_MEMORY, OPERATOR_DOCUMENT_MEMORY } from '#graphql/documents/limits.ts'
import { createHeavyWork, HEAVY_WORK_LIMITS } from '#graphql/heavy-work.ts'
import { createLimits, NO_LIMITS, pausing, type RateLimitSettings } from '#graphql/limits.ts'
import type { OperatorEdge } from '#graphql/operator/builder.ts'
import { createIdentifyOperator } from '#graphql/operator/principal.ts'
import { operatorSchema } from '#graphql/operator/schema.ts'
import { createOperatorSessions } from '#graphql/operator/sessions.ts'
import { createStreams, DEFAULT_STREAM_LIMITS, type StreamLimits } from '#graphql/payments/live/streams.ts'
import { createIdentify } from '#graphql/principal.ts'
import { createProofs, LOOKUP_LIMITS } from '#graphql/proofs.ts'
import { createErrors, type Outage } from '#graphql/public-error.ts'
import { schema } from '#graphql/schema.ts'
import { createUploads, UPLOAD_LIMITS } from '#graphql/uploads.ts'
import type { LiveEventLog, LiveEvents, LiveSubscriptions, MarketplaceFeed } from '#ports/live.ts'
import type { Services } from '#services/services.ts'

export type EdgeParts = {
  readonly services: Services
  readonly live: LiveEvents
  readonly liveSubscriptions: LiveSubscriptions
  readonly feed: MarketplaceFeed
  readonly liveLog: LiveEventLog
  readonly reads: (tenant: Tenant) => TenantReads
  /** Distinguishes an unreachable database or chain from a defect. */
  readonly outage: Outage
  readonly now: () => Date
  readonly settings: EdgeSettings
}

export type EdgeSettings = {
  readonly operatorToken: string
  /** Signs page cursors; the same on every instance. */
  readonly cursorSecret: Uint8Array
  /** null applies no limit. */
  readonly rateLimits: RateLimitSettings | null
  readonly introspection: boolean
  readonly streams?: Partial<StreamLimits>
}

export type Edges = { readonly edge: Edge; readonly operator: OperatorEdge }

/** Makes the edges. `report` receives each failure whose cause no caller may see. */
export function createEdges(
  { services, live, liveSubscriptions, feed, liveLog, reads, outage, now, settings }: EdgeParts,
  report: (error: unknown, requestId: string) => void,
): Edges {
  const { introspection } = settings
  const limits = settings.rateLimits === null ? NO_LIMITS : createLimits(settings.rateLimits)
  const { requireIssued } = services.credentials
  const proofs = createProofs({ requireIssued, limits, turns: createHeavyWork(LOOKUP_LIMITS) })
  const operatorSessions = createOperatorSessions(settings.operatorToken, now)
  const heavyWork = createHeavyWork(HEAVY_WORK_LIMITS)
  const uploads = { begin: pausing(createUploads(limits, UPLOAD_LIMITS).begin) }
  const errors = createErrors(outage, report, { suggestions: introspection })
  const documents = { introspection, limits: DOCUMENT_LIMITS }
  const known = createKnownDocuments({ ...documents, schema, memory: DOCUMENT_MEMORY })
  const knownOfOperator = createKnownDocuments({
    ...documents,
    schema: operatorSchema,
    memory: OPERATOR_DOCUMENT_MEMORY,
  })
  return {
    edge: {
      services,
      live,
      liveSubscriptions,
      feed,
      liveLog,
      reads,
      errors,
      identify: pausing(createIdentify(services.accounts, services.sessions, proofs, limits)),
      cursors: createCursors(settings.cursorSecret),
      limits,
      proofs,
      admit: pausing(createAdmit({ known, limits, documentLimits: DOCUMENT_LIMITS })),
      heavyWork,
      uploads,
      streams: createStreams({ ...DEFAULT_STREAM_LIMITS, ...settings.streams }),
    },
    operator: {
      services,
      sessions: operatorSessions,
      errors,
      identify: pausing(createIdentifyOperator(settings.operatorToken, operatorSessions, limits)),
      admit: pausing(createAdmit({ known: knownOfOperator, limits, documentLimits: DOCUMENT_LIMITS })),
      heavyWork,
      uploads,
    },
  }
}

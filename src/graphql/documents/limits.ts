// What one GraphQL document may ask, and how much memory known documents may use.

/** A document over any of these is refused before it is compared with the schema. */
export type DocumentLimits = {
  /** In UTF-8. */
  readonly bytes: number
  readonly tokens: number
  /** Fields below each other. Introspection is not counted. */
  readonly depth: number
  /** Fields of all operations together, those of a fragment counted at each place that spreads it; and of all fragments. */
  readonly fields: number
  /** Fields whose response name another field already has at the same place of the reply. */
  readonly repeatedFields: number
  readonly aliases: number
  readonly directives: number
  /** Points of one operation: see FIELDS_PER_POINT. */
  readonly points: number
  /** The same of a mutation. It takes no turn, because it can wait for the chain: see `inTurn`. */
  readonly mutationPoints: number
}

/**
 * Our own largest documents have 220 tokens, 120 fields and no repeated one; all fields of a payment and of everything
 * below it have 180 tokens. A page of 100 such payments costs 100 points.
 */
export const DOCUMENT_LIMITS: DocumentLimits = {
  bytes: 16 * 1024,
  tokens: 500,
  depth: 10,
  fields: 1_000,
  repeatedFields: 50,
  aliases: 15,
  directives: 20,
  points: 250,
  mutationPoints: 100,
}

/** How much memory documents that were seen before may use, estimated, in bytes: valid ones, and refused ones. */
export type DocumentMemory = { readonly valid: number; readonly refused: number }

export const DOCUMENT_MEMORY: DocumentMemory = { valid: 32 * 1024 * 1024, refused: 4 * 1024 * 1024 }
/** The same of the operator's schema, which one command line asks. */
export const OPERATOR_DOCUMENT_MEMORY: DocumentMemory = { valid: 4 * 1024 * 1024, refused: 1024 * 1024 }

// The documents that were seen before, with what became of them. A document is parsed, measured, validated and priced
// once; while it is remembered, each repeat costs a digest and a look-up.
import { hash } from 'node:crypto'
import {
  type DocumentNode,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLSchema,
  Kind,
  NoSchemaIntrospectionCustomRule,
  type OperationDefinitionNode,
  type OperationTypeNode,
  parse,
  specifiedRules,
  validate,
} from 'graphql'
import { type Cost, costOf } from '#graphql/documents/cost.ts'
import type { DocumentLimits, DocumentMemory } from '#graphql/documents/limits.ts'
import { excessOf } from '#graphql/documents/measure.ts'
import { isPublicCode } from '#graphql/error-map.ts'
import type { PublicCode } from '#graphql/errors/entry.ts'
import { createByteLru } from '#lib/lru.ts'

export type ValidDocument = {
  readonly document: DocumentNode
  readonly operations: readonly Operation[]
}
type Operation = { readonly name: string | undefined; readonly kind: OperationTypeNode; readonly cost: Cost }
/** An error of a document. It holds nothing of the document, which may be large. */
export type Mistake = Pick<GraphQLError, 'message' | 'positions' | 'extensions'>
export type Judged = { readonly valid: ValidDocument } | { readonly refused: readonly Mistake[] }

export type KnownDocuments = {
  /** Returns what was found when the document was judged; undefined for one that is not remembered. */
  find(source: string): Judged | undefined
  /** Parses and validates the document, unless it is known, and remembers the outcome. */
  judge(source: string): Judged
  /** Returns the estimated memory, in bytes. */
  memory(): DocumentMemory
}

export type KnownDocumentParts = {
  readonly schema: GraphQLSchema
  /** Whether the schema may be asked for, and whether errors suggest names of it. */
  readonly introspection: boolean
  readonly limits: DocumentLimits
  readonly memory: DocumentMemory
}

/** Measured: a token of a parsed document takes some 430 bytes, its locations included. */
const BYTES_PER_TOKEN = 500
const BYTES_PER_ERROR = 500
const BYTES_PER_ENTRY = 500
/** Errors that one refusal lists. */
const MAX_ERRORS = 5

export function createKnownDocuments({ schema, introspection, limits, memory }: KnownDocumentParts): KnownDocuments {
  const valid = createByteLru<Judged>(memory.valid)
  const refused = createByteLru<Judged>(memory.refused)
  const rules = introspection ? specifiedRules : [...specifiedRules, NoSchemaIntrospectionCustomRule]
  const options = { maxErrors: MAX_ERRORS, hideSuggestions: !introspection }

  function examine(source: string): Judged {
    try {
      const document = parse(source, { maxTokens: limits.tokens })
      const excess = excessOf(document, limits)
      if (excess !== null) return { refused: [tooLarge(`the document ${excess}`)] }
      const errors = validate(schema, document, rules, options)
      if (errors.length > 0) return { refused: errors.map((error) => mistake(error, 'invalid_document')) }
      return { valid: { document, operations: operationsOf(schema, document) } }
    } catch (error) {
      if (error instanceof GraphQLError) return { refused: [mistake(error, 'invalid_document')] }
      throw error
    }
  }

  const find = (digest: string): Judged | undefined => valid.get(digest) ?? refused.get(digest)

  return {
    find: (source) => find(digestOf(source)),
    judge(source) {
      const digest = digestOf(source)
      const known = find(digest)
      if (known !== undefined) return known
      const judged = examine(source)
      if ('valid' in judged) valid.set(digest, judged, sizeOf(source, judged.valid))
      else refused.set(digest, judged, BYTES_PER_ENTRY + BYTES_PER_ERROR * judged.refused.length)
      return judged
    },
    memory: () => ({ valid: valid.bytes, refused: refused.bytes }),
  }
}

const mistake = ({ message, positions, extensions }: GraphQLError, code: PublicCode): Mistake => ({
  message,
  positions,
  extensions: isPublicCode(extensions.code) ? extensions : { code },
})

/** A parsed document keeps its source, of which a character takes two bytes at most. */
const sizeOf = (source: string, { document: { tokenCount = 0 } }: ValidDocument): number =>
  BYTES_PER_ENTRY + 2 * source.length + BYTES_PER_TOKEN * tokenCount

const digestOf = (source: string): string => hash('sha256', source, 'base64')

export const tooLarge = (message: string): Mistake => ({
  message,
  positions: undefined,
  extensions: { code: 'document_too_large' satisfies PublicCode },
})

export const noSuchOperation = (name: string | null | undefined): Mistake => ({
  message: name ? 'operationName is not the name of an operation in the document' : 'operationName is required',
  positions: undefined,
  extensions: { code: 'invalid_request' satisfies PublicCode },
})

/** Takes a valid document. */
export function operationsOf(schema: GraphQLSchema, { definitions }: DocumentNode): ValidDocument['operations'] {
  const fragments = new Map<string, FragmentDefinitionNode>()
  const operations: OperationDefinitionNode[] = []
  for (const definition of definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition)
    if (definition.kind === Kind.OPERATION_DEFINITION) operations.push(definition)
  }
  return operations.map((operation) => ({
    name: operation.name?.value,
    kind: operation.operation,
    cost: costOf(schema, operation, fragments),
  }))
}

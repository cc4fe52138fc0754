// Who may have a document read: the way of every operation of /graphql, over HTTP and over a websocket.
import { type DocumentNode, GraphQLError, getOperationAST, OperationTypeNode, Source } from 'graphql'
import type { Caller } from '#graphql/caller.ts'
import type { Limits } from '#graphql/limits.ts'
import { type AnyPrincipal, countedBy } from '#graphql/principal.ts'
import type { Variables } from './cost.ts'
import {
  type Judged,
  type KnownDocuments,
  type Mistake,
  noSuchOperation,
  tooLarge,
  type ValidDocument,
} from './known.ts'
import type { DocumentLimits } from './limits.ts'

/** The operator is charged nothing: its token is no stranger's. */
type Asking = Pick<Caller<AnyPrincipal>, 'principal' | 'address' | 'onCounted'>

type Asked = {
  readonly query: string
  readonly variables?: Variables | null | undefined
  readonly operationName?: string | null | undefined
}

export type Admitted = {
  readonly document: DocumentNode
  /** What the operation costs its caller; its root fields count one each of these. */
  readonly points: number
  readonly kind: OperationTypeNode
}
export type Admission = Admitted | { readonly refused: readonly GraphQLError[] }

/**
 * Returns the parsed and valid document, or why it is none. Reading a document that is not known is charged first, by
 * its size, to the key or the address that sends it: throws `rate_limited`. A known document costs nothing here, so
 * clients that all send the same few documents never meet this limit, however many share an address. A key whose tally
 * of calls is full is refused at once.
 */
export type Admit = (caller: Asking, asked: Asked) => Promise<Admission>

export type AdmissionParts = {
  readonly known: KnownDocuments
  readonly limits: Pick<Limits, 'key' | 'address' | 'documentOfKey' | 'documentOfAddress' | 'requireRoom'>
  readonly documentLimits: Pick<DocumentLimits, 'bytes' | 'points' | 'mutationPoints'>
}

const BYTES_PER_POINT = 1024

export function createAdmit({ known, limits, documentLimits }: AdmissionParts): Admit {
  const charge = async ({ principal, address, onCounted }: Asking, points: number) => {
    if (principal.kind === 'business')
      await limits.documentOfKey(countedBy(principal), principal.tenant.network, points, onCounted)
    if (principal.kind === 'anonymous') await limits.documentOfAddress(address, points, onCounted)
  }
  /** What is refused here reaches no resolver that would count it. */
  const countCall = async ({ principal, address, onCounted }: Asking) => {
    if (principal.kind === 'business') await limits.key(countedBy(principal), principal.tenant.network, 1, onCounted)
    if (principal.kind === 'anonymous') await limits.address(address, 1, onCounted)
  }
  /** Chooses the operation of the document that is asked for. */
  const choose = (judged: Judged, { variables, operationName }: Asked): Admitted | Refusal => {
    if ('refused' in judged) return judged
    const { document } = judged.valid
    const operation = operationOf(judged.valid, operationName)
    if (operation === undefined) return { refused: [noSuchOperation(operationName)] }
    const { kind } = operation
    const points = operation.cost(variables ?? {})
    const most = kind === OperationTypeNode.MUTATION ? documentLimits.mutationPoints : documentLimits.points
    if (points <= most) return { document, points, kind }
    return { refused: [tooLarge(`the operation costs ${points} points, more than ${most}`)] }
  }
  return async (caller, { query, variables, operationName }) => {
    const { principal, onCounted } = caller
    if (principal.kind === 'business')
      await limits.requireRoom(countedBy(principal), principal.tenant.network, onCounted)
    const bytes = Buffer.byteLength(query)
    if (bytes > documentLimits.bytes) {
      return refuse(query, [tooLarge(`the document is larger than ${documentLimits.bytes / 1024} KB`)])
    }
    const seen = known.find(query)
    if (seen === undefined) await charge(caller, Math.max(1, Math.ceil(bytes / BYTES_PER_POINT)))
    const outcome = choose(seen ?? known.judge(query), { query, variables, operationName })
    if ('document' in outcome) return outcome
    if (seen !== undefined) await countCall(caller)
    return refuse(query, outcome.refused)
  }
}

type Refusal = { readonly refused: readonly Mistake[] }

/** Makes errors that show where in the source each mistake is. */
function refuse(query: string, mistakes: readonly Mistake[]): Admission {
  const source = new Source(query)
  return { refused: mistakes.map(({ message, ...rest }) => new GraphQLError(message, { source, ...rest })) }
}

const operationOf = ({ operations }: ValidDocument, name: string | null | undefined) =>
  operations.length === 1 && !name ? operations[0] : operations.find((operation) => operation.name === name)

// What an operation uses of its request. A live stream keeps its request for as long as it is open, so anything else
// that a client sends would be memory that no limit counts.

export type Used = { query: string; variables: Record<string, unknown>; operationName: string | undefined }

/** Returns the request without extensions and without an empty name, and with those variables only that its operation declares. */
export function onlyDeclared({ query, variables, operationName }: Asked, document: DocumentNode): Used {
  const name = operationName || undefined
  const { variableDefinitions = [] } = getOperationAST(document, name) ?? {}
  const given = variables ?? {}
  const names = variableDefinitions.map(({ variable }) => variable.name.value)
  const declared = names.filter((name) => Object.hasOwn(given, name)).map((name) => [name, given[name]])
  return { query, operationName: name, variables: Object.fromEntries(declared) }
}

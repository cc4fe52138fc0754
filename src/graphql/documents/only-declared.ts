// What an operation uses of its request. A live stream keeps its request for as long as it is open, so anything else
// that a client sends would be memory that no limit counts.
import { type DocumentNode, getOperationAST } from 'graphql'
import type { Asked } from '#graphql/documents/admission.ts'

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

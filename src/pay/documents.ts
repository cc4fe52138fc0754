// The documents of the pages as the executor takes them. Browsers send the same documents as text.
import type { DocumentTypeDecoration, TypedDocumentNode } from '@graphql-typed-document-node/core'
import { parse } from 'graphql'

export const parsed = <Result, Variables>(
  document: DocumentTypeDecoration<Result, Variables>,
): TypedDocumentNode<Result, Variables> => parse(String(document))

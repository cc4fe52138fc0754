// A body for /graphql that is not UTF-8 is refused, where yoga would read U+FFFD for whatever it cannot read.
import { GraphQLError } from 'graphql'
import type { Plugin } from 'graphql-yoga'
import { decodeUtf8 } from '#rest/utf8.ts'

export const utf8Only: Plugin = {
  onRequestParse({ request, requestParser, setRequestParser, fetchAPI }) {
    if (request.method !== 'POST' || requestParser === undefined) return
    setRequestParser(async (limited) => {
      const body = textOf(await limited.arrayBuffer())
      const { url, method, headers } = limited
      return await requestParser(new fetchAPI.Request(url, { method, headers, body }))
    })
  },
}

function textOf(bytes: ArrayBuffer): string {
  try {
    return decodeUtf8(bytes)
  } catch {
    throw new GraphQLError('the body is not valid UTF-8', {
      extensions: { code: 'BAD_REQUEST', http: { status: 400 } },
    })
  }
}

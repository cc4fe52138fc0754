// What the edge knows of a request before a route answers it.
import type { ServerResponse } from 'node:http'

export type Locals = {
  readonly requestId: string
  /** The network address of the client. */
  readonly address: string
  /** The route that answers, as the table of routes contains it; `unmatched` until one is found. */
  route: string
}

/** A response of Node with its locals, where express looks for them too. */
export type EdgeResponse = ServerResponse & { readonly locals: Locals }

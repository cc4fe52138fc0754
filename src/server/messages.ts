// The classes of requests and replies. express gives each of them another prototype when it receives it, which V8 pays for
// with a copy of its layout and slower access from then on. Here they are made with the prototypes that express gives.
import { IncomingMessage, ServerResponse } from 'node:http'
import type { Express } from 'express'

/** For `createServer`. */
export type Messages = {
  readonly IncomingMessage: typeof IncomingMessage
  readonly ServerResponse: typeof ServerResponse
}

/** Makes the application use the prototypes of these classes as its own. To be called before its first request. */
export function messagesOf(app: Express): Messages {
  class AppRequest extends IncomingMessage {}
  class AppResponse<Request extends IncomingMessage> extends ServerResponse<Request> {}
  app.request = Object.setPrototypeOf(AppRequest.prototype, app.request)
  app.response = Object.setPrototypeOf(AppResponse.prototype, app.response)
  return { IncomingMessage: AppRequest, ServerResponse: AppResponse }
}

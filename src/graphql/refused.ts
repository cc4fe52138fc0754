// The refusal that the edges over documents throw and answer. Its own file, because a process without an API loads no GraphQL.
import type { ShownError } from './public-error.ts'

/** A request that was refused or that failed, as far as it may be shown. */
export class Refused extends Error {
  readonly shown: ShownError

  constructor(shown: ShownError, options?: ErrorOptions) {
    super(shown.code, options)
    this.name = 'Refused'
    this.shown = shown
  }
}

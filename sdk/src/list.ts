// A list of the service, read page by page.

type Source = { readonly field: string; readonly start: string | undefined }

/** Yields each entry: `for await (const payment of client.payments.list())`. Nothing is read before. */
export class List<T, Page> implements AsyncIterable<T> {
  readonly #read: (after: string | undefined) => Promise<Page>
  readonly #source: Source

  constructor(read: (after: string | undefined) => Promise<Page>, source: Source) {
    this.#read = read
    this.#source = source
  }

  /** Resolves with one page: the entries, and `next_cursor` for the next one. */
  page(): Promise<Page> {
    return this.#read(this.#source.start)
  }

  /** Yields each page, for programs that store the cursor. */
  async *pages(): AsyncGenerator<Page, void, undefined> {
    let cursor = this.#source.start
    for (;;) {
      const page = await this.#read(cursor)
      yield page
      const { next_cursor: next } = Object(page)
      // The event log goes on: its cursor stays, and only an empty page has none.
      if (typeof next !== 'string' || next === cursor) return
      cursor = next
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    for await (const page of this.pages()) yield* Object(page)[this.#source.field]
  }
}
